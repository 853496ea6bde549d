// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds layers and copies them for the storage type that they are called with.
#include "Layers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sawtooth;

static FlatSymbolRefAttr getCallee(Operation *call) {
  if (auto layer = dyn_cast<amp::CallOp>(call))
    return layer.getCalleeAttr();
  return cast<func::CallOp>(call).getCalleeAttr();
}

Operation *sawtooth::findLayerCall(amp::StepOp step) {
  Operation *found = nullptr;
  step.walk([&](Operation *op) {
    if (!isa<amp::CallOp, func::CallOp>(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// Layer files are written in f16. The storage type of a call is the element type of the arguments
/// that stand where the file says f16; null when there are none.
static FailureOr<Type> storageType(Operation *call, func::FuncOp layer) {
  Type storage;
  unsigned first = 0;
  for (unsigned index = 0; index < layer.getNumArguments(); ++index) {
    if (!getElementTypeOrSelf(layer.getArgumentTypes()[index]).isF16())
      continue;
    Type actual = getElementTypeOrSelf(call->getOperand(index).getType());
    if (!isa<Float16Type, BFloat16Type, Float32Type>(actual)) {
      call->emitError() << "expected argument " << index << " of @" << layer.getName()
                        << " to have elements of f16, bf16 or f32, got " << actual;
      return failure();
    }
    if (storage && storage != actual) {
      call->emitError() << "expected one storage type for the arguments of @" << layer.getName()
                        << ", got " << storage << " for argument " << first << " and " << actual
                        << " for argument " << index;
      return failure();
    }
    if (!storage)
      first = index;
    storage = actual;
  }
  return storage;
}

/// f16 becomes `storage` in every type and constant of the layer.
static void replaceStorage(func::FuncOp layer, Type storage) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](Float16Type) -> Type { return storage; });
  replacer.addReplacement([&](FloatAttr attr) -> std::optional<Attribute> {
    if (!attr.getType().isF16())
      return std::nullopt;
    return FloatAttr::get(storage, attr.getValueAsDouble());
  });
  replacer.recursivelyReplaceElementsIn(layer, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  // In f32 the casts to and from storage go from f32 to f32.
  layer.walk([](Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
        op->getOperand(0).getType() == op->getResult(0).getType()) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    }
  });
}

/// Named ops hide their arithmetic in a region that does not print; written out, the storage type
/// can be replaced in it and everybody sees what is computed. arith and math on tensors become
/// linalg ops too: those take on the shapes of their operands.
static LogicalResult writeOut(func::FuncOp layer) {
  SmallVector<linalg::LinalgOp> named;
  layer.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::FillOp>(op))
      named.push_back(op);
  });
  IRRewriter rewriter(layer.getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    Location location = op.getLoc();
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return emitError(location) << "expected an op that linalg.generic can say, got '"
                                 << op->getName() << "'";
  }
  RewritePatternSet patterns(layer.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  return applyPatternsGreedily(layer, std::move(patterns));
}

/// Layers that call layers nest this deep at most; one that calls itself nests for ever.
static constexpr unsigned maxDepth = 32;

/// How many copied layers an op stands in, by its location.
static unsigned depthOf(Location location) {
  unsigned depth = 0;
  while (auto site = dyn_cast<CallSiteLoc>(location)) {
    location = site.getCaller();
    ++depth;
  }
  return depth;
}

FailureOr<func::FuncOp> LayerLibrary::instantiate(Operation *call) {
  FlatSymbolRefAttr name = getCallee(call);
  auto layer = symbols.lookup<func::FuncOp>(name.getValue());
  if (!layer || layer.isExternal() || !layer.getBody().hasOneBlock()) {
    call->emitError() << "expected @" << name.getValue()
                      << " to be a function with a body of one block";
    return failure();
  }
  if (depthOf(call->getLoc()) > maxDepth) {
    call->emitError() << "expected at most " << maxDepth << " layers within each other, got @"
                      << layer.getName() << " calling itself";
    return failure();
  }
  if (call->getNumOperands() != layer.getNumArguments()) {
    call->emitError() << "expected " << layer.getNumArguments() << " arguments of @"
                      << layer.getName() << ", got " << call->getNumOperands();
    return failure();
  }
  FailureOr<Type> storage = storageType(call, layer);
  if (failed(storage))
    return failure();
  OwningOpRef<func::FuncOp> &instance = instances[{layer, *storage}];
  if (!instance) {
    instance = layer.clone();
    if (failed(writeOut(*instance)))
      return failure();
    if (*storage && !storage->isF16())
      replaceStorage(*instance, *storage);
  }
  if (failed(checkLayerCall(call, *instance)))
    return failure();
  return *instance;
}

void LayerLibrary::eraseUsed() {
  llvm::SmallSetVector<Operation *, 8> called;
  for (auto &entry : instances)
    called.insert(entry.first.first);
  instances.clear();
  for (Operation *layer : called)
    if (SymbolTable::symbolKnownUseEmpty(layer, symbols.getOp()))
      symbols.erase(layer);
}
