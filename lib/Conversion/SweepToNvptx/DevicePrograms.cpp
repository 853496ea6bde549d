// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scalar programs on a GPU. One thread runs a program of scalars alone. One that walks over tensors
// is run by all threads of the block: each does the scalars, tensors are divided, and the first
// thread writes.
#include "../SweepToKernel/ScalarEmitter.h"
#include "Nvptx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace sawtooth;

Value LaunchContext::sharedSlot(OpBuilder &builder, Location location, unsigned slot) const {
  DeviceBuilder device(builder, location);
  Value slots = device.sharedSlots(kernel.module, launch.kernel + ".entry", shared.size());
  return KernelAbi(builder, location, Value()).offset(slots, slot * Layout::slotBytes);
}

Value LaunchContext::load(OpBuilder &builder, KernelAbi &abi, Location location,
                          Value value) const {
  auto slot = shared.find(value);
  if (slot == shared.end())
    return loadStepValue(abi, kernel.step, value);
  return abi.load(value.getType(), sharedSlot(builder, location, slot->second));
}

bool sawtooth::walksTensors(sweep::ScalarOp program) {
  return program
      .walk([](Operation *op) {
        return isa<sweep::EachOp, sweep::FoldOp>(op) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

class DeviceProgram : public ScalarEmitter {
public:
  DeviceProgram(const LaunchContext &launch, sweep::ScalarOp program, bool entry)
      : ScalarEmitter(launch.kernel, program), launch(launch), device(builder, location),
        entry(entry), wholeBlock(walksTensors(program)) {}

  LogicalResult emit(OpBuilder &at, Value ctx) {
    builder.restoreInsertionPoint(at.saveInsertionPoint());
    KernelAbi abi(builder, location, ctx);
    if (wholeBlock)
      return emitProgram(abi);
    LogicalResult result = success();
    device.when(device.isFirstThread(), [&] { result = emitProgram(abi); });
    return result;
  }

private:
  void forEachTensor(KernelAbi &abi, Value model,
                     llvm::function_ref<void(Value tensor)> body) final {
    device.forRange(device.thread(), abi.tensorCount(model), i64(kBlockThreads), body);
  }

  Value foldValues(KernelAbi &abi, sweep::FoldOp fold) final {
    auto type = cast<sweep::PerTensorType>(fold.getValue().getType());
    Value model = abi.model(context.layout.modelNumber(type.getModel()));
    Value array = abi.perTensorSlot(model, context.step.values.at(fold.getValue()), i64(0));
    device.barrier(); // each thread has written its tensors
    return emitArrayFold(context.module, builder, location, fold.getKind(), array,
                         abi.tensorCount(model));
  }

  void emitWrites(llvm::function_ref<void()> writes) final {
    if (!wholeBlock)
      return writes();
    device.barrier(); // every thread has read
    device.when(device.isFirstThread(), writes);
  }

  Value loadCaptured(KernelAbi &abi, Value value) final {
    return entry ? launch.load(builder, abi, location, value)
                 : ScalarEmitter::loadCaptured(abi, value);
  }

  Value resultSlot(KernelAbi &abi, Value result) final {
    return entry ? launch.sharedSlot(builder, location, launch.shared.at(result))
                 : ScalarEmitter::resultSlot(abi, result);
  }

  const LaunchContext &launch;
  DeviceBuilder device;
  bool entry, wholeBlock;
};

} // namespace

LogicalResult sawtooth::emitEntryProgram(const LaunchContext &context, sweep::ScalarOp program,
                                         OpBuilder &builder, Value ctx) {
  return DeviceProgram(context, program, /*entry=*/true).emit(builder, ctx);
}

LogicalResult sawtooth::emitLastProgram(const LaunchContext &context, sweep::ScalarOp program,
                                        OpBuilder &builder, Value ctx) {
  return DeviceProgram(context, program, /*entry=*/false).emit(builder, ctx);
}
