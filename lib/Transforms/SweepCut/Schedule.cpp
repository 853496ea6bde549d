// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which program or pass computes what.
#include "SweepCut.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::sweepcut;

bool sweepcut::isConstant(Operation *op) { return op && op->hasTrait<OpTrait::ConstantLike>(); }

bool sweepcut::isEntryRead(Operation *op) {
  return isa_and_nonnull<sweep::GetOp, sweep::NumelOp, sweep::DimOp, sweep::RankOp>(op);
}

Schedule::Schedule(sweep::StepOp step, const Extents &extents, const StepGraph &graph,
                   const CutPlan &plan, const PlanCost &cost)
    : step(step), extents(extents), graph(graph), plan(plan) {
  for (const PassCost &pass : cost.passes)
    collectBody(pass);
  findTimes();
  place();
}

//===------------------------------------------------------------------------------------------===//
// Passes
//===------------------------------------------------------------------------------------------===//

void Schedule::requireValue(PassBody &body, PassBody::Group &group, Value value) {
  Operation *op = value.getDefiningOp();
  if (!extents.isElement(value)) {
    if (op && !isConstant(op))
      body.externals.insert(value);
    return;
  }
  if (group.loads.contains(graph.valueIndex.at(value)) || isa<sweep::ElementOp>(op) ||
      group.ops.contains(op))
    return;
  for (Value operand : op->getOperands())
    requireValue(body, group, operand);
  group.ops.insert(op);
}

void Schedule::collectBody(const PassCost &pass) {
  PassBody &body = passes.emplace_back();
  body.cost = &pass;
  const SweepGraph &plain = graph.graph;

  // Which loads an output may use depends on its flag, if any of them was written under one.
  llvm::SmallSetVector<int, 4> flags;
  for (unsigned index : pass.reductions)
    flags.insert(plain.reductions[index].flag);
  for (unsigned index : pass.stores)
    flags.insert(plain.stores[index].flag);
  for (unsigned index : pass.scratch)
    flags.insert(getScratchFlag(plain, plan.scratch[index].value));
  auto isFlagged = [&](int written) {
    return written != SweepGraph::kAlways && (flags.size() > 1 || !flags.contains(written));
  };
  for (unsigned index : pass.loadedStores)
    body.shared &= !isFlagged(plain.stores[index].flag);
  for (unsigned index : pass.loadedScratch)
    body.shared &= !isFlagged(getScratchFlag(plain, plan.scratch[index].value));
  for (int flag : flags) {
    PassBody::Group &group = body.getGroup(flag);
    auto mayLoad = [&](int written) {
      return body.shared || written == SweepGraph::kAlways || written == flag;
    };
    for (unsigned index : pass.loadedStores)
      if (mayLoad(plain.stores[index].flag))
        group.loads[plain.stores[index].value] =
            llvm::find(pass.reads, plain.stores[index].list) - pass.reads.begin();
    for (auto [position, index] : llvm::enumerate(pass.loadedScratch))
      if (mayLoad(getScratchFlag(plain, plan.scratch[index].value)))
        group.loads[plan.scratch[index].value] = pass.reads.size() + position;
  }

  for (unsigned index : pass.reductions)
    requireValue(body, body.getGroup(plain.reductions[index].flag),
                 graph.values[plain.reductions[index].value]);
  for (unsigned index : pass.stores) {
    requireValue(body, body.getGroup(plain.stores[index].flag),
                 graph.values[plain.stores[index].value]);
    if (int flag = plain.stores[index].flag; flag != SweepGraph::kAlways)
      if (Operation *op = graph.flags[flag].getDefiningOp(); op && !isConstant(op))
        body.externals.insert(graph.flags[flag]);
  }
  for (unsigned index : pass.scratch) {
    unsigned value = plan.scratch[index].value;
    requireValue(body, body.getGroup(getScratchFlag(plain, value)), graph.values[value]);
  }
  if (pass.gate != SweepGraph::kAlways)
    if (Operation *op = graph.flags[pass.gate].getDefiningOp(); op && !isConstant(op))
      body.externals.insert(graph.flags[pass.gate]);
}

//===------------------------------------------------------------------------------------------===//
// Programs
//===------------------------------------------------------------------------------------------===//

void Schedule::findTimes() {
  unsigned levels = 0;
  for (const PassBody &body : passes)
    levels = std::max(levels, body.cost->level);
  SmallVector<unsigned> forwardsIn(levels + 1, 0);
  for (Operation *op : graph.live) {
    std::pair<unsigned, unsigned> time = {0, 0};
    for (Value operand : op->getOperands())
      if (auto it = ready.find(operand.getDefiningOp()); it != ready.end())
        time = std::max(time, it->second);
    if (auto reduce = dyn_cast<sweep::ReduceOp>(op); reduce && extents.isElementReduction(reduce)) {
      unsigned index = llvm::find(graph.reductions, reduce) - graph.reductions.begin();
      time = {plan.reductionLevel[index], 0};
    }
    if (isa<sweep::ForwardOp>(op)) {
      ++time.second;
      forwardsIn[time.first] = std::max(forwardsIn[time.first], time.second);
    }
    ready[op] = time;
  }
  firstSlot.push_back(0);
  for (unsigned count : forwardsIn)
    firstSlot.push_back(firstSlot.back() + count + 1);
  for (Operation *op : graph.live)
    if (auto forward = dyn_cast<sweep::ForwardOp>(op))
      forwards[firstSlot[ready[op].first] + ready[op].second - 1].push_back(forward);
}

/// As late as the users allow: what only the end needs does not cross a cut.
void Schedule::place() {
  auto require = [&](Value value, unsigned slot) {
    Operation *op = value.getDefiningOp();
    if (!op || isConstant(op) || isa<sweep::ForwardOp>(op))
      return;
    if (auto reduce = dyn_cast<sweep::ReduceOp>(op); reduce && extents.isElementReduction(reduce))
      return;
    auto [it, isNew] = slots.try_emplace(op, slot);
    it->second = std::min(it->second, slot);
  };
  for (const PassBody &body : passes)
    for (Value value : body.externals)
      require(value, firstSlot[body.cost->level] - 1);
  for (auto &[slot, ops] : forwards)
    for (sweep::ForwardOp forward : ops)
      for (Value value : forward.getInputs()) {
        // No program of its own: a constant reaches it from the one before.
        if (Operation *op = value.getDefiningOp(); isConstant(op))
          slots.try_emplace(op, slot);
        require(value, slot);
      }
  for (Operation *op : llvm::reverse(graph.live)) {
    if (isa<sweep::SetOp, sweep::LogOp, sweep::OutcomeOp>(op))
      slots[op] = getSlotCount() - 1;
    std::optional<unsigned> slot = getSlot(op);
    if (!slot)
      continue;
    // Programs read fields and sizes themselves.
    for (Value operand : op->getOperands())
      if (!isEntryRead(operand.getDefiningOp()))
        require(operand, *slot);
  }
}
