// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

#include "sawtooth/Conversion/ForwardToKernel.h"
#include "sawtooth/Conversion/Passes.h"
#include "sawtooth/Conversion/PlanBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace sawtooth {
#define GEN_PASS_DEF_SWEEPTOKERNEL
#include "sawtooth/Conversion/Passes.h.inc"
} // namespace sawtooth

using namespace mlir;
using namespace sawtooth;

namespace {

struct SweepToKernel : sawtooth::impl::SweepToKernelBase<SweepToKernel> {
  using Base::Base;

  void runOnOperation() final;
  FailureOr<StepPlan> lowerStep(const Layout &layout, const StepLayout &step);
};

} // namespace

FailureOr<StepPlan> SweepToKernel::lowerStep(const Layout &layout, const StepLayout &step) {
  KernelContext context{getOperation(), layout, step, width};
  StepPlan plan;
  sweep::StepOp stepOp = step.op;
  std::string stepName = stepOp.getSymName().str();
  // Passes whose partials the next scalar program folds.
  SmallVector<sweep::PassOp> unfolded;
  for (Operation &op : stepOp.getBody().front()) {
    std::string prefix = stepName + "." + std::to_string(plan.actions.size()) + "_";
    ActionPlan action;
    if (auto scalar = dyn_cast<sweep::ScalarOp>(op)) {
      action.kind = SAWTOOTH_SCALAR;
      action.function = prefix + scalar.getLabel().str();
      if (failed(emitScalarProgram(context, scalar, unfolded, action.function)))
        return failure();
      unfolded.clear();
    } else if (auto pass = dyn_cast<sweep::PassOp>(op)) {
      FailureOr<ActionPlan> planned = planPass(pass, step, prefix + "pass");
      if (failed(planned) || failed(emitPass(context, pass, planned->function)))
        return failure();
      action = *planned;
      unfolded.push_back(pass);
    } else {
      FailureOr<ForwardKernels> forward =
          lowerForward(cast<sweep::ForwardOp>(op), layout, step, prefix, width);
      if (failed(forward))
        return failure();
      plan.arenaBytes = std::max(plan.arenaBytes, forward->arenaBytes);
      for (ParallelAction &parallel : forward->actions) {
        action.kind = SAWTOOTH_PARALLEL;
        action.function = parallel.function;
        action.units = parallel.units;
        plan.actions.push_back(action);
      }
      continue;
    }
    plan.actions.push_back(action);
  }
  return plan;
}

void SweepToKernel::runOnOperation() {
  ModuleOp module = getOperation();
  if (width != 8 && width != 16) {
    module.emitError("expected a width of 8 or 16, got ") << width;
    return signalPassFailure();
  }
  FailureOr<SmallVector<StepPlan>> steps =
      lowerSteps(module, "cpu", [&](const Layout &layout, const StepLayout &step) {
        return lowerStep(layout, step);
      });
  if (failed(steps))
    return signalPassFailure();

  Builder builder(&getContext());
  SmallVector<Attribute> functions;
  for (const StepPlan &step : *steps)
    for (const ActionPlan &action : step.actions)
      functions.push_back(FlatSymbolRefAttr::get(&getContext(), action.function));
  module->setAttr(kFunctionsAttr, builder.getArrayAttr(functions));
}
