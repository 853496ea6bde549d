// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The pass `expand-math`: picks the ops, widens to f64 and narrows once. The functions themselves
// are in ExpandMath<Function>.cpp.
#include "ExpandMathFunctions.h"
#include "OpaqueOperands.h"

#include "sawtooth/Transforms/MathPatterns.h"
#include "sawtooth/Transforms/Passes.h"

#include "amp/Amp.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace sawtooth {
#define GEN_PASS_DEF_EXPANDMATH
#include "sawtooth/Transforms/Passes.h.inc"
} // namespace sawtooth

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::expand;

/// Whether the expansions have a value of this type: a float of at most 64 bits, or a vector of
/// known shape of it.
static bool isExpandable(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return !vector.isScalable() && isExpandable(vector.getElementType());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

static Real widen(ImplicitLocOpBuilder &b, Value value) {
  Type wide = shapedLike(value.getType(), b.getF64Type());
  if (value.getType() != wide)
    value = arith::ExtFOp::create(b, wide, value);
  return {&b, value};
}

static Value narrow(Real value, Type type) {
  if (value.v.getType() == type)
    return value.v;
  return arith::TruncFOp::create(*value.b, type, value.v);
}

namespace {
/// A function of one argument.
template <typename OpTy, Real (*expand)(Real)>
struct ExpandUnary : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!isExpandable(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected a float of at most 64 bits");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, narrow(expand(widen(b, op.getOperand())), op.getType()));
    return success();
  }
};

struct ExpandPowF : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!isExpandable(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected a float of at most 64 bits");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Real result = expandPow(widen(b, op.getLhs()), widen(b, op.getRhs()));
    rewriter.replaceOp(op, narrow(result, op.getType()));
    return success();
  }
};

/// x^n by square and multiply. From the least significant bit of |n| up, x^(2^i) multiplies onto 1
/// for each bit i that is set; a negative n takes the reciprocal of the result.
struct ExpandPowi : OpRewritePattern<amp::PowiOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(amp::PowiOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Real base = widen(b, op.getBase());
    Value n = op.getExponent();
    Value zero = splat(b, n.getType(), b.getI64IntegerAttr(0));
    Value one = splat(b, n.getType(), b.getI64IntegerAttr(1));
    Value negative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, n, zero);
    // Of the least i64 this is 2^63 when read without sign, as it is from here on.
    Value size = arith::SelectOp::create(b, negative, arith::SubIOp::create(b, zero, n), n);

    auto condition = [&](OpBuilder &, Location, ValueRange values) {
      Value rest = values[2];
      if (auto vector = dyn_cast<VectorType>(rest.getType()))
        rest = vector::ReductionOp::create(b, vector::CombiningKind::OR, rest);
      Value none = splat(b, b.getI64Type(), b.getI64IntegerAttr(0));
      Value more = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest, none);
      scf::ConditionOp::create(b, more, values);
    };
    auto body = [&](OpBuilder &, Location, ValueRange values) {
      Real product{&b, values[0]}, power{&b, values[1]};
      Value bit = arith::AndIOp::create(b, values[2], one);
      Flag set{&b, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, zero)};
      Value rest = arith::ShRUIOp::create(b, values[2], one);
      scf::YieldOp::create(
          b, ValueRange{select(set, product * power, product).v, (power * power).v, rest});
    };
    auto insideOut = [&](auto &&build) {
      return [&b, build](OpBuilder &inner, Location loc, ValueRange values) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(inner.getInsertionBlock());
        build(inner, loc, values);
      };
    };
    SmallVector<Value> start{base.same(1.0).v, base.v, size};
    auto loop = scf::WhileOp::create(b, TypeRange(ValueRange(start)), start, insideOut(condition),
                                     insideOut(body));
    Real power{&b, loop.getResult(0)};
    Real result = select({&b, negative}, 1.0 / power, power);
    rewriter.replaceOp(op, narrow(nanWhere(isNaN(result), result), op.getType()));
    return success();
  }
};

struct DropOpaque : OpRewritePattern<amp::OpaqueOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(amp::OpaqueOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.getValue());
    return success();
  }
};

struct ExpandMathPass : sawtooth::impl::ExpandMathBase<ExpandMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    getOperation()->walk([&](Operation *op) {
      if (!isInexactMath(op) && !isa<arith::RemFOp>(op))
        return;
      op->emitError() << "'" << op->getName() << "' is not in the numerics contract; expected one "
                      << "of exp, log, tanh, erf, cos, powf, sqrt, fma, absf, copysign, floor, "
                      << "ceil, trunc, round, roundeven on floats of at most 64 bits";
      signalPassFailure();
    });
  }
};
} // namespace

void sawtooth::populateExpandMathPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandUnary<math::ExpOp, expandExp>, ExpandUnary<math::LogOp, expandLog>,
               ExpandUnary<math::TanhOp, expandTanh>, ExpandUnary<math::ErfOp, expandErf>,
               ExpandUnary<math::CosOp, expandCos>, ExpandPowF, ExpandPowi, DropOpaque>(
      patterns.getContext());
}
