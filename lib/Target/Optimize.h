// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What every target does with LLVM IR before it becomes code.
#ifndef SAWTOOTH_LIB_TARGET_OPTIMIZE_H
#define SAWTOOTH_LIB_TARGET_OPTIMIZE_H

#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace sawtooth {

/// Common subexpressions, invariant code out of loops, dead code. Changes no value. With `scalars`,
/// vectors are left for loads and stores alone.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine, bool scalars);

/// Has LLVM's own errors appended to `errors`; they would go to stderr and end the process.
void collectErrors(llvm::Module &module, std::string &errors);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_TARGET_OPTIMIZE_H
