// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps on the way to an outlined forward and backward part.
#ifndef SAWTOOTH_TRANSFORMS_FORWARD_H
#define SAWTOOTH_TRANSFORMS_FORWARD_H

#include "amp/Amp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace sawtooth {

/// Rewrites the tensor ops of a step into linalg.generic and linalg.fill, and fuses an elementwise
/// op into the elementwise op that alone uses it (the same scalars in the same order: the same
/// bits). amp.scale of a tensor becomes a product, amp.log of a tensor a tensor.extract.
mlir::LogicalResult simplifyForward(amp::StepOp step);

/// Whether the op belongs to the forward and backward part: it works on tensors and is neither
/// amp nor a tensor.extract.
bool isForwardOp(mlir::Operation &op);

/// What the forward and backward part of a step takes and gives. Outputs are the tensors of
/// amp.pack, then the sources of tensor.extract.
struct ForwardInterface {
  llvm::SmallVector<mlir::Operation *> ops; // in order
  llvm::SmallVector<mlir::Value> tensors, leaves, scalars;
  llvm::SmallVector<mlir::OpOperand *> outputs;
};

/// Finds them. Says what is wrong and fails when a scalar depends on a sweep or on the part itself,
/// when a leaf is of a computed list, or when an extract takes one of several elements.
mlir::FailureOr<ForwardInterface> findForwardInterface(amp::StepOp step);

} // namespace sawtooth

#endif // SAWTOOTH_TRANSFORMS_FORWARD_H
