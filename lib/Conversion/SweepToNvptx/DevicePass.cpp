// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A block's share of a pass: which warp works on which chunk, or part of one.
#include "DevicePass.h"

#include "sawtooth/runtime/Abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cstddef>

using namespace mlir;
using namespace sawtooth;

/// The first of the units from `begin` on that is this warp's: those of number w mod `stride`. Only
/// the first pass of a launch may take them from its own beginning on without leaving the last
/// warps without work.
Value DevicePass::firstUnit(Value begin, Value stride, bool first) {
  Value warps = device.i64(kBlockWarps);
  Value own = device.add(device.mul(device.block(), warps), device.warp());
  if (first)
    return device.add(begin, own);
  Value behind = arith::RemUIOp::create(builder, location, begin, stride);
  Value ahead = device.sub(device.add(own, stride), behind);
  return device.add(begin, arith::RemUIOp::create(builder, location, ahead, stride));
}

Value DevicePass::enterChunk(KernelAbi &abi, Value row) {
  Value chunk = abi.element(abi.chunkTable(), row, sizeof(SawtoothChunk));
  Value tensor = device.extend(
      abi.load(builder.getI32Type(), abi.offset(chunk, offsetof(SawtoothChunk, tensor))));
  Value index = abi.loadI64(chunk, offsetof(SawtoothChunk, index));
  Value model = abi.model(info.model);
  Value first = device.mul(index, i64(SAWTOOTH_CHUNK));
  Value left = device.sub(abi.numel(model, tensor), first);
  for (auto &[name, stream] : streams)
    stream.buffer = abi.element(abi.listBuffer(model, stream.list, tensor), first,
                                elementBytes(stream.element));
  emitTensorValues(abi, tensor);
  return device.min(left, i64(SAWTOOTH_CHUNK));
}

Value DevicePass::narrow(Value value) {
  return arith::TruncIOp::create(builder, location, builder.getI32Type(), value);
}

/// Whether every stream's chunk starts where whole vectors may.
Value DevicePass::isAligned() {
  Value offsets = i64(0);
  for (auto &[name, stream] : streams) {
    Value address =
        LLVM::PtrToIntOp::create(builder, location, builder.getI64Type(), stream.buffer);
    int64_t bytes = kDeviceWidth * elementBytes(stream.element);
    offsets =
        arith::OrIOp::create(builder, location, offsets, device.band(address, i64(bytes - 1)));
  }
  return device.compare(arith::CmpIPredicate::eq, offsets, i64(0));
}

LogicalResult DevicePass::emit(OpBuilder &at, Value ctx, unsigned warpsPerRow, bool first) {
  builder.restoreInsertionPoint(at.saveInsertionPoint());
  if (failed(classify()))
    return failure();
  for (ArrayAttr names : {pass.getReads(), pass.getWrites()})
    for (FlatSymbolRefAttr list : names.getAsRange<FlatSymbolRefAttr>())
      if (!streams.contains(list))
        streams[list] = {context.layout.listNumber(list),
                         context.layout.list(list).getTensors().getElementType(),
                         {}};

  KernelAbi abi(builder, location, ctx);
  auto emitUnits = [&] {
    emitStepValues(abi);
    Value model = abi.model(info.model);
    unsigned shift = llvm::Log2_32(warpsPerRow);
    auto units = [&](Value rows) { return device.mul(rows, i64(warpsPerRow)); };
    Value firstRow = abi.firstChunk(model);
    Value begin = units(firstRow);
    Value end = units(device.add(firstRow, abi.chunkCount(model)));
    Value stride = device.mul(device.blocks(), i64(kBlockWarps));
    // 32 bits count the parts of any model that fits into a device (4 * 10^12 elements), and save
    // registers.
    device.forRange(narrow(firstUnit(begin, stride, first)), narrow(end), narrow(stride),
                    [&](Value narrowUnit) {
                      Value unit = device.extend(narrowUnit);
                      Value row = device.shiftRight(unit, shift);
                      Value count = enterChunk(abi, row);
                      if (!pass.getReductions().empty())
                        return emitReduction(abi, {row, i64(0), count});
                      Value part = device.band(unit, i64(warpsPerRow - 1));
                      int64_t size = SAWTOOTH_CHUNK / warpsPerRow;
                      Value from = device.mul(part, i64(size));
                      emitMap({row, from, device.min(count, device.add(from, i64(size)))});
                    });
  };
  // Every block looks: a gated pass costs no access to a list.
  if (Value gate = pass.getGate())
    device.when(loadCaptured(abi, gate), emitUnits);
  else
    emitUnits();
  return success();
}

void DevicePass::emitMap(const Part &part) {
  Value whole = device.band(part.end, i64(-int64_t(kDeviceWidth)));
  whole = arith::MaxSIOp::create(builder, location, whole, part.begin);
  whole = device.select(isAligned(), whole, part.begin);
  // Inside of a chunk 32 bits are enough, and half the registers.
  auto emitLoop = [&](Value begin, Value end, unsigned elements) {
    width = elements;
    broadcastUniform();
    Value first = device.add(begin, device.mul(device.lane(), i64(elements)));
    device.forRange(narrow(first), narrow(end), device.i32(kWarpThreads * elements),
                    [&](Value element) {
                      IRMapping mapping;
                      emitVector(mapping, element, /*rest=*/Value(), /*aligned=*/Value());
                    });
  };
  // The rest goes first, so that nothing of it is kept in registers through the other loop.
  emitLoop(whole, part.end, 1);
  emitLoop(part.begin, whole, kDeviceWidth);
}

LogicalResult sawtooth::emitDevicePass(const LaunchContext &context, sweep::PassOp pass,
                                       OpBuilder &builder, Value ctx, unsigned warpsPerRow,
                                       bool first) {
  return DevicePass(context, context.kernel, pass).emit(builder, ctx, warpsPerRow, first);
}
