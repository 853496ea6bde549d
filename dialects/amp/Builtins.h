// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rule, policy and layer files that are part of the program, found by the symbols in them.
#ifndef SAWTOOTH_AMP_BUILTINS_H
#define SAWTOOTH_AMP_BUILTINS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace sawtooth::amp {

/// A symbol that a built-in file defines.
struct Builtin {
  llvm::StringRef symbol; ///< without the @
  llvm::StringRef kind;   ///< "optimizer", "policy", "layer", or "helper": called by layers alone
  llvm::StringRef path;   ///< as in the source tree, "rules/adamw.mlir"
  llvm::StringRef text;   ///< the whole file, which may define other symbols too
};

/// All of them, in the order of their files.
llvm::ArrayRef<Builtin> getBuiltins();

/// The one that defines `symbol`, or null.
const Builtin *findBuiltin(llvm::StringRef symbol);

} // namespace sawtooth::amp

#endif // SAWTOOTH_AMP_BUILTINS_H
