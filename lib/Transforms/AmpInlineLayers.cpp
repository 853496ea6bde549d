// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// amp.call becomes a copy of the layer's body, with the shapes and the storage type of its
// arguments.
#include "Layers.h"
#include "amp/Amp.h"
#include "sawtooth/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace sawtooth {
#define GEN_PASS_DEF_AMPINLINELAYERS
#include "sawtooth/Transforms/Passes.h.inc"
} // namespace sawtooth

using namespace mlir;
using namespace sawtooth;

/// `value` as a tensor of another, compatible type.
static Value castTo(OpBuilder &builder, Location location, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, location, type, value);
}

/// Ops of a copied layer say where they stand in its file and who called it.
static void nameCaller(Operation *root, Location caller) {
  root->walk([&](Operation *op) { op->setLoc(CallSiteLoc::get(op->getLoc(), caller)); });
}

/// Replaces `call` by a copy of `layer`'s body.
static void inlineLayer(Operation *call, func::FuncOp layer) {
  OpBuilder builder(call);
  IRMapping mapping;
  for (auto [argument, value] : llvm::zip(layer.getArguments(), call->getOperands()))
    mapping.map(argument, castTo(builder, call->getLoc(), value, argument.getType()));
  Block &body = layer.getBody().front();
  for (Operation &op : body.without_terminator())
    nameCaller(builder.clone(op, mapping), call->getLoc());
  for (auto [result, returned] : llvm::zip(call->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(
        castTo(builder, call->getLoc(), mapping.lookup(returned), result.getType()));
  call->erase();
}

/// Folds the casts at the borders into the ops between them, which makes every shape static.
static LogicalResult propagateShapes(amp::StepOp step) {
  MLIRContext *context = step.getContext();
  RewritePatternSet patterns(context);
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    op.getCanonicalizationPatterns(patterns, context);
  return applyPatternsGreedily(step, std::move(patterns));
}

static LogicalResult checkShapes(amp::StepOp step) {
  WalkResult result = step.walk([](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && !tensor.hasStaticShape()) {
        op->emitError() << "expected a shape that follows from the arguments of the layer, got "
                        << tensor;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct AmpInlineLayers : sawtooth::impl::AmpInlineLayersBase<AmpInlineLayers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    LayerLibrary library(module);
    for (auto step : llvm::make_early_inc_range(module.getOps<amp::StepOp>())) {
      // A call that a copy brings in stands where the call was: the walk goes on until none is
      // left.
      bool any = false;
      while (Operation *call = findLayerCall(step)) {
        FailureOr<func::FuncOp> layer = library.instantiate(call);
        if (failed(layer))
          return signalPassFailure();
        inlineLayer(call, *layer);
        ++inlined;
        any = true;
      }
      if (any && (failed(propagateShapes(step)) || failed(checkShapes(step))))
        return signalPassFailure();
    }
    library.eraseUsed();
  }
};
} // namespace
