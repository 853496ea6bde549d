// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Forward.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace sawtooth;

/// A tensor that holds `value` everywhere.
static Value filled(OpBuilder &builder, Location location, Value value, RankedTensorType type) {
  Value empty = tensor::EmptyOp::create(builder, location, type.getShape(), type.getElementType());
  return linalg::FillOp::create(builder, location, value, empty).getResult(0);
}

namespace {
struct ScaleOfTensor : OpRewritePattern<amp::ScaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(amp::ScaleOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
    if (!type || !type.hasStaticShape())
      return failure();
    Location location = op.getLoc();
    Type f32 = rewriter.getF32Type(), element = type.getElementType();
    Value scale = amp::ReadOp::create(rewriter, location, f32, op.getScalerAttr());
    Value empty = tensor::EmptyOp::create(rewriter, location, type.getShape(), element);
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
    // In f32, then rounded to the tensor's type.
    auto convert = [](OpBuilder &builder, Location location, Value value, Type to) -> Value {
      unsigned from = value.getType().getIntOrFloatBitWidth(), width = to.getIntOrFloatBitWidth();
      if (from < width)
        return arith::ExtFOp::create(builder, location, to, value);
      if (from > width)
        return arith::TruncFOp::create(builder, location, to, value);
      return value;
    };
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, TypeRange{type}, ValueRange{op.getValue()}, ValueRange{empty},
        ArrayRef<AffineMap>{identity, identity}, loops,
        [&](OpBuilder &builder, Location location, ValueRange elements) {
          Value wide = convert(builder, location, elements[0], f32);
          Value product = arith::MulFOp::create(builder, location, wide, scale);
          Value stored = convert(builder, location, product, element);
          linalg::YieldOp::create(builder, location, stored);
        });
    return success();
  }
};

struct LogOfTensor : OpRewritePattern<amp::LogOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(amp::LogOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
    if (!type || !type.hasStaticShape() || type.getNumElements() != 1)
      return failure();
    // Step values are no narrower than f32.
    Value tensor = op.getValue();
    if (Type element = type.getElementType(); element.isF16() || element.isBF16())
      tensor =
          arith::ExtFOp::create(rewriter, op.getLoc(), type.clone(rewriter.getF32Type()), tensor);
    Value zero = arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0);
    SmallVector<Value> indices(type.getRank(), zero);
    Value scalar = tensor::ExtractOp::create(rewriter, op.getLoc(), tensor, indices);
    rewriter.modifyOpInPlace(op, [&] { op.getValueMutable().assign(scalar); });
    return success();
  }
};

struct SplatToFill : OpRewritePattern<tensor::SplatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::SplatOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().hasStaticShape())
      return failure();
    rewriter.replaceOp(op, filled(rewriter, op.getLoc(), op.getInput(), op.getType()));
    return success();
  }
};

struct SingleElementToFill : OpRewritePattern<tensor::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getElements().size() != 1)
      return failure();
    rewriter.replaceOp(op, filled(rewriter, op.getLoc(), op.getElements()[0], op.getType()));
    return success();
  }
};

struct ConstantToFill : OpRewritePattern<arith::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, PatternRewriter &rewriter) const override {
    auto elements = dyn_cast<SplatElementsAttr>(op.getValue());
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!elements || !type)
      return failure();
    auto value = dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>());
    if (!value)
      return failure();
    Value scalar = arith::ConstantOp::create(rewriter, op.getLoc(), value);
    rewriter.replaceOp(op, filled(rewriter, op.getLoc(), scalar, type));
    return success();
  }
};

/// Named ops with their arithmetic written out. linalg.fill stays: it is the start of a reduction.
struct WriteOut : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op, PatternRewriter &rewriter) const override {
    if (isa<linalg::GenericOp, linalg::FillOp>(op))
      return failure();
    return linalg::generalizeNamedOp(rewriter, op);
  }
};
} // namespace

/// A producer is fused where nothing is computed twice and no loop gets longer.
static bool isFusable(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return producer && consumer && producer->getNumResults() == 1 && producer->hasOneUse() &&
         consumer.getNumParallelLoops() == consumer.getNumLoops() &&
         producer.getNumLoops() == consumer.getNumLoops() && consumer.isDpsInput(operand);
}

static LogicalResult rewrite(amp::StepOp step,
                             llvm::function_ref<void(RewritePatternSet &)> populate) {
  RewritePatternSet patterns(step.getContext());
  populate(patterns);
  return applyPatternsGreedily(step, std::move(patterns));
}

LogicalResult sawtooth::simplifyForward(amp::StepOp step) {
  auto intoLinalg = [](RewritePatternSet &patterns) {
    patterns.add<ScaleOfTensor, LogOfTensor, SplatToFill, SingleElementToFill, WriteOut>(
        patterns.getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  };
  auto fuse = [](RewritePatternSet &patterns) {
    linalg::populateElementwiseOpsFusionPatterns(patterns, isFusable);
  };
  // Last: greedy rewriting folds fills of constants back into constants.
  auto constants = [](RewritePatternSet &patterns) {
    patterns.add<ConstantToFill>(patterns.getContext());
  };
  if (failed(rewrite(step, intoLinalg)) || failed(rewrite(step, fuse)) ||
      failed(rewrite(step, constants)))
    return failure();
  IRRewriter rewriter(step.getContext());
  DominanceInfo dominance(step);
  eliminateCommonSubExpressions(rewriter, dominance, step);
  return success();
}
