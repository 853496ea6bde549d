// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exhaustive, by sets: for each value, every minimal set of lists that it can be computed from.
#include "sawtooth/Analysis/LowerBound.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdint>
#include <limits>

using namespace sawtooth;

namespace {

/// A set of sources: bit i is list i, the scratch lists follow.
using Sources = uint64_t;
/// Sets that each suffice, none containing another. Empty: it cannot be computed.
using Ways = llvm::SmallVector<Sources, 4>;

void addWay(Ways &ways, Sources way) {
  if (llvm::any_of(ways, [&](Sources other) { return (other & way) == other; }))
    return;
  llvm::erase_if(ways, [&](Sources other) { return (other & way) == way; });
  ways.push_back(way);
}

Ways combine(const Ways &a, const Ways &b) {
  Ways result;
  for (Sources x : a)
    for (Sources y : b)
      addWay(result, x | y);
  return result;
}

struct Kept {
  unsigned value, level, bytes;
  int flag;
};

class Enumeration {
public:
  explicit Enumeration(const SweepGraph &graph)
      : graph(graph), needs(graph.getNeeds()), storeNeeds(graph.getStoreNeeds(needs)) {}

  unsigned run() {
    unsigned floor = computeFloor();
    findEarliest();
    if (graph.lists.size() + kMaxKept > 64)
      return floor;
    reductionLevel.resize(graph.reductions.size());
    storeLevel.resize(graph.stores.size());
    // Without scratch first: what that leaves above the floor says how much scratch can save.
    visitReduction(0);
    if (levels > 1 && best > floor && best != kNone) {
      slack = best - floor;
      findCandidates();
      withScratch = true;
      visitReduction(0);
    }
    return evaluations > kMaxEvaluations || best == kNone ? floor : best;
  }

private:
  static constexpr unsigned kNone = std::numeric_limits<unsigned>::max();
  static constexpr unsigned kMaxEvaluations = 4096;
  static constexpr unsigned kMaxKept = 4;

  unsigned computeFloor() const {
    llvm::SmallVector<bool> used(graph.values.size(), false);
    unsigned bytes = 0;
    for (const SweepGraph::Reduction &reduction : graph.reductions)
      used[reduction.value] = true;
    for (const SweepGraph::Store &store : graph.stores) {
      used[store.value] = true;
      bytes += graph.lists[store.list].bytes;
    }
    llvm::SmallVector<bool> read(graph.lists.size(), false);
    for (unsigned i = graph.values.size(); i-- > 0;) {
      if (!used[i])
        continue;
      for (unsigned operand : graph.values[i].operands)
        used[operand] = true;
      if (int list = graph.values[i].list; list >= 0 && !read[list]) {
        read[list] = true;
        bytes += graph.lists[list].bytes;
      }
    }
    return bytes;
  }

  void findEarliest() {
    lastLevel.assign(graph.models, 1);
    auto levelOf = [&](const SweepGraph::Set &set, unsigned model) {
      unsigned level = 1;
      for (unsigned need : set.set_bits())
        level = std::max(level, earliestReduction[need] + 1);
      lastLevel[model] = std::max(lastLevel[model], level);
      levels = std::max(levels, level);
      return level;
    };
    for (const SweepGraph::Reduction &reduction : graph.reductions)
      earliestReduction.push_back(
          levelOf(needs[reduction.value], graph.values[reduction.value].model));
    for (auto [store, set] : llvm::zip(graph.stores, storeNeeds))
      earliestStore.push_back(levelOf(set, graph.lists[store.list].model));
  }

  /// Values worth keeping: a value of one operand is no better than the operand, and one that comes
  /// from fewer bytes than its own is no better than those.
  void findCandidates() {
    llvm::SmallVector<Sources> lists;
    for (auto [index, value] : llvm::enumerate(graph.values)) {
      Sources from = value.list >= 0 ? Sources(1) << value.list : 0;
      bool narrows = true;
      for (unsigned operand : value.operands) {
        from |= lists[operand];
        narrows &= graph.values[operand].bytes == 0 || value.bytes < graph.values[operand].bytes;
      }
      lists.push_back(from);
      unsigned bytes = 0;
      for (unsigned list = 0; list < graph.lists.size(); ++list)
        if (from >> list & 1)
          bytes += graph.lists[list].bytes;
      if (value.list < 0 && value.bytes != 0 && bytes > value.bytes &&
          (value.operands.size() > 1 || narrows))
        candidates.push_back(index);
    }
  }

  bool isAfter(unsigned level, const SweepGraph::Set &set) const {
    return llvm::all_of(set.set_bits(),
                        [&](unsigned need) { return reductionLevel[need] < level; });
  }

  void visitReduction(unsigned index) {
    if (index == graph.reductions.size())
      return visitStore(0);
    const SweepGraph::Reduction &reduction = graph.reductions[index];
    unsigned last = lastLevel[graph.values[reduction.value].model];
    for (unsigned level = earliestReduction[index]; level <= last; ++level) {
      reductionLevel[index] = level;
      if (isAfter(level, needs[reduction.value]))
        visitReduction(index + 1);
    }
  }

  void visitStore(unsigned index) {
    if (index == graph.stores.size()) {
      if (withScratch)
        visitScratch(0, 0);
      else
        evaluate();
      return;
    }
    unsigned last = lastLevel[graph.lists[graph.stores[index].list].model];
    for (unsigned level = earliestStore[index]; level <= last; ++level) {
      storeLevel[index] = level;
      if (isAfter(level, storeNeeds[index]))
        visitStore(index + 1);
    }
  }

  void visitScratch(unsigned from, unsigned spent) {
    if (kept.size() == kMaxKept)
      return;
    for (unsigned i = from; i < candidates.size(); ++i) {
      unsigned bytes = graph.values[candidates[i]].bytes;
      if (spent + 2 * bytes >= slack)
        continue;
      for (unsigned level = 1; level < levels; ++level) {
        if (!isAfter(level, needs[candidates[i]]))
          continue;
        kept.push_back({candidates[i], level, bytes, flagOf(candidates[i])});
        evaluate();
        visitScratch(i + 1, spent + 2 * bytes);
        kept.pop_back();
      }
    }
  }

  /// A kept value is good for whoever uses it only if it was written whenever they matter.
  int flagOf(unsigned value) {
    auto [it, isNew] = flags.try_emplace(value, SweepGraph::kAlways);
    if (!isNew)
      return it->second;
    llvm::SmallVector<bool> users(graph.values.size(), false);
    users[value] = true;
    for (unsigned i = value; i < graph.values.size(); ++i)
      for (unsigned operand : graph.values[i].operands)
        users[i] = users[i] || users[operand];
    llvm::SmallVector<int> all;
    for (const SweepGraph::Reduction &reduction : graph.reductions)
      if (users[reduction.value])
        all.push_back(reduction.flag);
    for (const SweepGraph::Store &store : graph.stores)
      if (users[store.value])
        all.push_back(store.flag);
    if (!all.empty() && llvm::all_equal(all))
      it->second = all.front();
    return it->second;
  }

  void evaluate() {
    if (++evaluations > kMaxEvaluations)
      return;
    unsigned total = 0;
    for (const SweepGraph::Store &store : graph.stores)
      total += graph.lists[store.list].bytes;
    for (const Kept &scratch : kept)
      total += scratch.bytes;
    for (unsigned level = 1; level <= levels; ++level) {
      for (unsigned model = 0; model < graph.models; ++model) {
        std::optional<unsigned> bytes = readsOf(level, model);
        if (!bytes)
          return;
        total += *bytes;
      }
    }
    best = std::min(best, total);
  }

  /// Fewest bytes that the pass of `level` over `model` can read; nothing if it cannot be.
  std::optional<unsigned> readsOf(unsigned level, unsigned model) {
    llvm::DenseMap<int, llvm::SmallVector<Ways>> waysByFlag;
    Ways pass = {0};
    auto add = [&](unsigned value, int flag) {
      llvm::SmallVector<Ways> &ways = waysByFlag[flag];
      if (ways.empty())
        ways = findWays(level, flag);
      pass = combine(pass, ways[value]);
    };
    for (auto [reduction, at] : llvm::zip(graph.reductions, reductionLevel))
      if (at == level && graph.values[reduction.value].model == model)
        add(reduction.value, reduction.flag);
    for (auto [store, at] : llvm::zip(graph.stores, storeLevel))
      if (at == level && graph.lists[store.list].model == model)
        add(store.value, store.flag);
    for (const Kept &scratch : kept)
      if (scratch.level == level && graph.values[scratch.value].model == model)
        add(scratch.value, scratch.flag);
    std::optional<unsigned> fewest;
    for (Sources way : pass) {
      unsigned bytes = 0;
      for (auto [index, list] : llvm::enumerate(graph.lists))
        bytes += way >> index & 1 ? list.bytes : 0;
      for (auto [index, scratch] : llvm::enumerate(kept))
        bytes += way >> (graph.lists.size() + index) & 1 ? scratch.bytes : 0;
      fewest = std::min(fewest.value_or(bytes), bytes);
    }
    return fewest;
  }

  llvm::SmallVector<Ways> findWays(unsigned level, int flag) const {
    llvm::SmallVector<Ways> ways;
    auto matters = [&](int written) { return written == SweepGraph::kAlways || written == flag; };
    for (auto [index, value] : llvm::enumerate(graph.values)) {
      Ways mine;
      if (value.list >= 0) {
        bool isOld = true;
        for (auto [store, at] : llvm::zip(graph.stores, storeLevel))
          isOld &= store.list != static_cast<unsigned>(value.list) || at >= level;
        if (isOld)
          mine.push_back(Sources(1) << value.list);
      } else {
        mine = {0};
        for (unsigned operand : value.operands)
          mine = combine(mine, ways[operand]);
      }
      for (auto [store, at] : llvm::zip(graph.stores, storeLevel))
        if (store.value == index && at < level && matters(store.flag))
          addWay(mine, Sources(1) << store.list);
      for (auto [number, scratch] : llvm::enumerate(kept))
        if (scratch.value == index && scratch.level < level && matters(scratch.flag))
          addWay(mine, Sources(1) << (graph.lists.size() + number));
      ways.push_back(std::move(mine));
    }
    return ways;
  }

  const SweepGraph &graph;
  llvm::SmallVector<SweepGraph::Set> needs, storeNeeds;
  llvm::SmallVector<unsigned> earliestReduction, earliestStore, lastLevel;
  llvm::SmallVector<unsigned> reductionLevel, storeLevel, candidates;
  llvm::SmallVector<Kept> kept;
  llvm::DenseMap<unsigned, int> flags;
  unsigned levels = 1, slack = 0, evaluations = 0, best = kNone;
  bool withScratch = false;
};

} // namespace

unsigned sawtooth::computeLowerBound(const SweepGraph &graph) { return Enumeration(graph).run(); }
