// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StripFastMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

unsigned sawtooth::stripFastMath(Operation *root) {
  unsigned count = 0;
  root->walk([&](arith::ArithFastMathInterface op) {
    arith::FastMathFlagsAttr flags = op.getFastMathFlagsAttr();
    if (!flags || flags.getValue() == arith::FastMathFlags::none)
      return;
    op->emitRemark("fast-math flags '") << arith::stringifyFastMathFlags(flags.getValue())
                                        << "' are dropped: the arithmetic of a step is IEEE's";
    op->setAttr(op.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op->getContext(), arith::FastMathFlags::none));
    ++count;
  });
  return count;
}
