// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Analysis/CutSearch.h"

#include <tuple>

using namespace sawtooth;

namespace {

class Search {
public:
  explicit Search(const SweepGraph &graph) : graph(graph), model(graph), earliest(graph) {}

  CutPlan run() {
    start();
    while (tryLevels() || tryScratch())
      ;
    return best;
  }

private:
  // Bytes, scratch lists, bytes of a skipped step, levels that stores are early by: less is better,
  // in this order.
  using Score = std::tuple<unsigned, unsigned, unsigned, unsigned>;

  std::optional<Score> score(const CutPlan &plan) const {
    std::optional<PlanCost> cost = model.evaluate(plan);
    if (!cost)
      return std::nullopt;
    unsigned early = 0;
    for (auto [store, level] : llvm::zip(graph.stores, plan.storeLevel))
      early += earliest.last[graph.lists[store.list].model] - level;
    return Score(cost->bytes, plan.scratch.size(), cost->skippedBytes, early);
  }

  unsigned getLast(const SweepGraph::Reduction &reduction) const {
    return earliest.last[graph.values[reduction.value].model];
  }

  /// Everything as late as its users and the number of passes allow: what a pass reads anyway can
  /// then serve a reduction too.
  void start() {
    llvm::SmallVector<SweepGraph::Set> needs = graph.getNeeds();
    llvm::SmallVector<SweepGraph::Set> storeNeeds = graph.getStoreNeeds(needs);
    for (const SweepGraph::Store &store : graph.stores)
      best.storeLevel.push_back(earliest.last[graph.lists[store.list].model]);
    for (const SweepGraph::Reduction &reduction : graph.reductions)
      best.reductionLevel.push_back(getLast(reduction));
    auto limit = [&](const SweepGraph::Set &set, unsigned level) {
      for (unsigned need : set.set_bits())
        best.reductionLevel[need] = std::min(best.reductionLevel[need], level - 1);
    };
    for (auto [set, level] : llvm::zip(storeNeeds, best.storeLevel))
      limit(set, level);
    for (unsigned i = graph.reductions.size(); i-- > 0;)
      limit(needs[graph.reductions[i].value], best.reductionLevel[i]);
    bestScore = score(best);
  }

  bool take(const CutPlan &plan) {
    std::optional<Score> candidate = score(plan);
    if (!candidate || (bestScore && *candidate >= *bestScore))
      return false;
    next = plan;
    bestScore = candidate;
    return true;
  }

  bool finishRound(bool improved) {
    if (improved)
      best = next;
    return improved;
  }

  bool tryLevels() {
    bool improved = false;
    for (auto [index, reduction] : llvm::enumerate(graph.reductions))
      for (unsigned level = earliest.reductions[index]; level <= getLast(reduction); ++level) {
        CutPlan plan = best;
        plan.reductionLevel[index] = level;
        improved |= take(plan);
      }
    unsigned levels = 0;
    for (auto [index, store] : llvm::enumerate(graph.stores)) {
      unsigned last = earliest.last[graph.lists[store.list].model];
      levels = std::max(levels, last);
      for (unsigned level = earliest.stores[index]; level <= last; ++level) {
        CutPlan plan = best;
        plan.storeLevel[index] = level;
        improved |= take(plan);
      }
    }
    // Writing one of several early often pays nothing while the others are still computed again.
    for (unsigned level = 1; level < levels; ++level) {
      CutPlan plan = best;
      for (auto [index, store] : llvm::enumerate(graph.stores))
        if (earliest.stores[index] <= level && isUsedAfter(index, level))
          plan.storeLevel[index] = level;
      improved |= take(plan);
    }
    return finishRound(improved);
  }

  /// Whether something that must happen after `level` is computed from what store `index` writes.
  bool isUsedAfter(unsigned index, unsigned level) const {
    unsigned value = graph.stores[index].value;
    llvm::SmallVector<bool> above(graph.values.size(), false);
    above[value] = true;
    for (unsigned user = value + 1; user < graph.values.size(); ++user)
      above[user] = llvm::any_of(graph.values[user].operands, [&](unsigned i) { return above[i]; });
    for (auto [reduction, from] : llvm::zip(graph.reductions, earliest.reductions))
      if (from > level && above[reduction.value])
        return true;
    for (auto [store, from] : llvm::zip(graph.stores, earliest.stores))
      if (from > level && above[store.value])
        return true;
    return false;
  }

  bool tryScratch() {
    // Every list must be read once and every store made once; what moves beyond that is all that
    // scratch can save, and it costs a write and a read itself.
    std::optional<PlanCost> cost = model.evaluate(best);
    if (!cost || cost->passes.empty())
      return false;
    llvm::SmallVector<bool> read(graph.lists.size(), false);
    unsigned floor = 0;
    for (const PassCost &pass : cost->passes) {
      floor += pass.bytesWritten;
      for (unsigned list : pass.reads)
        if (!read[list]) {
          read[list] = true;
          floor += graph.lists[list].bytes;
        }
    }
    unsigned slack = cost->bytes - floor;
    bool improved = false;
    for (auto [index, value] : llvm::enumerate(graph.values)) {
      if (value.list >= 0 || value.bytes == 0 || slack <= 2 * value.bytes)
        continue;
      for (unsigned level = 1; level < cost->passes.back().level; ++level) {
        CutPlan plan = best;
        plan.scratch.push_back({static_cast<unsigned>(index), level});
        improved |= take(plan);
      }
    }
    return finishRound(improved);
  }

  const SweepGraph &graph;
  CostModel model;
  EarliestLevels earliest;
  CutPlan best, next;
  std::optional<Score> bestScore;
};

} // namespace

CutPlan sawtooth::chooseCut(const SweepGraph &graph) { return Search(graph).run(); }
