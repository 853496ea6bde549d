// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fast-math flags are not part of the numerics contract.
#ifndef SAWTOOTH_LIB_TRANSFORMS_STRIPFASTMATH_H
#define SAWTOOTH_LIB_TRANSFORMS_STRIPFASTMATH_H

#include "mlir/IR/Operation.h"

namespace sawtooth {

/// Drops the fast-math flags of every operation in `root`, each with a remark: with them a
/// compiler may fold a finite test to true. Returns how many operations had any.
unsigned stripFastMath(mlir::Operation *root);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_TRANSFORMS_STRIPFASTMATH_H
