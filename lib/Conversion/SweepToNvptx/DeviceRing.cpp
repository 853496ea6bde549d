// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a step tells the host while nobody waits: a row of SawtoothDeviceRing.
#include "Nvptx.h"

#include "sawtooth/runtime/Abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cstddef>

using namespace mlir;
using namespace sawtooth;

/// Copies `bytes` in words of 8, all threads of the block side by side. Volatile, since the host
/// may look at any time.
static void copyToHost(OpBuilder &builder, Location location, Value from, Value to,
                       uint64_t bytes) {
  DeviceBuilder device(builder, location);
  KernelAbi abi(builder, location, Value());
  Value words = device.i64(bytes / Layout::slotBytes);
  device.forRange(device.thread(), words, device.i64(kBlockThreads), [&](Value word) {
    Value value = abi.loadI64(abi.element(from, word, Layout::slotBytes));
    LLVM::StoreOp::create(builder, location, value, abi.element(to, word, Layout::slotBytes),
                          Layout::slotBytes, /*isVolatile=*/true);
  });
}

void sawtooth::emitRingRow(const LaunchContext &context, OpBuilder &builder, Value ctx,
                           Location location) {
  const StepLayout &step = context.kernel.step;
  DeviceBuilder device(builder, location);
  KernelAbi abi(builder, location, ctx);
  auto storeNow = [&](Value value, Value address) {
    LLVM::StoreOp::create(builder, location, value, address, Layout::slotBytes,
                          /*isVolatile=*/true);
  };
  Value ring = abi.loadPointer(abi.loadPointer(ctx, offsetof(SawtoothCtx, device)),
                               offsetof(SawtoothDevice, ring));
  Value written = abi.loadI64(ring, offsetof(SawtoothDeviceRing, written));
  Value last = device.sub(abi.loadI64(ring, offsetof(SawtoothDeviceRing, rows)), device.i64(1));
  Value bytes = device.mul(device.band(written, last),
                           abi.loadI64(ring, offsetof(SawtoothDeviceRing, rowBytes)));
  Value row = abi.element(abi.loadPointer(ring, offsetof(SawtoothDeviceRing, row)), bytes, 1);

  // A reader that meets the row half written finds its sequence changed: what a thread writes to
  // the row comes behind the 0 because of its own fence, whoever wrote the 0 before the barrier.
  device.when(device.isFirstThread(), [&] {
    storeNow(device.i64(0), abi.offset(row, offsetof(SawtoothRingRow, sequence)));
  });
  device.barrier();
  device.fenceSystem();
  device.when(device.isFirstThread(), [&] {
    sweep::StepOp op = step.op;
    unsigned number = *context.kernel.layout.findStep(op.getSymNameAttr());
    storeNow(device.i64(number), abi.offset(row, offsetof(SawtoothRingRow, step)));
  });
  Value content = abi.offset(row, sizeof(SawtoothRingRow));
  copyToHost(builder, location, abi.frameSlot(0), content, step.frameBytes);
  copyToHost(builder, location, abi.stateSlot(0), abi.offset(content, step.frameBytes),
             context.kernel.layout.stateBytes());
  device.fenceSystem();
  device.barrier();
  device.when(device.isFirstThread(), [&] {
    device.fenceSystem();
    Value next = device.add(written, device.i64(1));
    storeNow(next, abi.offset(row, offsetof(SawtoothRingRow, sequence)));
    abi.store(next, abi.offset(ring, offsetof(SawtoothDeviceRing, written)));
  });
}
