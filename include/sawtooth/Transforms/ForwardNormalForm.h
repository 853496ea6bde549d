// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The form of an outlined forward and backward part that code can be generated for.
#ifndef SAWTOOTH_TRANSFORMS_FORWARDNORMALFORM_H
#define SAWTOOTH_TRANSFORMS_FORWARDNORMALFORM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace sawtooth {

/// `value`, or, where reshapes made it, the tensor whose elements it shows.
mlir::Value lookThroughReshapes(mlir::Value value);

/// Whether `type` is a tensor that a buffer can hold: static shape, rank 1 or more, fewer than 2^48
/// bytes, elements of f16, bf16, f32, f64, i32 or i64.
bool isForwardTensor(mlir::Type type);

/// Checks that a function is one block of
///   - linalg.generic on such tensors (inputs may be scalars), whose indexing maps pick dimensions
///     or constants, whose results are indexed by all parallel dimensions and nothing else, whose
///     reductions do not accumulate in 16 bits, and whose body is arith and the math functions of
///     the numerics contract;
///   - linalg.fill, tensor.empty (never read), tensor.expand_shape, tensor.collapse_shape and
///   scalar
///     constants,
/// that returns results of linalg.generic, each once. Says at the offending op what is wrong.
mlir::LogicalResult verifyForwardNormalForm(mlir::func::FuncOp function);

} // namespace sawtooth

#endif // SAWTOOTH_TRANSFORMS_FORWARDNORMALFORM_H
