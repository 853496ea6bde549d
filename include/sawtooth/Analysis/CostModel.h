// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A cut of a step into passes, and what it costs.
//
// A pass is one run over the elements of one model at one level; levels are numbered from 1, and
// reductions of level n are known from level n + 1 on. A pass reads each list that it needs once.
#ifndef SAWTOOTH_ANALYSIS_COSTMODEL_H
#define SAWTOOTH_ANALYSIS_COSTMODEL_H

#include "sawtooth/Analysis/SweepGraph.h"

#include <optional>
#include <vector>

namespace sawtooth {

/// Where everything that a step must do is done.
struct CutPlan {
  /// An element value that is kept between passes.
  struct Scratch {
    unsigned value;
    unsigned level; // of the pass that stores it
  };
  llvm::SmallVector<unsigned> reductionLevel, storeLevel;
  llvm::SmallVector<Scratch> scratch;
};

/// What one pass moves.
struct PassCost {
  unsigned level = 0, model = 0;
  llvm::SmallVector<unsigned> reads;         // lists
  llvm::SmallVector<unsigned> loadedStores;  // of `reads`, those that hold what a store wrote
  llvm::SmallVector<unsigned> loadedScratch; // of CutPlan::scratch
  llvm::SmallVector<unsigned> reductions, stores, scratch; // what it does
  unsigned bytesRead = 0, bytesWritten = 0;                // per element
  /// The flag without which it need not run, or SweepGraph::kAlways.
  int gate = SweepGraph::kAlways;
};

struct PlanCost {
  std::vector<PassCost> passes; // by level, then model
  unsigned bytes = 0;           // per element of every model, read and written
  unsigned skippedBytes = 0;    // of passes that run even if every flag is false
};

/// Levels of the earliest possible cut, which has the fewest passes: a reduction's or store's is
/// one after the last of those that it waits for.
struct EarliestLevels {
  llvm::SmallVector<unsigned> reductions, stores;
  llvm::SmallVector<unsigned> last; // by model: the level of its last pass

  explicit EarliestLevels(const SweepGraph &graph);
};

/// Counts the bytes of `plan`; nothing when it cannot be: a value is needed before it is known, or
/// after the list that it comes from was overwritten.
class CostModel {
public:
  explicit CostModel(const SweepGraph &graph);
  std::optional<PlanCost> evaluate(const CutPlan &plan) const;

private:
  bool isOrdered(const CutPlan &plan) const;
  std::optional<PassCost> evaluatePass(const CutPlan &plan, PassCost pass) const;

  const SweepGraph &graph;
  llvm::SmallVector<SweepGraph::Set> valueNeeds, storeNeeds;
};

/// The flag under which a value kept in scratch matters: that of everything computed from it.
int getScratchFlag(const SweepGraph &graph, unsigned value);

} // namespace sawtooth

#endif // SAWTOOTH_ANALYSIS_COSTMODEL_H
