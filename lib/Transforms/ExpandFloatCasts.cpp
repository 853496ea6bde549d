// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The pass `expand-float-casts`: f16 and bf16 from and to wider floats, rounded once to nearest
// even.
#include "MathBuilder.h"

#include "sawtooth/Transforms/MathPatterns.h"
#include "sawtooth/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace sawtooth {
#define GEN_PASS_DEF_EXPANDFLOATCASTS
#include "sawtooth/Transforms/Passes.h.inc"
} // namespace sawtooth

using namespace mlir;
using namespace sawtooth;
using expand::shapedLike;

static Value constant(ImplicitLocOpBuilder &b, Type like, IntegerAttr value) {
  return expand::splat(b, shapedLike(like, value.getType()), value);
}
static Value bitcast(ImplicitLocOpBuilder &b, Value value, Type element) {
  return arith::BitcastOp::create(b, shapedLike(value.getType(), element), value);
}
static Value isNaN(ImplicitLocOpBuilder &b, Value value) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
}

static constexpr uint32_t quietNaN = 0x7fc00000;

/// Whether `value` is a choice of the quiet NaN for whatever is a NaN.
static bool hasOnlyQuietNaN(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto test = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!test || test.getPredicate() != arith::CmpFPredicate::UNO || test.getLhs() != test.getRhs() ||
      test.getLhs() != select.getFalseValue())
    return false;
  FloatAttr nan;
  SplatElementsAttr nans;
  if (matchPattern(select.getTrueValue(), m_Constant(&nans)))
    nan = dyn_cast<FloatAttr>(nans.getSplatValue<Attribute>());
  else
    (void)matchPattern(select.getTrueValue(), m_Constant(&nan));
  return nan && nan.getValue().bitcastToAPInt() == quietNaN;
}

/// f32 to bf16, as bits. Adding 0x7fff and the bit that will be the last carries into the upper
/// half exactly when the lower half is above a tie, or on one and the last bit odd; a carry out of
/// the largest finite number gives infinity. Subnormal numbers are not special. NaNs are replaced
/// first, by one that rounding leaves alone: a choice among 16-bit results would be taken apart
/// into scalars on AVX2, where no comparison of f32 fits it.
static Value narrowToBF16(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  Value nan = hasOnlyQuietNaN(value) ? Value() : isNaN(b, value);
  Value bits = bitcast(b, value, b.getI32Type());
  if (nan)
    bits = arith::SelectOp::create(b, nan, constant(b, type, b.getI32IntegerAttr(quietNaN)), bits);
  Value sixteen = constant(b, type, b.getI32IntegerAttr(16));
  Value last = arith::AndIOp::create(b, arith::ShRUIOp::create(b, bits, sixteen),
                                     constant(b, type, b.getI32IntegerAttr(1)));
  Value bias = arith::AddIOp::create(b, last, constant(b, type, b.getI32IntegerAttr(0x7fff)));
  Value upper = arith::ShRUIOp::create(b, arith::AddIOp::create(b, bits, bias), sixteen);
  Value half = arith::TruncIOp::create(b, shapedLike(type, b.getI16Type()), upper);
  return bitcast(b, half, b.getBF16Type());
}

/// f64 to f32, rounded to odd: an inexact result has its last bit set, whichever neighbour that is.
/// With two bits more than the final format it keeps everything that rounding to nearest must know,
/// so that a second rounding does no harm (Boldo and Melquiond 2008, "Emulation of a FMA and
/// correctly rounded sums: proved algorithms using rounding to odd").
static Value narrowToOddF32(ImplicitLocOpBuilder &b, Value value) {
  Type narrow = shapedLike(value.getType(), b.getF32Type());
  Value nearest = arith::TruncFOp::create(b, narrow, value);
  Value back = arith::ExtFOp::create(b, value.getType(), nearest);
  // Toward zero: one step back where rounding went away from zero, from infinity too.
  Value away = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, back),
                                     math::AbsFOp::create(b, value));
  Value inexact = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, value);
  Value bits = bitcast(b, nearest, b.getI32Type());
  auto asInt = [&](Value flag) { return arith::ExtUIOp::create(b, bits.getType(), flag); };
  Value toZero = arith::SubIOp::create(b, bits, asInt(away));
  return bitcast(b, arith::OrIOp::create(b, toZero, asInt(inexact)), b.getF32Type());
}

namespace {
struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Value value = op.getIn();
    Type from = getElementTypeOrSelf(value.getType()), to = getElementTypeOrSelf(op.getType());
    if (op.getRoundingmode() || !(from.isF32() || from.isF64()) || !(to.isF16() || to.isBF16()))
      return rewriter.notifyMatchFailure(op, "expected f32 or f64 to f16 or bf16");
    if (from.isF32() && to.isF16())
      return rewriter.notifyMatchFailure(op, "every target has an instruction for it");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value single = from.isF64() ? narrowToOddF32(b, value) : value;
    if (to.isBF16()) {
      rewriter.replaceOp(op, narrowToBF16(b, single));
      return success();
    }
    Value half = arith::TruncFOp::create(b, op.getType(), single);
    Value bits = bitcast(b, half, b.getI16Type());
    Value nan = constant(b, op.getType(), b.getI16IntegerAttr(0x7e00));
    Value result = arith::SelectOp::create(b, isNaN(b, value), nan, bits);
    rewriter.replaceOp(op, bitcast(b, result, b.getF16Type()));
    return success();
  }
};

struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Value value = op.getIn();
    Type from = getElementTypeOrSelf(value.getType()), to = getElementTypeOrSelf(op.getType());
    bool toF64 = to.isF64();
    if (!(to.isF32() || toF64) || !(from.isBF16() || (from.isF16() && toF64)))
      return rewriter.notifyMatchFailure(op, "expected bf16 to f32 or f64, or f16 to f64");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type single = shapedLike(op.getType(), b.getF32Type());
    if (from.isF16()) {
      value = arith::ExtFOp::create(b, single, value);
    } else {
      Type word = shapedLike(op.getType(), b.getI32Type());
      Value bits = arith::ExtUIOp::create(b, word, bitcast(b, value, b.getI16Type()));
      Value sixteen = constant(b, word, b.getI32IntegerAttr(16));
      value = bitcast(b, arith::ShLIOp::create(b, bits, sixteen), b.getF32Type());
    }
    if (toF64)
      value = arith::ExtFOp::create(b, op.getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// Arithmetic on bf16, and integers to bf16 or f16: in f64, rounded once. 53 bits are more than
/// twice the 8 of bf16 and 2, so that the second rounding does no harm, and the exponents of f64
/// leave no intermediate result subnormal.
struct WidenNarrowArithmetic : RewritePattern {
  WidenNarrowArithmetic(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    bool fromInteger = isa<arith::SIToFPOp, arith::UIToFPOp>(op);
    auto isNarrow = [&](Value value) {
      Type element = getElementTypeOrSelf(value.getType());
      return element.isBF16() || (fromInteger && element.isF16());
    };
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        !op->hasTrait<OpTrait::Elementwise>() ||
        isa<arith::ExtFOp, arith::TruncFOp, arith::BitcastOp, arith::SelectOp>(op) ||
        !(llvm::any_of(op->getOperands(), isNarrow) || llvm::any_of(op->getResults(), isNarrow)))
      return failure();
    ImplicitLocOpBuilder b(op->getLoc(), rewriter);
    auto wide = [&](Type type) { return shapedLike(type, b.getF64Type()); };
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (isNarrow(operand) && !mapping.contains(operand))
        mapping.map(operand,
                    arith::ExtFOp::create(b, wide(operand.getType()), operand).getResult());
    Operation *clone = b.clone(*op, mapping);
    SmallVector<Value> results;
    for (auto [old, result] : llvm::zip_equal(op->getResults(), clone->getResults())) {
      if (isNarrow(old)) {
        result.setType(wide(old.getType()));
        results.push_back(arith::TruncFOp::create(b, old.getType(), result));
      } else {
        results.push_back(result);
      }
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct ExpandFloatCastsPass : sawtooth::impl::ExpandFloatCastsBase<ExpandFloatCastsPass> {
  void runOnOperation() override {
    // Two walks, since one does not see the casts that it makes.
    RewritePatternSet arithmetic(&getContext()), casts(&getContext());
    arithmetic.add<WidenNarrowArithmetic>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(arithmetic));
    populateExpandFloatCastsPatterns(casts);
    walkAndApplyPatterns(getOperation(), std::move(casts));
  }
};
} // namespace

void sawtooth::populateExpandFloatCastsPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandTruncF, ExpandExtF>(patterns.getContext());
}
