// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A scalar program: folds the partials of the passes before it, then runs its operations on values
// of the frame, the arguments and the state. Reads of fields see the state at entry of the step, so
// all writes of fields are emitted last.
#include "Kernels.h"

#include "sawtooth/runtime/Abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <cstddef>

using namespace mlir;
using namespace sawtooth;

namespace {

class ScalarEmitter {
public:
  ScalarEmitter(const KernelContext &context, sweep::ScalarOp program)
      : context(context), program(program), location(program.getLoc()),
        builder(program.getContext()) {}

  LogicalResult emit(ArrayRef<sweep::PassOp> passes, StringRef name);

private:
  void foldPass(KernelAbi &abi, sweep::PassOp pass);
  void loadCaptured(KernelAbi &abi);
  LogicalResult emitBlock(KernelAbi &abi, Block &block, Value model, Value tensor);
  LogicalResult emitOp(KernelAbi &abi, Operation &op, Value model, Value tensor);
  LogicalResult emitEach(KernelAbi &abi, sweep::EachOp each);
  LogicalResult emitSet(KernelAbi &abi, sweep::SetOp set, Value model, Value tensor);
  FailureOr<Value> fieldSlot(KernelAbi &abi, Operation *op, FlatSymbolRefAttr name, Value model,
                             Value tensor);
  Value foldValues(KernelAbi &abi, sweep::FoldOp fold);
  void storeClean(KernelAbi &abi, Value value, Value address) {
    abi.store(canonicalizeNan(builder, location, value), address);
  }
  Value i64(int64_t value) {
    return arith::ConstantOp::create(builder, location, builder.getI64IntegerAttr(value));
  }

  const KernelContext &context;
  sweep::ScalarOp program;
  Location location;
  OpBuilder builder;
  IRMapping mapping;
  /// Per-tensor fields that a sweep.each has written: reads after that would see the new value.
  llvm::DenseSet<StringAttr> written;
};

} // namespace

/// Brings the reductions of a pass from its partials to the frame and the per-tensor arrays. Those
/// of a pass that its gate kept from running are 0; nothing that is kept depends on them.
void ScalarEmitter::foldPass(KernelAbi &abi, sweep::PassOp pass) {
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

void ScalarEmitter::loadCaptured(KernelAbi &abi) {
  Region &region = program.getBody();
  llvm::SetVector<Value> captured;
  program.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!region.isAncestor(operand.getParentRegion()) &&
          !isa<sweep::PerTensorType>(operand.getType()))
        captured.insert(operand);
  });
  for (Value value : captured)
    mapping.map(value, loadStepValue(abi, context.step, value));
}

LogicalResult ScalarEmitter::emit(ArrayRef<sweep::PassOp> passes, StringRef name) {
  func::FuncOp function = createKernel(builder, context.module, location, name);
  KernelAbi abi(builder, location, function.getArgument(0));
  for (sweep::PassOp pass : passes)
    foldPass(abi, pass);
  loadCaptured(abi);
  Block &body = program.getBody().front();
  if (failed(emitBlock(abi, body, Value(), Value())))
    return failure();
  for (auto [value, result] :
       llvm::zip_equal(body.getTerminator()->getOperands(), program.getResults()))
    if (!isa<sweep::PerTensorType>(value.getType()))
      abi.store(mapping.lookup(value), abi.frameSlot(context.step.values.at(result)));
  func::ReturnOp::create(builder, location);
  return success();
}

/// Operations first, writes of fields after them. Inside sweep.each, `model` and `tensor` say
/// where.
LogicalResult ScalarEmitter::emitBlock(KernelAbi &abi, Block &block, Value model, Value tensor) {
  for (Operation &op : block.without_terminator())
    if (!isa<sweep::SetOp>(op) && failed(emitOp(abi, op, model, tensor)))
      return failure();
  for (sweep::SetOp set : block.getOps<sweep::SetOp>())
    if (failed(emitSet(abi, set, model, tensor)))
      return failure();
  return success();
}

FailureOr<Value> ScalarEmitter::fieldSlot(KernelAbi &abi, Operation *op, FlatSymbolRefAttr name,
                                          Value model, Value tensor) {
  const FieldInfo &field = context.layout.field(name);
  if (!field.model)
    return abi.stateSlot(field.offset);
  auto each = op->getParentOfType<sweep::EachOp>();
  if (!each || context.layout.modelNumber(each.getModelAttr()) != *field.model)
    return op->emitOpError("expected a per-tensor field inside sweep.each over its model");
  return abi.perTensorSlot(model, field.offset, tensor);
}

LogicalResult ScalarEmitter::emitSet(KernelAbi &abi, sweep::SetOp set, Value model, Value tensor) {
  if (tensor && !context.layout.field(set.getFieldAttr()).model)
    return set.emitOpError(
        "expected a per-tensor field inside sweep.each, got a field of the step");
  FailureOr<Value> slot = fieldSlot(abi, set, set.getFieldAttr(), model, tensor);
  if (failed(slot))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  if (Value flag = set.getFlag()) {
    auto when =
        scf::IfOp::create(builder, location, mapping.lookup(flag), /*withElseRegion=*/false);
    builder.setInsertionPointToStart(when.thenBlock());
  }
  storeClean(abi, mapping.lookup(set.getValue()), *slot);
  if (tensor)
    written.insert(set.getFieldAttr().getAttr());
  return success();
}

LogicalResult ScalarEmitter::emitOp(KernelAbi &abi, Operation &op, Value model, Value tensor) {
  const StepLayout &step = context.step;
  if (!isa<sweep::SweepDialect>(op.getDialect())) {
    cloneExact(builder, &op, mapping);
    return success();
  }
  if (auto get = dyn_cast<sweep::GetOp>(op)) {
    if (written.contains(get.getFieldAttr().getAttr()))
      return op.emitOpError("expected every read of ")
             << get.getFieldAttr() << " in sweep.each before the one that writes it";
    FailureOr<Value> slot = fieldSlot(abi, get, get.getFieldAttr(), model, tensor);
    if (failed(slot))
      return failure();
    mapping.map(get.getResult(), abi.load(get.getType(), *slot));
    return success();
  }
  if (auto each = dyn_cast<sweep::EachOp>(op))
    return emitEach(abi, each);
  if (auto fold = dyn_cast<sweep::FoldOp>(op)) {
    mapping.map(fold.getResult(), foldValues(abi, fold));
    return success();
  }
  if (auto log = dyn_cast<sweep::LogOp>(op)) {
    storeClean(abi, mapping.lookup(log.getValue()), abi.frameSlot(step.logs.at(log)));
    return success();
  }
  if (auto outcome = dyn_cast<sweep::OutcomeOp>(op)) {
    abi.store(mapping.lookup(outcome.getApplied()), abi.frameSlot(step.applied));
    if (outcome.getCauses())
      abi.store(mapping.lookup(outcome.getCauses()), abi.frameSlot(*step.cause));
    return success();
  }
  if (!tensor)
    return op.emitOpError("expected no such operation in a scalar program outside sweep.each");
  if (auto numel = dyn_cast<sweep::NumelOp>(op))
    mapping.map(numel.getResult(), abi.numel(model, tensor));
  else if (auto rank = dyn_cast<sweep::RankOp>(op))
    mapping.map(rank.getResult(), abi.rank(model, tensor));
  else if (auto dim = dyn_cast<sweep::DimOp>(op))
    mapping.map(dim.getResult(), abi.dim(model, tensor, dim.getIndex()));
  else
    return op.emitOpError("expected no such operation in sweep.each");
  return success();
}

LogicalResult ScalarEmitter::emitEach(KernelAbi &abi, sweep::EachOp each) {
  Value model = abi.model(context.layout.modelNumber(each.getModelAttr()));
  auto loop = scf::ForOp::create(builder, location, i64(0), abi.tensorCount(model), i64(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value tensor = loop.getInductionVar();
  Block &body = each.getBody().front();
  for (auto [input, argument] : llvm::zip_equal(each.getInputs(), body.getArguments()))
    mapping.map(argument,
                abi.load(argument.getType(),
                         abi.perTensorSlot(model, context.step.values.at(input), tensor)));
  if (failed(emitBlock(abi, body, model, tensor)))
    return failure();
  for (auto [value, result] :
       llvm::zip_equal(body.getTerminator()->getOperands(), each.getResults()))
    abi.store(mapping.lookup(value),
              abi.perTensorSlot(model, context.step.values.at(result), tensor));
  return success();
}

Value ScalarEmitter::foldValues(KernelAbi &abi, sweep::FoldOp fold) {
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
  return ScalarEmitter(context, program).emit(passes, name);
}
