// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chooses the cut of a step.
#ifndef SAWTOOTH_ANALYSIS_CUTSEARCH_H
#define SAWTOOTH_ANALYSIS_CUTSEARCH_H

#include "sawtooth/Analysis/CostModel.h"

namespace sawtooth {

/// The fewest passes, then the fewest bytes by the cost model, then no scratch, then the least to
/// read in a step that is skipped. Starts from reductions as late and stores as late as can be,
/// and takes the best of single changes, and of all early stores at once, while one is better.
CutPlan chooseCut(const SweepGraph &graph);

} // namespace sawtooth

#endif // SAWTOOTH_ANALYSIS_CUTSEARCH_H
