// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amp/Builtins.h"

#include "llvm/ADT/SmallVector.h"

using namespace sawtooth::amp;

namespace {
struct Row {
  llvm::StringLiteral symbol, kind, path;
  unsigned text;
};
#include "amp/Builtins.cpp.inc"
} // namespace

llvm::ArrayRef<Builtin> sawtooth::amp::getBuiltins() {
  static const auto *table = [] {
    auto *all = new llvm::SmallVector<Builtin, 0>;
    for (const Row &row : rows)
      all->push_back({row.symbol, row.kind, row.path, texts[row.text]});
    return all;
  }();
  return *table;
}

const Builtin *sawtooth::amp::findBuiltin(llvm::StringRef symbol) {
  for (const Builtin &builtin : getBuiltins())
    if (builtin.symbol == symbol)
      return &builtin;
  return nullptr;
}
