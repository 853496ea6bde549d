// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The body of a pass on vectors, whatever they hold.
#include "PassBodyEmitter.h"

using namespace mlir;
using namespace sawtooth;

void PassBodyEmitter::cloneOp(Operation &op, MutableArrayRef<IRMapping> vectors) {
  for (IRMapping &mapping : vectors) {
    // The exponent of a power stays a scalar.
    if (auto power = dyn_cast<amp::PowiOp>(op))
      if (!mapping.contains(power.getExponent()))
        mapping.map(power.getExponent(), uniform.lookup(power.getExponent()));
    Operation *clone = cloneExact(builder, &op, mapping);
    for (OpResult result : clone->getResults())
      result.setType(vectorOf(result.getType()));
  }
}

void PassBodyEmitter::cloneBody(MutableArrayRef<IRMapping> vectors) {
  for (Operation &op : pass.getBody().front().without_terminator())
    if (extents.at(op.getResult(0)) == Extent::Element)
      cloneOp(op, vectors);
}

/// One branch for all writes under a flag.
llvm::MapVector<Value, SmallVector<unsigned>> PassBodyEmitter::writeGroups() {
  llvm::MapVector<Value, SmallVector<unsigned>> groups;
  for (auto [i, flag] : llvm::enumerate(writeFlags))
    groups[flag].push_back(i);
  return groups;
}

arith::TruncFOp PassBodyEmitter::narrowingOf(Value value) {
  auto narrowing = value.getDefiningOp<arith::TruncFOp>();
  auto extent = extents.find(value);
  return extent != extents.end() && extent->second == Extent::Element ? narrowing
                                                                      : arith::TruncFOp();
}
