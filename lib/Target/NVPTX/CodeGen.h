// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_LIB_TARGET_NVPTX_CODEGEN_H
#define SAWTOOTH_LIB_TARGET_NVPTX_CODEGEN_H

#include "sawtooth/Target/TargetBackend.h"

namespace llvm {
class Module;
} // namespace llvm

namespace sawtooth {

/// Optimises a module of device code and writes it as LLVM IR or PTX. Nothing in it may change a
/// value: no contraction, no approximation, no flushing of subnormals, no library. Says at
/// `location` what is wrong and fails.
mlir::FailureOr<std::string> generatePTX(llvm::Module &module, const Chip &chip, OutputKind kind,
                                         mlir::Location location);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_TARGET_NVPTX_CODEGEN_H
