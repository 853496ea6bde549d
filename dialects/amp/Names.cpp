// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amp/Names.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>

using namespace sawtooth::amp;

llvm::StringRef sawtooth::amp::findNearest(llvm::StringRef name,
                                           llvm::ArrayRef<std::string> choices) {
  unsigned limit = name.size() <= 3 ? 1 : std::max<size_t>(2, name.size() / 3);
  llvm::StringRef nearest;
  for (llvm::StringRef choice : choices) {
    unsigned distance = name.edit_distance_insensitive(choice, /*AllowReplacements=*/true, limit);
    if (distance <= limit && !(distance == limit && !nearest.empty())) {
      nearest = choice;
      if (distance == 0)
        break;
      limit = distance;
    }
  }
  return nearest;
}

void sawtooth::amp::describeChoices(mlir::InFlightDiagnostic &diag, llvm::StringRef name,
                                    llvm::ArrayRef<std::string> choices, llvm::StringRef prefix) {
  llvm::StringRef quote = prefix.empty() ? "'" : "";
  if (llvm::StringRef nearest = findNearest(name, choices); !nearest.empty())
    diag << "; did you mean " << prefix << quote << nearest << quote << "?";
  mlir::Diagnostic &note = diag.attachNote();
  if (choices.empty()) {
    note << "there is none";
    return;
  }
  note << "there is ";
  for (auto [i, choice] : llvm::enumerate(choices))
    note << (i == 0 ? "" : ", ") << prefix << choice;
}
