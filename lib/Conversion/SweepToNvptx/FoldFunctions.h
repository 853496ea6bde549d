// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The folds of the numerics contract (rule 4) by the threads of one block: value i goes to lane
// i mod 256, ascending, and the lanes fold by halving. A thread of a full warp holds lanes t, t +
// 32 and so on to t + 224, so that halving is three combinations in the thread and five shuffles.
#ifndef SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_FOLDFUNCTIONS_H
#define SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_FOLDFUNCTIONS_H

#include "Nvptx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace sawtooth {

/// Emits the functions for one kind of reduction. Flags are the first byte of their slot and
/// combined as i64, everything else is f64.
class FoldBuilder {
public:
  /// `stride` bytes lie between two values of a column. It is part of the functions' names: as a
  /// constant it costs no registers.
  FoldBuilder(mlir::ModuleOp module, mlir::Location location, amp::ReduceKind kind, uint64_t stride)
      : module(module), location(location), kind(kind), stride(stride),
        builder(module.getContext()), device(builder, location),
        abi(builder, location, mlir::Value()) {
    flag = kind == amp::ReduceKind::Or;
    type = flag ? mlir::Type(builder.getI64Type()) : mlir::Type(builder.getF64Type());
  }

  /// (column, firstRow, tensors, out): one value for each tensor, to its slot of `out` or,
  /// when that is null, in place of its first partial. Barriers are the caller's.
  mlir::func::FuncOp tensors();
  /// (column, firstRow, tensors) -> value: those in place combined to one.
  mlir::func::FuncOp rows();
  /// (base, count) -> value: any column.
  mlir::func::FuncOp column();

private:
  std::pair<mlir::func::FuncOp, bool> declare(mlir::StringRef what, mlir::TypeRange arguments,
                                              mlir::TypeRange results);
  mlir::Value identity();
  mlir::Value load(mlir::Value address);
  void store(mlir::Value value, mlir::Value address);
  mlir::Value place(mlir::Value column, mlir::Value row) {
    return abi.element(column, row, stride);
  }
  mlir::Value combine(mlir::Value a, mlir::Value b) {
    return sawtooth::combine(builder, location, kind, a, b);
  }
  mlir::Value isNull(mlir::Value pointer) {
    mlir::Value null = mlir::LLVM::ZeroOp::create(builder, location, pointer.getType());
    return mlir::LLVM::ICmpOp::create(builder, location, mlir::LLVM::ICmpPredicate::eq, pointer,
                                      null);
  }
  /// Folds the lanes of a warp; the result is in its first thread.
  mlir::Value halve(mlir::SmallVector<mlir::Value> lanes);
  mlir::Value halveBlock(mlir::Value lane);
  mlir::Value warpFold(mlir::Value base, mlir::Value count);
  void foldMany(mlir::ArrayRef<mlir::Value> arguments, mlir::Value base, mlir::Value many,
                mlir::Value row, mlir::Value count);

  mlir::ModuleOp module;
  mlir::Location location;
  amp::ReduceKind kind;
  uint64_t stride;
  mlir::OpBuilder builder;
  DeviceBuilder device;
  KernelAbi abi;
  bool flag;
  mlir::Type type;
};

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_FOLDFUNCTIONS_H
