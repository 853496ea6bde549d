// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The compiler's side of runtime/include/sawtooth/runtime/Abi.h: IR that reaches everything a
// generated function may touch through its SawtoothCtx. Offsets are taken from the header itself.
#ifndef SAWTOOTH_CONVERSION_KERNELABI_H
#define SAWTOOTH_CONVERSION_KERNELABI_H

#include "sawtooth/Analysis/Layout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace sawtooth {

/// The number of SawtoothType for a scalar type of the sweep dialect (f16 bf16 f32 f64 i1 i32 i64).
unsigned abiType(mlir::Type type);

/// Bytes of an element of a list or tensor: 2 or 4 for the storage types, 1 for i1.
unsigned elementBytes(mlir::Type type);

/// Adds `func.func @name(%ctx: !llvm.ptr, %begin: i64, %end: i64)` with an empty entry block at
/// the end of the module, and sets `builder` to the block's start.
mlir::func::FuncOp createKernel(mlir::OpBuilder &builder, mlir::ModuleOp module,
                                mlir::Location location, mlir::StringRef name);

/// On a function that a launch on a GPU starts: the threads of a block, i32.
inline constexpr llvm::StringLiteral kKernelThreadsAttr = "sawtooth.threads";

/// Emits address arithmetic, loads and stores of one generated function. All addresses are
/// pointers of the address space of `ctx`, all indices i64.
class KernelAbi {
public:
  KernelAbi(mlir::OpBuilder &builder, mlir::Location location, mlir::Value ctx)
      : builder(builder), location(location), ctx(ctx) {}

  mlir::Value constant(int64_t value); // i64
  /// base + bytes.
  mlir::Value offset(mlir::Value base, uint64_t bytes);
  /// base + index * size.
  mlir::Value element(mlir::Value base, mlir::Value index, uint64_t size);

  /// A scalar or vector, aligned to its element only. i1 is stored as one byte.
  mlir::Value load(mlir::Type type, mlir::Value address);
  void store(mlir::Value value, mlir::Value address);
  mlir::Value loadPointer(mlir::Value base, uint64_t bytes = 0);
  mlir::Value loadI64(mlir::Value base, uint64_t bytes = 0);

  /// Addresses of 8-byte slots (Layout::slotBytes).
  mlir::Value frameSlot(uint64_t bytes);
  mlir::Value stateSlot(uint64_t bytes);
  mlir::Value argumentSlot(uint64_t bytes);

  /// Start of the arena, of the partials, of the chunk table.
  mlir::Value arena();
  mlir::Value partials();
  mlir::Value chunkTable();
  /// Buffer of a tensor argument, by slot.
  mlir::Value tensorArgument(uint64_t slot);

  /// SawtoothModel of a model.
  mlir::Value model(unsigned number);
  /// Number of tensors, first chunk row and number of chunk rows of a model.
  mlir::Value tensorCount(mlir::Value model);
  mlir::Value firstChunk(mlir::Value model);
  mlir::Value chunkCount(mlir::Value model);
  /// Elements, dimensions and sizes of a tensor.
  mlir::Value numel(mlir::Value model, mlir::Value tensor);
  mlir::Value rank(mlir::Value model, mlir::Value tensor);
  mlir::Value dim(mlir::Value model, mlir::Value tensor, unsigned index);
  /// Buffer of one tensor of a list.
  mlir::Value listBuffer(mlir::Value model, unsigned list, mlir::Value tensor);
  /// Slot of one tensor in per-tensor array `array`.
  mlir::Value perTensorSlot(mlir::Value model, unsigned array, mlir::Value tensor);

private:
  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Value ctx;
};

} // namespace sawtooth

#endif // SAWTOOTH_CONVERSION_KERNELABI_H
