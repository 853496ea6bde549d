// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The built-in rules, policies and layers as text for people, read from their own files.
#ifndef SAWTOOTH_COMPILER_RULES_H
#define SAWTOOTH_COMPILER_RULES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace sawtooth {

/// Without `name`, a few lines for each built-in definition of `kind` ("optimizer", "policy",
/// "layer"; "" for all of them): what it is, its parameters and state. With `name`, that one in
/// full: formula, parameters with types and defaults, state with extents and keys. Fails when there
/// is none of that name or kind; the message lists what there is.
llvm::Expected<std::string> describeRules(llvm::StringRef kind, llvm::StringRef name);

} // namespace sawtooth

#endif // SAWTOOTH_COMPILER_RULES_H
