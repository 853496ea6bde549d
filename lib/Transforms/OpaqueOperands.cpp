// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpaqueOperands.h"

#include "amp/Amp.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

bool sawtooth::isInexactMath(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
              math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp,
              math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundOp,
              math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
}

void sawtooth::makeOperandsOpaque(Operation *root) {
  root->walk([](Operation *op) {
    if (!isInexactMath(op))
      return;
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (!operand.get().getDefiningOp<amp::OpaqueOp>())
        operand.set(amp::OpaqueOp::create(builder, op->getLoc(), operand.get()));
  });
}
