// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Conversion/KernelAbi.h"

#include "sawtooth/runtime/Abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cstddef>

using namespace mlir;
using namespace sawtooth;

unsigned sawtooth::abiType(Type type) {
  if (type.isF16())
    return SAWTOOTH_F16;
  if (type.isBF16())
    return SAWTOOTH_BF16;
  if (type.isF32())
    return SAWTOOTH_F32;
  if (type.isF64())
    return SAWTOOTH_F64;
  if (type.isInteger(1))
    return SAWTOOTH_I1;
  return type.isInteger(32) ? SAWTOOTH_I32 : SAWTOOTH_I64;
}

unsigned sawtooth::elementBytes(Type type) {
  return type.isInteger(1) ? 1 : type.getIntOrFloatBitWidth() / 8;
}

func::FuncOp sawtooth::createKernel(OpBuilder &builder, ModuleOp module, Location location,
                                    StringRef name) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type index = builder.getI64Type();
  builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(builder, location, name,
                                       builder.getFunctionType({pointer, index, index}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

Value KernelAbi::constant(int64_t value) {
  return arith::ConstantOp::create(builder, location, builder.getI64IntegerAttr(value));
}

Value KernelAbi::offset(Value base, uint64_t bytes) {
  if (bytes == 0)
    return base;
  if (bytes > INT32_MAX) // beyond what a constant index of llvm.getelementptr holds
    return element(base, constant(bytes), 1);
  return LLVM::GEPOp::create(builder, location, base.getType(), builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

Value KernelAbi::element(Value base, Value index, uint64_t size) {
  Type type = builder.getIntegerType(8 * size);
  if (size > sizeof(uint64_t))
    type = LLVM::LLVMArrayType::get(builder.getI8Type(), size);
  return LLVM::GEPOp::create(builder, location, base.getType(), type, base,
                             ArrayRef<LLVM::GEPArg>{index});
}

Value KernelAbi::load(Type type, Value address) {
  if (type.isInteger(1)) {
    Value byte = LLVM::LoadOp::create(builder, location, builder.getI8Type(), address, 1);
    Value zero = arith::ConstantOp::create(builder, location, builder.getI8IntegerAttr(0));
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, byte, zero);
  }
  return LLVM::LoadOp::create(builder, location, type, address,
                              elementBytes(getElementTypeOrSelf(type)));
}

void KernelAbi::store(Value value, Value address) {
  if (value.getType().isInteger(1)) {
    Value byte = arith::ExtUIOp::create(builder, location, builder.getI8Type(), value);
    LLVM::StoreOp::create(builder, location, byte, address, 1);
    return;
  }
  LLVM::StoreOp::create(builder, location, value, address,
                        elementBytes(getElementTypeOrSelf(value.getType())));
}

Value KernelAbi::loadPointer(Value base, uint64_t bytes) {
  return LLVM::LoadOp::create(builder, location, base.getType(), offset(base, bytes),
                              alignof(void *));
}

Value KernelAbi::loadI64(Value base, uint64_t bytes) {
  return load(builder.getI64Type(), offset(base, bytes));
}

Value KernelAbi::frameSlot(uint64_t bytes) {
  return offset(loadPointer(ctx, offsetof(SawtoothCtx, frame)), bytes);
}
Value KernelAbi::stateSlot(uint64_t bytes) {
  return offset(loadPointer(ctx, offsetof(SawtoothCtx, state)), bytes);
}
Value KernelAbi::argumentSlot(uint64_t bytes) {
  return offset(loadPointer(ctx, offsetof(SawtoothCtx, args)), bytes);
}
Value KernelAbi::arena() { return loadPointer(ctx, offsetof(SawtoothCtx, arena)); }
Value KernelAbi::partials() { return loadPointer(ctx, offsetof(SawtoothCtx, partials)); }
Value KernelAbi::chunkTable() { return loadPointer(ctx, offsetof(SawtoothCtx, chunk)); }

Value KernelAbi::tensorArgument(uint64_t slot) {
  return loadPointer(loadPointer(ctx, offsetof(SawtoothCtx, tensor)), slot * sizeof(void *));
}

Value KernelAbi::model(unsigned number) {
  return loadPointer(loadPointer(ctx, offsetof(SawtoothCtx, model)), number * sizeof(void *));
}
Value KernelAbi::tensorCount(Value model) {
  return loadI64(model, offsetof(SawtoothModel, tensors));
}
Value KernelAbi::firstChunk(Value model) {
  return loadI64(model, offsetof(SawtoothModel, firstChunk));
}
Value KernelAbi::chunkCount(Value model) { return loadI64(model, offsetof(SawtoothModel, chunks)); }

Value KernelAbi::numel(Value model, Value tensor) {
  Value table = loadPointer(model, offsetof(SawtoothModel, numel));
  return loadI64(element(table, tensor, sizeof(int64_t)));
}
Value KernelAbi::rank(Value model, Value tensor) {
  Value table = loadPointer(model, offsetof(SawtoothModel, rank));
  return loadI64(element(table, tensor, sizeof(int64_t)));
}
Value KernelAbi::dim(Value model, Value tensor, unsigned index) {
  Value table = loadPointer(model, offsetof(SawtoothModel, dims));
  return loadI64(element(table, tensor, SAWTOOTH_MAX_RANK * sizeof(int64_t)),
                 index * sizeof(int64_t));
}

Value KernelAbi::listBuffer(Value model, unsigned list, Value tensor) {
  Value lists = loadPointer(model, offsetof(SawtoothModel, list));
  return loadPointer(element(loadPointer(lists, list * sizeof(void *)), tensor, sizeof(void *)));
}
Value KernelAbi::perTensorSlot(Value model, unsigned array, Value tensor) {
  Value arrays = loadPointer(model, offsetof(SawtoothModel, perTensor));
  return element(loadPointer(arrays, array * sizeof(void *)), tensor, Layout::slotBytes);
}
