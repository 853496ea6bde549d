// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One linalg.generic of the forward normal form as explicit loops over vectors.
#ifndef SAWTOOTH_CONVERSION_FORWARDTOKERNEL_LOOPNEST_H
#define SAWTOOTH_CONVERSION_FORWARDTOKERNEL_LOOPNEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace sawtooth {

/// How the loops of an op are run. A result is indexed by all parallel dimensions: those but the
/// last are loops, the first of them is divided among units of work; the last one runs along
/// vectors. With a single parallel dimension, stretches of it are the units. Reductions run inside
/// of everything, in ascending order, so that no choice here touches a bit of a result.
struct LoopSchedule {
  llvm::SmallVector<unsigned> outer; ///< parallel dimensions but `lane`, in the order of the result
  unsigned lane;
  llvm::SmallVector<unsigned> reductions;
  int64_t rows; ///< size of what is divided: of outer[0], or of `lane` when there is no outer
  int64_t
      rowsPerUnit; ///< without outer, a multiple of the vectors that go through the loop at once
  uint64_t units;
};

/// Vectors that go through the innermost loops side by side, to hide the latency of an addition.
inline constexpr unsigned tileVectors = 4;

LoopSchedule scheduleLoops(mlir::linalg::GenericOp op, unsigned width);

/// Where an operand's elements come from.
struct ForwardOperand {
  mlir::Value address; ///< !llvm.ptr to row-major elements, or null:
  mlir::Value scalar;  ///< then every element is this
};

/// Emits the loops of units [begin, end) at `builder`. `operands` are those of the op, in order;
/// for a result that the op starts from scratch the scalar is its start. `results` are the
/// addresses to write. `captured` maps what the body uses from outside. NaNs are stored in
/// canonical form.
void emitLoops(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, const LoopSchedule &schedule,
               unsigned width, llvm::ArrayRef<ForwardOperand> operands,
               llvm::ArrayRef<mlir::Value> results, const mlir::IRMapping &captured,
               mlir::Value begin, mlir::Value end);

/// Elements of a result, for each of which a GPU has a thread.
uint64_t countThreads(mlir::linalg::GenericOp op);

/// Emits what one thread of a GPU does: every element of the results whose number is the thread's
/// modulo the number of threads; neighbours have neighbouring elements. Reductions run in ascending
/// order. Otherwise like emitLoops.
void emitThreads(mlir::OpBuilder &builder, mlir::linalg::GenericOp op,
                 llvm::ArrayRef<ForwardOperand> operands, llvm::ArrayRef<mlir::Value> results,
                 const mlir::IRMapping &captured);

} // namespace sawtooth

#endif // SAWTOOTH_CONVERSION_FORWARDTOKERNEL_LOOPNEST_H
