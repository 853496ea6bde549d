// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The operations of a scalar program, on values of the frame, the arguments and the state. Who runs
// them, who writes, and how tensors and partials are walked is the target's.
#ifndef SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_SCALAREMITTER_H
#define SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_SCALAREMITTER_H

#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

namespace sawtooth {

class ScalarEmitter {
public:
  ScalarEmitter(const KernelContext &context, sweep::ScalarOp program)
      : context(context), program(program), location(program.getLoc()),
        builder(program.getContext()) {}
  virtual ~ScalarEmitter() = default;

protected:
  /// Loads, operations, then every write: reads see the state at entry of the step.
  mlir::LogicalResult emitProgram(KernelAbi &abi);

  /// Runs what `body` emits for every tensor of a model.
  virtual void forEachTensor(KernelAbi &abi, mlir::Value model,
                             llvm::function_ref<void(mlir::Value tensor)> body) = 0;
  /// One value of an array by tensor, in the contract's order.
  virtual mlir::Value foldValues(KernelAbi &abi, sweep::FoldOp fold) = 0;
  /// Runs what `writes` emits once, after all reads.
  virtual void emitWrites(llvm::function_ref<void()> writes) { writes(); }
  virtual mlir::Value loadCaptured(KernelAbi &abi, mlir::Value value) {
    return loadStepValue(abi, context.step, value);
  }
  /// Where a result of the program goes.
  virtual mlir::Value resultSlot(KernelAbi &abi, mlir::Value result) {
    return abi.frameSlot(context.step.values.at(result));
  }

  mlir::Value i64(int64_t value) {
    return mlir::arith::ConstantOp::create(builder, location, builder.getI64IntegerAttr(value));
  }

  const KernelContext &context;
  sweep::ScalarOp program;
  mlir::Location location;
  mlir::OpBuilder builder;

private:
  void loadAllCaptured(KernelAbi &abi);
  mlir::LogicalResult emitOps(KernelAbi &abi, mlir::Block &block, mlir::Value model,
                              mlir::Value tensor);
  mlir::LogicalResult emitOp(KernelAbi &abi, mlir::Operation &op, mlir::Value model,
                             mlir::Value tensor);
  mlir::LogicalResult emitEach(KernelAbi &abi, sweep::EachOp each);
  mlir::LogicalResult emitSets(KernelAbi &abi, mlir::Block &block, mlir::Value model,
                               mlir::Value tensor);
  mlir::LogicalResult emitSet(KernelAbi &abi, sweep::SetOp set, mlir::Value model,
                              mlir::Value tensor);
  mlir::FailureOr<mlir::Value> fieldSlot(KernelAbi &abi, mlir::Operation *op,
                                         mlir::FlatSymbolRefAttr name, mlir::Value model,
                                         mlir::Value tensor);
  void storeClean(KernelAbi &abi, mlir::Value value, mlir::Value address) {
    abi.store(canonicalizeNan(builder, location, value), address);
  }

  mlir::IRMapping mapping;
  /// Logs and the outcome, which are written with the rest.
  mlir::SmallVector<std::function<void()>> reports;
  /// Per-tensor fields that a sweep.each has written: reads after that would see the new value.
  llvm::DenseSet<mlir::StringAttr> written;
};

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_SCALAREMITTER_H
