// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernel of a launch: entry programs, passes, and the block that is done last.
#include "Nvptx.h"

#include "sawtooth/runtime/Abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cstddef>

using namespace mlir;
using namespace sawtooth;

static bool reduces(const Launch &launch) {
  return llvm::any_of(launch.passes,
                      [](sweep::PassOp pass) { return !pass.getReductions().empty(); });
}

/// Without reductions, several warps share a row: a small model then keeps the whole device busy,
/// and 2048 elements a warp are still worth reading the tables for.
unsigned sawtooth::warpsPerRow(const Launch &launch) {
  if (launch.passes.empty())
    return 0;
  return reduces(launch) ? 1 : 8;
}

namespace {

class LaunchEmitter {
public:
  LaunchEmitter(const KernelContext &kernel, const Launch &launch)
      : context{kernel, launch, llvm::DenseMap<Value, unsigned>()},
        location(kernel.step.op->getLoc()), builder(kernel.step.op->getContext()),
        device(builder, location) {
    for (sweep::ScalarOp program : launch.entry)
      for (Value result : program.getResults())
        context.shared.try_emplace(result, context.shared.size());
  }

  LogicalResult emit(unsigned warpsPerRow);

private:
  const Launch &launch() { return context.launch; }
  LogicalResult emitEntry();
  bool hasLastBlock() const;
  Value takeTicket();
  void publishEntry();
  LogicalResult emitLastBlock();

  LaunchContext context;
  Location location;
  OpBuilder builder;
  DeviceBuilder device;
  Value ctx;
};

} // namespace

LogicalResult LaunchEmitter::emitEntry() {
  for (sweep::ScalarOp program : launch().entry)
    if (failed(emitEntryProgram(context, program, builder, ctx)))
      return failure();
  if (!launch().entry.empty())
    device.barrier();
  return success();
}

/// Whether anything is left to do when all blocks are done.
bool LaunchEmitter::hasLastBlock() const {
  const Launch &launch = context.launch;
  return launch.last || !launch.entry.empty() || !launch.after.empty() || reduces(launch);
}

/// True in the block that is done last, which then sees what all others have written.
Value LaunchEmitter::takeTicket() {
  KernelAbi abi(builder, location, ctx);
  Value shared = device.sharedSlots(context.kernel.module, "sawtooth.last", 1);
  device.barrier();
  device.when(device.isFirstThread(), [&] {
    Value tickets = abi.loadPointer(abi.loadPointer(ctx, offsetof(SawtoothCtx, device)),
                                    offsetof(SawtoothDevice, ticket));
    device.fenceDevice();
    Value before = LLVM::AtomicRMWOp::create(builder, location, LLVM::AtomicBinOp::add,
                                             abi.offset(tickets, launch().index * sizeof(uint32_t)),
                                             device.i32(1), LLVM::AtomicOrdering::monotonic);
    device.fenceDevice();
    Value behind = device.add(device.extend(before), device.i64(1));
    Value last = device.compare(arith::CmpIPredicate::eq, behind, device.blocks());
    abi.store(last, shared);
  });
  device.barrier();
  return abi.load(builder.getI1Type(), shared);
}

/// What later launches and programs want of the entry programs.
void LaunchEmitter::publishEntry() {
  if (context.shared.empty())
    return;
  KernelAbi abi(builder, location, ctx);
  device.when(device.isFirstThread(), [&] {
    for (sweep::ScalarOp program : launch().entry)
      for (Value result : program.getResults())
        abi.store(context.load(builder, abi, location, result),
                  abi.frameSlot(context.kernel.step.values.at(result)));
  });
  device.barrier();
}

LogicalResult LaunchEmitter::emitLastBlock() {
  publishEntry();
  bool folded = false;
  for (sweep::PassOp pass : launch().passes) {
    folded |= !pass.getReductions().empty();
    emitDeviceFold(context, pass, builder, ctx);
  }
  if (folded)
    device.barrier();
  for (sweep::ScalarOp program : launch().after) {
    if (failed(emitLastProgram(context, program, builder, ctx)))
      return failure();
    device.barrier();
  }
  if (launch().last)
    emitRingRow(context, builder, ctx, location);
  return success();
}

LogicalResult LaunchEmitter::emit(unsigned warpsPerRow) {
  func::FuncOp function =
      createDeviceFunction(builder, context.kernel.module, location, launch().kernel,
                           {globalPointer(builder.getContext())}, {}, /*kernel=*/true);
  ctx = function.getArgument(0);
  LogicalResult result = success();
  if (launch().passes.empty()) {
    Value first = device.compare(arith::CmpIPredicate::eq, device.block(), device.i64(0));
    device.when(first, [&] { result = emitLastBlock(); });
  } else {
    result = emitEntry();
    for (auto [number, pass] : llvm::enumerate(launch().passes))
      if (succeeded(result))
        result = emitDevicePass(context, pass, builder, ctx, warpsPerRow, number == 0);
    if (succeeded(result) && hasLastBlock()) {
      device.when(takeTicket(), [&] {
        KernelAbi abi(builder, location, ctx);
        device.when(device.isFirstThread(), [&] {
          Value tickets = abi.loadPointer(abi.loadPointer(ctx, offsetof(SawtoothCtx, device)),
                                          offsetof(SawtoothDevice, ticket));
          abi.store(device.i32(0), abi.offset(tickets, launch().index * sizeof(uint32_t)));
        });
        result = emitLastBlock();
      });
    }
  }
  func::ReturnOp::create(builder, location);
  return result;
}

LogicalResult sawtooth::emitLaunch(const KernelContext &context, const Launch &launch,
                                   unsigned warpsPerRow) {
  return LaunchEmitter(context, launch).emit(warpsPerRow);
}
