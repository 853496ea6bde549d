// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the files of sweep-cut share.
//
// A cut step is a sequence of slots. Slot s holds one scalar program; after it come the forward
// parts that wait for its values, or the passes of the next level. `Schedule` says which op is
// computed in which slot or pass; `Emitter` writes that down.
#ifndef SAWTOOTH_LIB_TRANSFORMS_SWEEPCUT_SWEEPCUT_H
#define SAWTOOTH_LIB_TRANSFORMS_SWEEPCUT_SWEEPCUT_H

#include "sawtooth/Analysis/CostModel.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace sawtooth::sweepcut {

using namespace mlir;

/// Ops that are computed wherever they are used: crossing a cut would cost more.
bool isConstant(Operation *op);
/// Reads of what every scalar program sees: fields at entry, sizes of tensors.
bool isEntryRead(Operation *op);

/// One pass with what its body computes.
struct PassBody {
  const PassCost *cost;
  /// Values computed under one set of loads. Outputs that matter under different flags may load
  /// different lists; then each flag has a group of its own, else all share one.
  struct Group {
    llvm::SmallDenseMap<unsigned, unsigned> loads; // graph value -> position among the reads
    llvm::SetVector<Operation *> ops;              // element ops, in order
  };
  std::map<int, Group> groups; // by flag, or the only one under SweepGraph::kAlways
  bool shared = true;
  /// Values from outside, but constants and arguments.
  llvm::SetVector<Value> externals;

  Group &getGroup(int flag) { return groups[shared ? SweepGraph::kAlways : flag]; }
};

class Schedule {
public:
  Schedule(sweep::StepOp step, const Extents &extents, const StepGraph &graph, const CutPlan &plan,
           const PlanCost &cost);

  unsigned getSlotCount() const { return firstSlot.back(); }
  /// Slots of level `level` are those after its passes: [begin, end).
  unsigned getFirstSlot(unsigned level) const { return firstSlot[level]; }
  unsigned getLevels() const { return firstSlot.size() - 1; } // and one: level 0 is the entry
  /// The slot that `op` is computed in, nothing if only passes compute it or nobody does.
  std::optional<unsigned> getSlot(Operation *op) const {
    auto it = slots.find(op);
    return it == slots.end() ? std::nullopt : std::optional(it->second);
  }
  /// The forward parts that run after the program of `slot`.
  SmallVector<sweep::ForwardOp> getForwards(unsigned slot) const { return forwards.lookup(slot); }
  std::vector<PassBody> passes;

private:
  void collectBody(const PassCost &pass);
  void requireValue(PassBody &body, PassBody::Group &group, Value value);
  void findTimes();
  void place();

  sweep::StepOp step;
  const Extents &extents;
  const StepGraph &graph;
  const CutPlan &plan;
  SmallVector<unsigned> firstSlot;
  DenseMap<Operation *, std::pair<unsigned, unsigned>> ready; // level, forwards before it there
  DenseMap<Operation *, unsigned> slots;
  DenseMap<unsigned, SmallVector<sweep::ForwardOp>> forwards;
};

class Emitter {
public:
  Emitter(sweep::StepOp step, const Extents &extents, const StepGraph &graph, const CutPlan &plan,
          Schedule &schedule)
      : step(step), extents(extents), graph(graph), plan(plan), schedule(schedule),
        symbols(step->getParentOfType<ModuleOp>()), builder(step.getContext()) {}
  /// Replaces the step's body; returns the passes in the order of the schedule's.
  SmallVector<sweep::PassOp> run();

private:
  void declareScratch();
  // Programs.cpp
  void emitProgram(unsigned slot);
  void emitEach(FlatSymbolRefAttr model, ArrayRef<Operation *> ops, IRMapping &mapping);
  void cloneInto(Operation *op, IRMapping &mapping);
  bool isUsedOutside(Value value, llvm::function_ref<bool(Operation *)> isInside);
  StringAttr getLabel(unsigned slot);
  // Passes.cpp
  sweep::PassOp emitPass(PassBody &body);

  sweep::StepOp step;
  const Extents &extents;
  const StepGraph &graph;
  const CutPlan &plan;
  Schedule &schedule;
  SymbolTable symbols;
  OpBuilder builder;
  IRMapping crossing; // old values to what crosses the cuts: step values and per-tensor ones
  SmallVector<sweep::ListOp> scratch; // of plan.scratch
  llvm::DenseSet<Value> passExternals;
  unsigned middles = 0;
};

/// Reasons that `explain` prints: set on the step, handed out for each pass of the schedule. Missed
/// opportunities are remarks too. Reads the uncut body.
void annotate(sweep::StepOp step, const StepGraph &graph, const CutPlan &plan, const PlanCost &cost,
              const Schedule &schedule, unsigned lowerBound, SmallVectorImpl<ArrayAttr> &passNotes);

} // namespace sawtooth::sweepcut

#endif // SAWTOOTH_LIB_TRANSFORMS_SWEEPCUT_SWEEPCUT_H
