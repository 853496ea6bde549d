// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What direct use-def chains tell of a value: its loss scale, its clips, the tests behind a flag.
#include "amp/Verify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace sawtooth::amp;

//===------------------------------------------------------------------------------------------===//
// Scaling
//===------------------------------------------------------------------------------------------===//

/// Starts from what a declaration says.
static void addUnits(Scaling &scaling, Attribute units) {
  scaling.known = true;
  if (auto array = dyn_cast_or_null<ArrayAttr>(units))
    for (auto unit : array.getAsRange<FlatSymbolRefAttr>())
      ++scaling.powers[unit];
}

Scaling sawtooth::amp::getDeclaredScaling(Attribute units) {
  Scaling scaling;
  addUnits(scaling, units);
  return scaling;
}

Scaling sawtooth::amp::findScaling(Value value, Lookup lookup) {
  // A chain is followed from its end; powers may be added up in any order.
  Scaling scaling;
  while (Operation *op = value.getDefiningOp()) {
    if (isa<CastOp, ClipByNormOp, ClipByValueOp, NormOp, LeafOp>(op)) {
      if (op->getNumOperands() == 0)
        return {};
      value = op->getOperand(0);
      continue;
    }
    if (auto scale = dyn_cast<ScaleOp>(op)) {
      ++scaling.powers[scale.getScalerAttr()];
      value = scale.getValue();
      continue;
    }
    if (auto unscale = dyn_cast<UnscaleOp>(op)) {
      --scaling.powers[unscale.getScalerAttr()];
      if (!scaling.unscaled)
        scaling.unscaled = unscale;
      value = unscale.getValue();
      continue;
    }
    if (auto pack = dyn_cast<PackOp>(op)) {
      // Without the attribute nothing is certain: the tensors come from a backward pass.
      if (auto units = pack->getAttrOfType<ArrayAttr>(kPackScaledByAttr))
        addUnits(scaling, units);
    } else if (auto read = dyn_cast<ReadOp>(op)) {
      if (auto state = dyn_cast_or_null<StateOp>(lookup(read.getStateAttr())))
        addUnits(scaling, state.getScaledByAttr());
    }
    break;
  }
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto step = dyn_cast<StepOp>(argument.getOwner()->getParentOp()))
      addUnits(scaling, step.getArgAttr(argument.getArgNumber(), kScaledByAttr));
  scaling.origin = value;
  scaling.powers.remove_if([](const auto &entry) { return entry.second == 0; });
  return scaling;
}

//===------------------------------------------------------------------------------------------===//
// Clips and flags
//===------------------------------------------------------------------------------------------===//

llvm::SetVector<ClipByNormOp> sawtooth::amp::findClips(Value value) {
  llvm::SetVector<ClipByNormOp> clips;
  llvm::SetVector<Operation *> work;
  if (Operation *op = value.getDefiningOp())
    work.insert(op);
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i];
    if (auto clip = dyn_cast<ClipByNormOp>(op))
      clips.insert(clip);
    if (!isa<ApplyOp, CastOp, ClipByNormOp, ClipByValueOp, MapOp, ScaleOp, UnscaleOp>(op))
      continue;
    for (Value operand : op->getOperands())
      if (isa<TensorsType>(operand.getType()))
        if (Operation *definition = operand.getDefiningOp())
          work.insert(definition);
  }
  return clips;
}

llvm::DenseSet<Value> sawtooth::amp::findTested(Value flag) {
  llvm::DenseSet<Value> tested;
  llvm::SetVector<Operation *> work;
  if (Operation *op = flag.getDefiningOp())
    work.insert(op);
  for (size_t i = 0; i < work.size(); ++i) {
    if (auto test = dyn_cast<IsFiniteOp>(work[i])) {
      tested.insert(test.getValues().begin(), test.getValues().end());
      continue;
    }
    // Only a conjunction is false whenever one of its operands is.
    if (isa<arith::AndIOp>(work[i]))
      for (Value operand : work[i]->getOperands())
        if (Operation *definition = operand.getDefiningOp())
          work.insert(definition);
  }
  return tested;
}

//===------------------------------------------------------------------------------------------===//
// 16-bit accumulators
//===------------------------------------------------------------------------------------------===//

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

bool sawtooth::amp::accumulatesInHalf(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() == 0)
    return false;
  // Maxima and minima are exact in any type; sums and products are not.
  return op->getRegion(0)
      .walk([](Operation *inner) {
        bool rounds = isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(inner);
        return rounds && isHalf(inner->getResult(0).getType()) ? WalkResult::interrupt()
                                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult sawtooth::amp::verifyAccumulation(Operation *root) {
  bool valid = true;
  root->walk([&](linalg::LinalgOp op) {
    if (!accumulatesInHalf(op))
      return;
    Attribute choice = op->getAttr(kAccumulateAttr);
    if (choice == StringAttr::get(op->getContext(), "any"))
      return;
    valid = false;
    Type type = getElementTypeOrSelf(op->getOpOperands().back().get().getType());
    InFlightDiagnostic diag = op->emitOpError("expected a reduction to accumulate in f32, got ")
                              << type;
    diag.attachNote() << "give it an f32 result and narrow that, or give up the order of the sum "
                         "with {amp.accumulate = \"any\"}";
  });
  return success(valid);
}
