// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// NVIDIA GPUs: PTX text through LLVM, cubins through ptxas where it is found.
#ifndef SAWTOOTH_TARGET_NVPTX_NVPTX_H
#define SAWTOOTH_TARGET_NVPTX_NVPTX_H

#include "sawtooth/Target/TargetBackend.h"

namespace sawtooth {

/// Chips: sm_75 to sm_121, those that ptxas of CUDA 13 knows.
std::unique_ptr<TargetBackend> createNVPTXBackend();

/// Machine code for `chip` from PTX text. Says at `location` what is wrong, and fails, also when
/// there is no ptxas in PATH, CUDA_HOME, /usr/local/cuda or the environment of a Python.
mlir::FailureOr<std::string> assemblePTX(llvm::StringRef ptx, llvm::StringRef chip,
                                         mlir::Location location);

} // namespace sawtooth

#endif // SAWTOOTH_TARGET_NVPTX_NVPTX_H
