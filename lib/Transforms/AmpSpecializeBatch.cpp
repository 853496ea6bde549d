// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `?` in the tensor types of steps becomes the batch size.
#include "amp/Amp.h"
#include "sawtooth/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace sawtooth {
#define GEN_PASS_DEF_AMPSPECIALIZEBATCH
#include "sawtooth/Transforms/Passes.h.inc"
} // namespace sawtooth

using namespace mlir;
using namespace sawtooth;

static bool isDynamic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

/// The first place in the step with a `?`: an argument, else an op with such a result.
static std::optional<std::pair<Location, Type>> findDynamic(amp::StepOp step) {
  for (BlockArgument argument : step.getBody().getArguments())
    if (isDynamic(argument.getType()))
      return std::pair(argument.getLoc(), argument.getType());
  std::optional<std::pair<Location, Type>> found;
  step.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (isDynamic(type)) {
        found = std::pair(op->getLoc(), type);
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return found;
}

static void specialize(amp::StepOp step, int64_t batch) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<Type> {
    if (type.hasStaticShape())
      return std::nullopt;
    SmallVector<int64_t> shape(type.getShape());
    llvm::replace(shape, ShapedType::kDynamic, batch);
    return type.clone(shape);
  });
  replacer.recursivelyReplaceElementsIn(step, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  // Their sizes are now in the type.
  step.walk([](tensor::EmptyOp op) { op.getDynamicSizesMutable().clear(); });
}

/// The batch size that the module's `amp.run` gives, 0 for none.
static int64_t defaultBatch(ModuleOp module) {
  for (auto run : module.getOps<amp::RunOp>())
    if (std::optional<uint64_t> batch = run.getBatch())
      return static_cast<int64_t>(*batch);
  return 0;
}

namespace {
struct AmpSpecializeBatch : sawtooth::impl::AmpSpecializeBatchBase<AmpSpecializeBatch> {
  using Base::Base;

  void runOnOperation() override {
    int64_t size = batch ? batch : defaultBatch(getOperation());
    for (auto step : getOperation().getOps<amp::StepOp>()) {
      auto dynamic = findDynamic(step);
      if (!dynamic)
        continue;
      if (size < 1) {
        emitError(dynamic->first) << "expected a batch size of at least 1 for the '?' of "
                                  << dynamic->second << ", got " << size
                                  << "; give one as an option, or amp.run {batch = ...}";
        return signalPassFailure();
      }
      specialize(step, size);
      ++specialized;
    }
  }
};
} // namespace
