// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Analysis/CostModel.h"

#include <map>

using namespace sawtooth;

EarliestLevels::EarliestLevels(const SweepGraph &graph) : last(graph.models, 0) {
  llvm::SmallVector<SweepGraph::Set> needs = graph.getNeeds();
  auto levelAfter = [&](const SweepGraph::Set &set) {
    unsigned level = 1;
    for (unsigned need : set.set_bits())
      level = std::max(level, reductions[need] + 1);
    return level;
  };
  auto add = [&](unsigned level, unsigned model) {
    last[model] = std::max(last[model], level);
    return level;
  };
  // A reduction needs only earlier ones, so one pass in order finds every level.
  for (const SweepGraph::Reduction &reduction : graph.reductions)
    reductions.push_back(
        add(levelAfter(needs[reduction.value]), graph.values[reduction.value].model));
  llvm::SmallVector<SweepGraph::Set> storeNeeds = graph.getStoreNeeds(needs);
  for (auto [store, set] : llvm::zip(graph.stores, storeNeeds))
    stores.push_back(add(levelAfter(set), graph.lists[store.list].model));
}

int sawtooth::getScratchFlag(const SweepGraph &graph, unsigned value) {
  llvm::SmallVector<bool> above(graph.values.size(), false);
  above[value] = true;
  for (unsigned user = value + 1; user < graph.values.size(); ++user)
    above[user] = llvm::any_of(graph.values[user].operands, [&](unsigned i) { return above[i]; });
  std::optional<int> flag;
  auto meet = [&](unsigned used, int other) {
    if (above[used])
      flag = flag.value_or(other) == other ? other : SweepGraph::kAlways;
  };
  for (const SweepGraph::Reduction &reduction : graph.reductions)
    meet(reduction.value, reduction.flag);
  for (const SweepGraph::Store &store : graph.stores)
    meet(store.value, store.flag);
  return flag.value_or(SweepGraph::kAlways);
}

CostModel::CostModel(const SweepGraph &graph)
    : graph(graph), valueNeeds(graph.getNeeds()), storeNeeds(graph.getStoreNeeds(valueNeeds)) {}

bool CostModel::isOrdered(const CutPlan &plan) const {
  auto isAfter = [&](unsigned level, const SweepGraph::Set &needs) {
    return llvm::all_of(needs.set_bits(),
                        [&](unsigned need) { return plan.reductionLevel[need] < level; });
  };
  for (auto [reduction, level] : llvm::zip(graph.reductions, plan.reductionLevel))
    if (!isAfter(level, valueNeeds[reduction.value]))
      return false;
  for (auto [needs, level] : llvm::zip(storeNeeds, plan.storeLevel))
    if (!isAfter(level, needs))
      return false;
  return llvm::all_of(plan.scratch, [&](const CutPlan::Scratch &scratch) {
    return isAfter(scratch.level, valueNeeds[scratch.value]);
  });
}

std::optional<PlanCost> CostModel::evaluate(const CutPlan &plan) const {
  if (!isOrdered(plan))
    return std::nullopt;
  unsigned levels = 0;
  for (unsigned level : llvm::concat<const unsigned>(plan.reductionLevel, plan.storeLevel))
    levels = std::max(levels, level);
  PlanCost cost;
  for (unsigned level = 1; level <= levels; ++level) {
    for (unsigned model = 0; model < graph.models; ++model) {
      PassCost pass;
      pass.level = level;
      pass.model = model;
      for (auto [index, reduction] : llvm::enumerate(graph.reductions))
        if (plan.reductionLevel[index] == level && graph.values[reduction.value].model == model)
          pass.reductions.push_back(index);
      for (auto [index, store] : llvm::enumerate(graph.stores))
        if (plan.storeLevel[index] == level && graph.lists[store.list].model == model)
          pass.stores.push_back(index);
      for (auto [index, scratch] : llvm::enumerate(plan.scratch))
        if (scratch.level == level && graph.values[scratch.value].model == model)
          pass.scratch.push_back(index);
      if (pass.reductions.empty() && pass.stores.empty() && pass.scratch.empty())
        continue;
      std::optional<PassCost> best = evaluatePass(plan, pass);
      if (!best)
        return std::nullopt;
      cost.bytes += best->bytesRead + best->bytesWritten;
      if (best->gate == SweepGraph::kAlways)
        cost.skippedBytes += best->bytesRead + best->bytesWritten;
      cost.passes.push_back(std::move(*best));
    }
  }
  return cost;
}

namespace {

/// What a pass reads when it may load the given stored values.
class Reader {
public:
  Reader(const SweepGraph &graph, const CutPlan &plan, unsigned level)
      : graph(graph), overwritten(graph.lists.size(), false) {
    for (auto [store, storeLevel] : llvm::zip(graph.stores, plan.storeLevel))
      if (storeLevel < level)
        overwritten[store.list] = true;
  }

  /// A value that an earlier pass left in a list of its own.
  struct Load {
    unsigned value;
    int flag; // it was written under
    bool isChosen = false, isUsed = false;
  };
  llvm::SmallVector<Load> loads;
  llvm::SmallVector<bool> listsRead;

  /// Starts over with the loads chosen by the bits of `choice`.
  void reset(unsigned choice) {
    listsRead.assign(graph.lists.size(), false);
    visited.clear();
    for (auto [index, load] : llvm::enumerate(loads)) {
      load.isChosen = choice >> index & 1;
      load.isUsed = false;
    }
  }

  /// Adds what `value` is computed from, for something that matters under `flag`; false when an
  /// old element is needed that was overwritten.
  bool require(unsigned value, int flag) {
    llvm::SmallVector<bool> &seen = visited[flag];
    seen.resize(graph.values.size(), false);
    return visit(value, flag, seen);
  }

private:
  bool visit(unsigned index, int flag, llvm::SmallVector<bool> &seen) {
    if (seen[index])
      return true;
    seen[index] = true;
    // What was written under a flag is what we mean only where that flag is true.
    for (Load &load : loads)
      if (load.isChosen && load.value == index &&
          (load.flag == SweepGraph::kAlways || load.flag == flag))
        return load.isUsed = true;
    const SweepGraph::Value &value = graph.values[index];
    if (value.list >= 0) {
      listsRead[value.list] = true;
      return !overwritten[value.list];
    }
    return llvm::all_of(value.operands,
                        [&](unsigned operand) { return visit(operand, flag, seen); });
  }

  const SweepGraph &graph;
  llvm::SmallVector<bool> overwritten;
  std::map<int, llvm::SmallVector<bool>> visited;
};

} // namespace

std::optional<PassCost> CostModel::evaluatePass(const CutPlan &plan, PassCost pass) const {
  Reader reader(graph, plan, pass.level);
  llvm::SmallVector<unsigned> stores, scratches; // that can be loaded, in the order of `loads`
  for (auto [index, store] : llvm::enumerate(graph.stores))
    if (plan.storeLevel[index] < pass.level && graph.lists[store.list].model == pass.model) {
      stores.push_back(index);
      reader.loads.push_back({store.value, store.flag});
    }
  for (auto [index, scratch] : llvm::enumerate(plan.scratch))
    if (scratch.level < pass.level && graph.values[scratch.value].model == pass.model) {
      scratches.push_back(index);
      reader.loads.push_back({scratch.value, getScratchFlag(graph, scratch.value)});
    }

  // Each output's value, and the flag under which it matters.
  llvm::SmallVector<std::pair<unsigned, int>> outputs;
  for (unsigned index : pass.reductions)
    outputs.emplace_back(graph.reductions[index].value, graph.reductions[index].flag);
  for (unsigned index : pass.stores) {
    outputs.emplace_back(graph.stores[index].value, graph.stores[index].flag);
    pass.bytesWritten += graph.lists[graph.stores[index].list].bytes;
  }
  for (unsigned index : pass.scratch) {
    unsigned value = plan.scratch[index].value;
    outputs.emplace_back(value, getScratchFlag(graph, value));
    pass.bytesWritten += graph.values[value].bytes;
  }

  // Few values are ever kept, so every choice is tried; fewest bytes, then fewest loads.
  std::optional<PassCost> best;
  unsigned count = std::min<size_t>(reader.loads.size(), 8);
  for (unsigned choice = 0; choice < 1u << count; ++choice) {
    reader.reset(choice);
    if (!llvm::all_of(outputs,
                      [&](auto &output) { return reader.require(output.first, output.second); }))
      continue;
    PassCost cost = pass;
    for (auto [index, load] : llvm::enumerate(reader.loads)) {
      if (!load.isUsed)
        continue;
      if (index < stores.size()) {
        cost.loadedStores.push_back(stores[index]);
        reader.listsRead[graph.stores[stores[index]].list] = true;
      } else {
        cost.loadedScratch.push_back(scratches[index - stores.size()]);
        cost.bytesRead += graph.values[load.value].bytes;
      }
    }
    for (auto [index, isRead] : llvm::enumerate(reader.listsRead))
      if (isRead) {
        cost.reads.push_back(index);
        cost.bytesRead += graph.lists[index].bytes;
      }
    if (!best || cost.bytesRead < best->bytesRead)
      best = cost;
  }
  if (!best)
    return std::nullopt;

  // A pass all of whose outputs matter under one flag that is already known need not run without.
  int flag = outputs.front().second;
  if (flag != SweepGraph::kAlways &&
      llvm::all_of(outputs, [&](auto &output) { return output.second == flag; })) {
    if (llvm::all_of(graph.flags[flag].needs,
                     [&](unsigned need) { return plan.reductionLevel[need] < pass.level; }))
      best->gate = flag;
  }
  return best;
}
