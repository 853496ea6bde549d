// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Integer division without a case that traps: a user's divisor may be 0 at run time.
#include "sawtooth/Transforms/MathPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {
/// x / 0 = 0 and x rem 0 = x; the least number by -1 is itself, remainder 0. Everything else is
/// what the op means anyway.
template <typename OpTy, bool isSigned, bool isRemainder>
struct TotalDivision : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    APInt known;
    if (matchPattern(op.getRhs(), m_ConstantInt(&known)) && !known.isZero() &&
        !(isSigned && known.isAllOnes()))
      return rewriter.notifyMatchFailure(op, "the divisor is a constant that never traps");
    Location location = op.getLoc();
    Value dividend = op.getLhs(), divisor = op.getRhs();
    Value zero = constant(rewriter, location, divisor.getType(), 0);
    Value one = constant(rewriter, location, divisor.getType(), 1);
    Value isZero = equals(rewriter, location, divisor, zero);
    Value safe = arith::SelectOp::create(rewriter, location, isZero, one, divisor);
    Value isMinusOne;
    if (isSigned) {
      Value minusOne = constant(rewriter, location, divisor.getType(), -1);
      isMinusOne = equals(rewriter, location, divisor, minusOne);
      safe = arith::SelectOp::create(rewriter, location, isMinusOne, one, safe);
    }
    Value result = OpTy::create(rewriter, location, dividend, safe);
    // The remainder by 1 is that by -1.
    if (isSigned && !isRemainder) {
      Value negated = arith::SubIOp::create(rewriter, location, zero, dividend);
      result = arith::SelectOp::create(rewriter, location, isMinusOne, negated, result);
    }
    Value ofZero = isRemainder ? dividend : zero;
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isZero, ofZero, result);
    return success();
  }

private:
  static Value constant(OpBuilder &builder, Location location, Type type, int64_t value) {
    TypedAttr attr = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(builder, location, attr);
  }
  static Value equals(OpBuilder &builder, Location location, Value a, Value b) {
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, a, b);
  }
};
} // namespace

void sawtooth::populateTotalDivisionPatterns(RewritePatternSet &patterns) {
  patterns
      .add<TotalDivision<arith::DivSIOp, true, false>, TotalDivision<arith::DivUIOp, false, false>,
           TotalDivision<arith::RemSIOp, true, true>, TotalDivision<arith::RemUIOp, false, true>>(
          patterns.getContext());
}
