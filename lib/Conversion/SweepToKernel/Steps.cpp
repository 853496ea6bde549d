// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What every lowering of cut steps does around the kernels.
#include "Kernels.h"

using namespace mlir;
using namespace sawtooth;

FailureOr<ActionPlan> sawtooth::planPass(sweep::PassOp pass, const StepLayout &step,
                                         std::string name) {
  ActionPlan action;
  action.kind = SAWTOOTH_PASS;
  action.function = std::move(name);
  action.pass = pass;
  if (!pass.getGate())
    return action;
  auto it = step.values.find(pass.getGate());
  if (it == step.values.end())
    return pass.emitOpError("expected a result of a scalar program as the flag of a pass, got an "
                            "argument of the step");
  action.flag = it->second;
  return action;
}

/// Checks that a scalar program stands between a pass and every use of its results.
static LogicalResult checkFolded(sweep::StepOp step) {
  llvm::SmallPtrSet<Operation *, 4> unfolded;
  for (Operation &op : step.getBody().front()) {
    if (isa<sweep::ScalarOp>(op)) {
      unfolded.clear();
      continue;
    }
    WalkResult result = op.walk([&](Operation *user) {
      for (Value operand : user->getOperands())
        if (Operation *pass = operand.getDefiningOp(); pass && unfolded.contains(pass)) {
          op.emitOpError("expected a scalar program between a pass and the use of its results");
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    if (isa<sweep::PassOp>(op))
      unfolded.insert(&op);
  }
  return success();
}

/// Erases what kernels and plan have replaced: declarations, steps and their forward parts.
static void eraseSteps(ModuleOp module) {
  SmallVector<Operation *> done;
  for (sweep::StepOp step : module.getOps<sweep::StepOp>())
    step.walk([&](sweep::ForwardOp forward) {
      Operation *callee = SymbolTable::lookupSymbolIn(module, forward.getCalleeAttr());
      if (!llvm::is_contained(done, callee))
        done.push_back(callee);
    });
  for (Operation &op : *module.getBody())
    if (isa<amp::AmpDialect, sweep::SweepDialect>(op.getDialect()))
      done.push_back(&op);
  for (Operation *op : done)
    op->erase();
}

FailureOr<SmallVector<StepPlan>> sawtooth::lowerSteps(
    ModuleOp module, StringRef target,
    llvm::function_ref<FailureOr<StepPlan>(const Layout &, const StepLayout &)> lower) {
  for (sweep::StepOp step : module.getOps<sweep::StepOp>())
    if (failed(checkFolded(step)))
      return failure();
  FailureOr<Layout> layout = Layout::compute(module);
  if (failed(layout))
    return failure();
  SmallVector<StepPlan> steps;
  for (const StepLayout &step : layout->steps()) {
    FailureOr<StepPlan> plan = lower(*layout, step);
    if (failed(plan))
      return failure();
    steps.push_back(std::move(*plan));
  }
  FailureOr<std::string> plan = buildPlan(module, *layout, steps, target);
  if (failed(plan))
    return failure();
  module->setAttr(kPlanAttr, StringAttr::get(module.getContext(), *plan));
  eraseSteps(module);
  return steps;
}
