// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From LLVM IR to text or objects, as every target does it.
#ifndef SAWTOOTH_LIB_TARGET_MACHINE_H
#define SAWTOOTH_LIB_TARGET_MACHINE_H

#include "sawtooth/Target/TargetBackend.h"

#include "llvm/Support/CodeGen.h"

#include <optional>

namespace llvm {
class Module;
class TargetMachine;
class Triple;
} // namespace llvm

namespace sawtooth {

/// The code generator for a chip, without contraction. Its target must be initialised. Says at
/// `location` why there is none, and returns null.
std::unique_ptr<llvm::TargetMachine> createMachine(const llvm::Triple &triple, const Chip &chip,
                                                   std::optional<llvm::Reloc::Model> relocations,
                                                   mlir::Location location);

/// Optimises a module, see optimizeModule(), and writes it. LLVM's own errors are said at
/// `location`.
mlir::FailureOr<std::string> emitModule(llvm::Module &module, llvm::TargetMachine &machine,
                                        bool scalars, OutputKind kind, mlir::Location location);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_TARGET_MACHINE_H
