// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Messages about names: what there is, and what was probably meant.
#ifndef SAWTOOTH_AMP_NAMES_H
#define SAWTOOTH_AMP_NAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir {
class InFlightDiagnostic;
} // namespace mlir

namespace sawtooth::amp {

/// The one of `choices` that `name` is most likely a misspelling of, "" when none is near: the
/// smallest edit distance, at most a third of the name's length (at least 2, 1 for names of up to
/// three letters), the first of equals.
llvm::StringRef findNearest(llvm::StringRef name, llvm::ArrayRef<std::string> choices);

/// Appends "; did you mean X?" and a note that lists `choices`, each with `prefix` before it, or in
/// quotes in the question when there is none.
void describeChoices(mlir::InFlightDiagnostic &diag, llvm::StringRef name,
                     llvm::ArrayRef<std::string> choices, llvm::StringRef prefix = "");

} // namespace sawtooth::amp

#endif // SAWTOOTH_AMP_NAMES_H
