// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sweep dialect: a step as scalar programs and passes over memory.
#ifndef SAWTOOTH_SWEEP_SWEEP_H
#define SAWTOOTH_SWEEP_SWEEP_H

#include "amp/Amp.h"

namespace mlir {
class PatternRewriter;
} // namespace mlir

#include "sweep/SweepDialect.h.inc"
#include "sweep/SweepEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "sweep/SweepTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "sweep/SweepAttrs.h.inc"

#define GET_OP_CLASSES
#include "sweep/SweepOps.h.inc"

#endif // SAWTOOTH_SWEEP_SWEEP_H
