// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What no cut of a step can go below.
#ifndef SAWTOOTH_ANALYSIS_LOWERBOUND_H
#define SAWTOOTH_ANALYSIS_LOWERBOUND_H

#include "sawtooth/Analysis/SweepGraph.h"

namespace sawtooth {

/// Bytes per element (of each model, summed) that the fewest passes must move: the minimum over
/// every level of every reduction and store and every choice of values to keep between passes,
/// each list read at most once a pass. It shares no code with the cost model, so that the two
/// check each other. Steps with too many choices get the bound that every list is read once and
/// every store made once.
unsigned computeLowerBound(const SweepGraph &graph);

} // namespace sawtooth

#endif // SAWTOOTH_ANALYSIS_LOWERBOUND_H
