// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_LIB_TARGET_CPU_CODEGEN_H
#define SAWTOOTH_LIB_TARGET_CPU_CODEGEN_H

#include "sawtooth/Target/TargetBackend.h"

namespace llvm {
class Module;
} // namespace llvm

namespace sawtooth {

/// Optimises a module and writes it as text or object code. Nothing in it may change a value: no
/// contraction, no fast-math, no call of a library. Says at `location` what is wrong and fails.
mlir::FailureOr<std::string> generateCode(llvm::Module &module, const Chip &chip, OutputKind kind,
                                          mlir::Location location);

/// Links an object file into this process. Says at `location` what is wrong, and returns null.
std::unique_ptr<LoadedObject> loadObject(llvm::StringRef object, const Chip &chip,
                                         mlir::Location location);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_TARGET_CPU_CODEGEN_H
