// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The element-extent part of a step as plain data: what decides how often memory is read.
//
// A step's cost depends on four things alone: which lists a value is computed from, which
// reductions must be complete before it can be, how wide it is, and under which flag it matters.
// Everything else of the IR is left out, so that the cost model and the lower bound can be tested
// on graphs written by hand.
#ifndef SAWTOOTH_ANALYSIS_SWEEPGRAPH_H
#define SAWTOOTH_ANALYSIS_SWEEPGRAPH_H

#include "sawtooth/Analysis/Extent.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace sawtooth {

struct SweepGraph {
  /// No flag: what carries it happens in every step.
  static constexpr int kAlways = -1;

  struct List {
    unsigned model;
    unsigned bytes; // of an element
  };
  /// An element value, or one of lower extent that is stored or reduced as if it were one.
  struct Value {
    unsigned model;
    llvm::SmallVector<unsigned, 3> operands; // element values
    llvm::SmallVector<unsigned, 2> needs;    // reductions that its other operands depend on
    int list = -1;                           // a leaf: this list's element at entry of the step
    unsigned bytes = 0;                      // of an element kept in scratch; 0: it cannot be
  };
  struct Reduction {
    unsigned value;
    int flag; // the flag without which nobody looks at the result
  };
  struct Store {
    unsigned list;
    unsigned value;
    int flag;
    llvm::SmallVector<unsigned, 2> needs; // reductions that must be complete before, beside the
                                          // value's and the flag's
  };
  struct Flag {
    llvm::SmallVector<unsigned, 2> needs; // reductions that it depends on
  };

  unsigned models = 0;
  llvm::SmallVector<List> lists;
  llvm::SmallVector<Value> values; // operands before users
  llvm::SmallVector<Reduction> reductions;
  llvm::SmallVector<Store> stores;
  llvm::SmallVector<Flag> flags;

  using Set = llvm::SmallBitVector; // of reductions
  /// Reductions that must be complete before each value can be computed, operands' included.
  llvm::SmallVector<Set> getNeeds() const;
  /// The same for each store: of its value and its flag.
  llvm::SmallVector<Set> getStoreNeeds(llvm::ArrayRef<Set> valueNeeds) const;
};

/// The graph of an uncut step, with the ops that its parts stand for. Ops that nothing needs are
/// left out.
struct StepGraph {
  SweepGraph graph;
  llvm::SmallVector<mlir::FlatSymbolRefAttr> models;
  llvm::SmallVector<sweep::ListOp> lists;
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<sweep::ReduceOp> reductions;
  llvm::SmallVector<sweep::StoreOp> stores;
  llvm::SmallVector<mlir::Value> flags;
  llvm::DenseMap<mlir::Value, unsigned> valueIndex;
  /// Ops of the step that something needs, in order.
  llvm::SetVector<mlir::Operation *> live;
  /// For every value: the reductions over elements that it depends on.
  llvm::DenseMap<mlir::Value, SweepGraph::Set> depends;

  static StepGraph build(sweep::StepOp step, const Extents &extents);
};

} // namespace sawtooth

#endif // SAWTOOTH_ANALYSIS_SWEEPGRAPH_H
