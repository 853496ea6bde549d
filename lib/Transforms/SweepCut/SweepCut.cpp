// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sweep-cut: a step becomes scalar programs and the fewest passes over memory.
#include "SweepCut.h"

#include "sawtooth/Analysis/CutSearch.h"
#include "sawtooth/Analysis/LowerBound.h"
#include "sawtooth/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::sweepcut;

namespace sawtooth {
#define GEN_PASS_DEF_SWEEPCUT
#include "sawtooth/Transforms/Passes.h.inc"
} // namespace sawtooth

/// A flag that is a constant is none: its write happens always, or never.
static void foldFlags(sweep::StepOp step) {
  step.walk([](Operation *op) {
    if (!isa<sweep::StoreOp, sweep::SetOp>(op) || op->getNumOperands() < 2)
      return;
    if (matchPattern(op->getOperand(1), m_One()))
      op->eraseOperand(1);
    else if (matchPattern(op->getOperand(1), m_Zero()))
      op->erase();
  });
}

static LogicalResult cut(sweep::StepOp step) {
  foldFlags(step);
  FailureOr<Extents> extents = Extents::compute(step);
  if (failed(extents))
    return failure();
  StepGraph graph = StepGraph::build(step, *extents);
  CutPlan plan = chooseCut(graph.graph);
  std::optional<PlanCost> cost = CostModel(graph.graph).evaluate(plan);
  if (!cost)
    return step.emitOpError("cannot be cut into passes: a list would be overwritten before it is "
                            "read for the last time");
  Schedule schedule(step, *extents, graph, plan, *cost);
  SmallVector<ArrayAttr> notes;
  annotate(step, graph, plan, *cost, schedule, computeLowerBound(graph.graph), notes);
  SmallVector<sweep::PassOp> passes = Emitter(step, *extents, graph, plan, schedule).run();
  for (auto [pass, note] : llvm::zip(passes, notes))
    if (!note.empty())
      pass.setNotesAttr(note);
  return success();
}

namespace {
struct SweepCut : sawtooth::impl::SweepCutBase<SweepCut> {
  void runOnOperation() final {
    for (auto step : getOperation().getOps<sweep::StepOp>())
      if (!step.getCut() && failed(cut(step)))
        return signalPassFailure();
  }
};
} // namespace
