// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes that stay within a dialect: generated constructors, options and registration.
#ifndef SAWTOOTH_TRANSFORMS_PASSES_H
#define SAWTOOTH_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace sawtooth {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "sawtooth/Transforms/Passes.h.inc"
} // namespace sawtooth

#endif // SAWTOOTH_TRANSFORMS_PASSES_H
