// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step moves and keeps, counted from its plan.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_FOOTPRINT_H
#define SAWTOOTH_TOOLS_SAWTOOTH_FOOTPRINT_H

#include "sawtooth/runtime/Plan.h"

namespace sawtooth::tool {

struct Footprint {
  unsigned sweeps = 0;
  /// On a GPU, those of the plan. On a CPU, as many as a GPU would at least take:
  /// passes that follow each other without a scalar program between them start together, and a
  /// scalar program goes with the pass before it (the first with the one after it); each parallel
  /// loop of the forward part is one of its own.
  unsigned launches = 0;
  /// Bytes read and written for each element of a model: of several models, the most.
  uint64_t moved = 0;
  /// Bytes that each element of a model keeps in memory: state, arguments and scratch.
  uint64_t resident = 0;
};

Footprint footprintOf(const runtime::Plan &plan, const SawtoothStepRow &step);

/// Bytes for each element that a pass reads, or writes.
uint64_t accessBytes(const runtime::Plan &plan, SawtoothRange accesses);

/// The texts of the notes of one kind.
std::vector<std::string> notesOf(const runtime::Plan &plan, SawtoothRange notes,
                                 std::string_view kind);

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_FOOTPRINT_H
