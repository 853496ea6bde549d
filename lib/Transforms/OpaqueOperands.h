// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions that have no exact result must not be folded: the folders of math call the host's.
#ifndef SAWTOOTH_LIB_TRANSFORMS_OPAQUEOPERANDS_H
#define SAWTOOTH_LIB_TRANSFORMS_OPAQUEOPERANDS_H

#include "mlir/IR/Operation.h"

namespace sawtooth {

/// Whether `op` is a function of math whose last bits depend on who computes it. That of the others
/// is the one right result, whoever folds them.
bool isInexactMath(mlir::Operation *op);

/// Hides the operands of every such function in `root` behind amp.opaque.
void makeOperandsOpaque(mlir::Operation *root);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_TRANSFORMS_OPAQUEOPERANDS_H
