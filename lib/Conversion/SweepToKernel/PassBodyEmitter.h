// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What every target does alike with a pass: which values elements share, the body on vectors, which
// NaNs are stored. Loops, accesses and the order of reductions are the target's.
#ifndef SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_PASSBODYEMITTER_H
#define SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_PASSBODYEMITTER_H

#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace sawtooth {

class PassBodyEmitter {
public:
  PassBodyEmitter(const KernelContext &context, sweep::PassOp pass)
      : context(context), pass(pass), info(context.step.passes.at(pass)), location(pass.getLoc()),
        builder(pass.getContext()), width(context.width) {}
  virtual ~PassBodyEmitter() = default;

protected:
  /// How often a value of the body exists.
  enum class Extent { Step, Tensor, Element };

  mlir::LogicalResult classify();
  /// A value of the step from above the pass.
  virtual mlir::Value loadCaptured(KernelAbi &abi, mlir::Value value) {
    return loadStepValue(abi, context.step, value);
  }
  /// Everything of step extent: values from above, flags of writes, the body's own.
  void emitStepValues(KernelAbi &abi);
  /// Everything that the elements of `tensor` share.
  void emitTensorValues(KernelAbi &abi, mlir::Value tensor) {
    emitUniform(abi, Extent::Tensor, tensor);
  }
  /// Makes vectors of what elements and others meet in.
  void broadcastUniform();
  /// The body on vectors side by side: each of `vectors` starts as `splats` with the body's
  /// arguments, and gets everything else. Every operation is emitted for all of them before the
  /// next one: a processor that waits for one finds the others' work close by.
  void cloneBody(mlir::MutableArrayRef<mlir::IRMapping> vectors);
  /// One operation of it.
  void cloneOp(mlir::Operation &op, mlir::MutableArrayRef<mlir::IRMapping> vectors);
  /// Writes by the flag that predicates them, in the order of their first; null for always.
  llvm::MapVector<mlir::Value, mlir::SmallVector<unsigned>> writeGroups();
  sweep::LeaveOp leave() {
    return mlir::cast<sweep::LeaveOp>(pass.getBody().front().getTerminator());
  }
  /// The operation that narrows `value` for its store, if the elements of the body differ in it.
  mlir::arith::TruncFOp narrowingOf(mlir::Value value);

  mlir::Value i64(int64_t value) {
    return mlir::arith::ConstantOp::create(builder, location, builder.getI64IntegerAttr(value));
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return mlir::arith::AddIOp::create(builder, location, a, b);
  }
  mlir::VectorType vectorOf(mlir::Type element) { return mlir::VectorType::get({width}, element); }

  const KernelContext &context;
  sweep::PassOp pass;
  const PassInfo &info;
  mlir::Location location;
  mlir::OpBuilder builder;
  unsigned width; // elements of a vector

  llvm::DenseMap<mlir::Value, Extent> extents;
  llvm::SetVector<mlir::Value> broadcasts;   // uniform values that element operations use
  mlir::IRMapping uniform;                   // scalars: step and tensor values
  mlir::IRMapping splats;                    // their vectors
  mlir::SmallVector<mlir::Value> writeFlags; // i1 that predicates each write, or null

private:
  void emitUniform(KernelAbi &abi, Extent extent, mlir::Value tensor);
  mlir::Value uniformOp(KernelAbi &abi, mlir::Operation &op, mlir::Value tensor);
};

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_PASSBODYEMITTER_H
