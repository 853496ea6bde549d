// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From the partials of passes to the frame and the per-tensor arrays, by the block that is done
// last.
#include "FoldFunctions.h"

#include "sawtooth/runtime/Abi.h"

#include <cstddef>

using namespace mlir;
using namespace sawtooth;

/// A folded value as the frame has it.
static Value fromFold(OpBuilder &builder, Location location, amp::ReduceKind kind, Value value) {
  if (kind != amp::ReduceKind::Or)
    return value;
  DeviceBuilder device(builder, location);
  return device.compare(arith::CmpIPredicate::ne, value, device.i64(0));
}

Value sawtooth::emitArrayFold(ModuleOp module, OpBuilder &builder, Location location,
                              amp::ReduceKind kind, Value base, Value count) {
  func::FuncOp fold = FoldBuilder(module, location, kind, Layout::slotBytes).column();
  auto call = func::CallOp::create(builder, location, fold, ValueRange{base, count});
  return fromFold(builder, location, kind, call.getResult(0));
}

/// One reduction of a pass that has run. Every thread knows the result of one over the step.
static Value foldColumn(const KernelContext &context, OpBuilder &builder, Location location,
                        KernelAbi &abi, const PassInfo &info, sweep::ReductionAttr reduction,
                        unsigned number, Value out) {
  DeviceBuilder device(builder, location);
  uint64_t bytes = context.step.partials * Layout::slotBytes;
  FoldBuilder folds(context.module, location, reduction.getKind(), bytes);
  Value model = abi.model(info.model);
  Value column = abi.offset(abi.partials(), (info.firstColumn + number) * Layout::slotBytes);
  if (!out && reduction.getKind() == amp::ReduceKind::Or) {
    Value first = abi.element(column, abi.firstChunk(model), bytes);
    auto call = func::CallOp::create(builder, location, folds.column(),
                                     ValueRange{first, abi.chunkCount(model)});
    return fromFold(builder, location, reduction.getKind(), call.getResult(0));
  }
  Value firstRow = abi.loadPointer(model, offsetof(SawtoothModel, firstRow));
  Value tensors = abi.tensorCount(model);
  bool perTensor = bool(out);
  if (!perTensor)
    out = LLVM::ZeroOp::create(builder, location, column.getType());
  func::CallOp::create(builder, location, folds.tensors(),
                       ValueRange{column, firstRow, tensors, out});
  if (perTensor)
    return {};
  device.barrier();
  auto call =
      func::CallOp::create(builder, location, folds.rows(), ValueRange{column, firstRow, tensors});
  return call.getResult(0);
}

void sawtooth::emitDeviceFold(const LaunchContext &context, sweep::PassOp pass, OpBuilder &builder,
                              Value ctx) {
  if (pass.getReductions().empty())
    return;
  const StepLayout &step = context.kernel.step;
  const PassInfo &info = step.passes.at(pass);
  Location location = pass.getLoc();
  DeviceBuilder device(builder, location);
  KernelAbi abi(builder, location, ctx);
  auto fold = [&] {
    for (auto [number, attr, result] : llvm::enumerate(
             pass.getReductions().getAsRange<sweep::ReductionAttr>(), pass.getResults())) {
      uint64_t place = step.values.at(result);
      Value out;
      if (attr.getExtent() == amp::Extent::Tensor)
        out = abi.perTensorSlot(abi.model(info.model), place, device.i64(0));
      Value value = foldColumn(context.kernel, builder, location, abi, info, attr, number, out);
      if (value)
        device.when(device.isFirstThread(), [&] { abi.store(value, abi.frameSlot(place)); });
    }
    return SmallVector<Value>();
  };
  if (!pass.getGate()) {
    fold();
    return;
  }
  // Nothing that is kept depends on the results of a pass that did not run; they are 0.
  device.choose(loadStepValue(abi, step, pass.getGate()), {}, fold, [&] {
    device.when(device.isFirstThread(), [&] {
      for (Value result : pass.getResults())
        if (!isa<sweep::PerTensorType>(result.getType())) {
          Value zero =
              arith::ConstantOp::create(builder, location, builder.getZeroAttr(result.getType()));
          abi.store(zero, abi.frameSlot(step.values.at(result)));
        }
    });
    return SmallVector<Value>();
  });
}
