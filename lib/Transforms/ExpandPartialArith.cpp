// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The pass `expand-partial-arith`: operations that have no value for some operands, and on some
// chips end the process there, get one.
#include "MathBuilder.h"

#include "sawtooth/Transforms/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace sawtooth {
#define GEN_PASS_DEF_EXPANDPARTIALARITH
#include "sawtooth/Transforms/Passes.h.inc"
} // namespace sawtooth

using namespace mlir;
using namespace sawtooth;

static Value constant(ImplicitLocOpBuilder &b, Type type, const APInt &value) {
  return expand::splat(b, type, b.getIntegerAttr(getElementTypeOrSelf(type), value));
}
static Value constant(ImplicitLocOpBuilder &b, Type type, double value) {
  return expand::splat(b, type, b.getFloatAttr(getElementTypeOrSelf(type), value));
}

/// The bits of an integer or of each in a vector; 0 for `index`, which has none of its own.
static unsigned widthOf(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer ? integer.getWidth() : 0;
}

namespace {
/// A divisor counts as 1 where the quotient does not exist (0) or does not fit (the least number by
/// -1, whose quotient modulo 2^width is the least number again).
template <typename OpTy>
struct GuardDivisor : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    constexpr bool isSigned = llvm::is_one_of<OpTy, arith::DivSIOp, arith::RemSIOp,
                                              arith::FloorDivSIOp, arith::CeilDivSIOp>::value;
    Type type = op.getType();
    unsigned width = widthOf(type);
    APInt known;
    bool isKnown = matchPattern(op.getRhs(), m_ConstantInt(&known));
    if (!width || (isKnown && !known.isZero() && !(isSigned && known.isAllOnes())))
      return rewriter.notifyMatchFailure(op, "every quotient by this divisor exists");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto equals = [&](Value value, const APInt &number) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, constant(b, type, number));
    };
    Value unfit = equals(op.getRhs(), APInt::getZero(width));
    if (isSigned) {
      Value overflows =
          arith::AndIOp::create(b, equals(op.getLhs(), APInt::getSignedMinValue(width)),
                                equals(op.getRhs(), APInt::getAllOnes(width)));
      unfit = arith::OrIOp::create(b, unfit, overflows);
    }
    Value divisor =
        arith::SelectOp::create(b, unfit, constant(b, type, APInt(width, 1)), op.getRhs());
    rewriter.modifyOpInPlace(op, [&] { op.getRhsMutable().assign(divisor); });
    return success();
  }
};

/// A shift by the width or more gives 0, or the sign.
template <typename OpTy>
struct GuardShift : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    unsigned width = widthOf(type);
    APInt known;
    if (!width || (matchPattern(op.getRhs(), m_ConstantInt(&known)) && known.ult(width)))
      return rewriter.notifyMatchFailure(op, "the shift is by less than the width");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value most = constant(b, type, APInt(width, width - 1));
    Value amount = arith::MinUIOp::create(b, op.getRhs(), most);
    Value shifted = OpTy::create(b, op.getLhs(), amount);
    if (!std::is_same_v<OpTy, arith::ShRSIOp>) {
      Value all = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, op.getRhs(), most);
      shifted = arith::SelectOp::create(b, all, constant(b, type, APInt::getZero(width)), shifted);
    }
    rewriter.replaceOp(op, shifted);
    return success();
  }
};

/// A float beyond the integers of the type gives the nearest of them, NaN gives 0.
template <typename OpTy, bool isSigned>
struct SaturateToInteger : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    unsigned width = widthOf(type);
    if (!width || width > 64)
      return rewriter.notifyMatchFailure(op, "expected integers of at most 64 bits");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getIn();
    if (getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() < 32)
      x = arith::ExtFOp::create(b, expand::shapedLike(x.getType(), b.getF32Type()), x);
    auto holds = [&](arith::CmpFPredicate predicate, Value bound) -> Value {
      return arith::CmpFOp::create(b, predicate, x, bound);
    };
    // Both bounds are powers of two or 0, which every float type from f32 on holds.
    double top = std::ldexp(1.0, int(width) - isSigned);
    Value least = constant(b, x.getType(), isSigned ? -top : 0.0);
    Value tooSmall = holds(arith::CmpFPredicate::OLT, least);
    Value tooLarge = holds(arith::CmpFPredicate::OGE, constant(b, x.getType(), top));
    Value outside = arith::OrIOp::create(b, arith::OrIOp::create(b, tooSmall, tooLarge),
                                         holds(arith::CmpFPredicate::UNO, x));
    Value inside = arith::SelectOp::create(b, outside, constant(b, x.getType(), 0.0), x);
    Value result = OpTy::create(b, type, inside);
    auto limit = [&](Value flag, const APInt &number) {
      result = arith::SelectOp::create(b, flag, constant(b, type, number), result);
    };
    limit(tooSmall, isSigned ? APInt::getSignedMinValue(width) : APInt::getZero(width));
    limit(tooLarge, isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width));
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandPartialArithPass : sawtooth::impl::ExpandPartialArithBase<ExpandPartialArithPass> {
  void runOnOperation() override {
    RewritePatternSet guards(&getContext()), quotients(&getContext());
    guards.add<GuardDivisor<arith::DivSIOp>, GuardDivisor<arith::DivUIOp>,
               GuardDivisor<arith::RemSIOp>, GuardDivisor<arith::RemUIOp>,
               GuardDivisor<arith::FloorDivSIOp>, GuardDivisor<arith::CeilDivSIOp>,
               GuardDivisor<arith::CeilDivUIOp>, GuardShift<arith::ShLIOp>,
               GuardShift<arith::ShRSIOp>, GuardShift<arith::ShRUIOp>,
               SaturateToInteger<arith::FPToSIOp, true>, SaturateToInteger<arith::FPToUIOp, false>>(
        &getContext());
    walkAndApplyPatterns(getOperation(), std::move(guards));
    // Quotients that are rounded otherwise become plain divisions, by divisors that are safe now.
    arith::populateCeilFloorDivExpandOpsPatterns(quotients);
    walkAndApplyPatterns(getOperation(), std::move(quotients));
  }
};
} // namespace
