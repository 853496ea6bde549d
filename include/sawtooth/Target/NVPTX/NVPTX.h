// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// NVIDIA GPUs: PTX text through LLVM, cubins through a ptxas.
#ifndef SAWTOOTH_TARGET_NVPTX_NVPTX_H
#define SAWTOOTH_TARGET_NVPTX_NVPTX_H

#include "sawtooth/Target/TargetBackend.h"
#include "sawtooth/runtime/ArtifactInfo.h"

#include "llvm/Support/Error.h"

namespace sawtooth {

/// Chips: those of GpuChips.def. `ptxas`: the program that makes cubins of PTX, or "" for none, and
/// then an OutputKind::Object cannot be had.
std::unique_ptr<TargetBackend> createNVPTXBackend(llvm::StringRef ptxas);

/// Machine code for a GPU, and what `ptxas -v` says of its kernels.
struct Cubin {
  std::string code;
  std::vector<runtime::ArtifactKernel> kernels;
};

/// Machine code for `chip` from PTX text (without a NUL), made by the program `ptxas` in memory.
/// The error is one line that names the program.
llvm::Expected<Cubin> assemblePTX(llvm::StringRef ptx, llvm::StringRef chip, llvm::StringRef ptxas);

} // namespace sawtooth

#endif // SAWTOOTH_TARGET_NVPTX_NVPTX_H
