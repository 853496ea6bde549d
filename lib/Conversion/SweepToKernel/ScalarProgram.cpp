// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A scalar program of a CPU: one function, which first folds the partials of the passes before it.
#include "ScalarEmitter.h"

#include "sawtooth/runtime/Abi.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cstddef>

using namespace mlir;
using namespace sawtooth;

namespace {

class ProgramFunction final : ScalarEmitter {
public:
  using ScalarEmitter::ScalarEmitter;

  LogicalResult emit(ArrayRef<sweep::PassOp> passes, StringRef name) {
    func::FuncOp function = createKernel(builder, context.module, location, name);
    KernelAbi abi(builder, location, function.getArgument(0));
    for (sweep::PassOp pass : passes)
      foldPass(abi, pass);
    LogicalResult result = emitProgram(abi);
    func::ReturnOp::create(builder, location);
    return result;
  }

private:
  void foldPass(KernelAbi &abi, sweep::PassOp pass);
  Value foldValues(KernelAbi &abi, sweep::FoldOp fold) final;

  void forEachTensor(KernelAbi &abi, Value model,
                     llvm::function_ref<void(Value tensor)> body) final {
    auto loop = scf::ForOp::create(builder, location, i64(0), abi.tensorCount(model), i64(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
};

} // namespace

/// Brings the reductions of a pass from its partials to the frame and the per-tensor arrays. Those
/// of a pass that its gate kept from running are 0; nothing that is kept depends on them.
void ProgramFunction::foldPass(KernelAbi &abi, sweep::PassOp pass) {
  if (pass.getReductions().empty())
    return;
  const PassInfo &info = context.step.passes.at(pass);
  OpBuilder::InsertionGuard guard(builder);
  Value ran;
  scf::IfOp gate;
  if (pass.getGate()) {
    ran = loadStepValue(abi, context.step, pass.getGate());
    gate = scf::IfOp::create(builder, location, ran, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(gate.thenBlock());
  }
  Value model = abi.model(info.model);
  Value tensors = abi.tensorCount(model);
  Value stride = i64(context.step.partials * Layout::slotBytes);
  Value row =
      abi.element(abi.partials(), abi.firstChunk(model), context.step.partials * Layout::slotBytes);
  Value numel = abi.loadPointer(model, offsetof(SawtoothModel, numel));
  for (auto [number, attr, result] : llvm::enumerate(
           pass.getReductions().getAsRange<sweep::ReductionAttr>(), pass.getResults())) {
    uint64_t place = context.step.values.at(result);
    Value column = abi.offset(row, (info.firstColumn + number) * Layout::slotBytes);
    if (attr.getExtent() == amp::Extent::Tensor) {
      Value out = abi.perTensorSlot(model, place, i64(0));
      func::CallOp::create(builder, location,
                           foldFunction(context.module, "fold_tensors", attr.getKind()),
                           ValueRange{column, stride, numel, tensors, out});
      continue;
    }
    bool flag = attr.getKind() == amp::ReduceKind::Or;
    func::FuncOp fold = foldFunction(context.module, flag ? "fold" : "fold_step", attr.getKind());
    auto arguments = flag ? SmallVector<Value>{column, stride, abi.chunkCount(model)}
                          : SmallVector<Value>{column, stride, numel, tensors};
    auto call = func::CallOp::create(builder, location, fold, arguments);
    abi.store(call.getResult(0), abi.frameSlot(place));
  }
  if (!gate)
    return;
  builder.setInsertionPointToStart(gate.elseBlock());
  for (Value result : pass.getResults())
    if (!isa<sweep::PerTensorType>(result.getType())) {
      Value zero =
          arith::ConstantOp::create(builder, location, builder.getZeroAttr(result.getType()));
      abi.store(zero, abi.frameSlot(context.step.values.at(result)));
    }
}

Value ProgramFunction::foldValues(KernelAbi &abi, sweep::FoldOp fold) {
  auto type = cast<sweep::PerTensorType>(fold.getValue().getType());
  Value model = abi.model(context.layout.modelNumber(type.getModel()));
  Value array = abi.perTensorSlot(model, context.step.values.at(fold.getValue()), i64(0));
  auto call =
      func::CallOp::create(builder, location, foldFunction(context.module, "fold", fold.getKind()),
                           ValueRange{array, i64(Layout::slotBytes), abi.tensorCount(model)});
  return call.getResult(0);
}

LogicalResult sawtooth::emitScalarProgram(const KernelContext &context, sweep::ScalarOp program,
                                          ArrayRef<sweep::PassOp> passes, StringRef name) {
  return ProgramFunction(context, program).emit(passes, name);
}
