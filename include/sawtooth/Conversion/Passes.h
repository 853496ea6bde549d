// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes that leave one dialect for the next; described in Passes.td.
#ifndef SAWTOOTH_CONVERSION_PASSES_H
#define SAWTOOTH_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace sawtooth {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "sawtooth/Conversion/Passes.h.inc"
} // namespace sawtooth

#endif // SAWTOOTH_CONVERSION_PASSES_H
