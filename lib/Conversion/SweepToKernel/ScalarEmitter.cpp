// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScalarEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sawtooth;

void ScalarEmitter::loadAllCaptured(KernelAbi &abi) {
  Region &region = program.getBody();
  llvm::SetVector<Value> captured;
  program.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!region.isAncestor(operand.getParentRegion()) &&
          !isa<sweep::PerTensorType>(operand.getType()))
        captured.insert(operand);
  });
  for (Value value : captured)
    mapping.map(value, loadCaptured(abi, value));
}

LogicalResult ScalarEmitter::emitProgram(KernelAbi &abi) {
  loadAllCaptured(abi);
  Block &body = program.getBody().front();
  if (failed(emitOps(abi, body, Value(), Value())))
    return failure();
  LogicalResult sets = success();
  emitWrites([&] {
    for (const std::function<void()> &report : reports)
      report();
    sets = emitSets(abi, body, Value(), Value());
    if (failed(sets))
      return;
    for (auto [value, result] :
         llvm::zip_equal(body.getTerminator()->getOperands(), program.getResults()))
      if (!isa<sweep::PerTensorType>(value.getType()))
        abi.store(mapping.lookup(value), resultSlot(abi, result));
  });
  return sets;
}

/// Operations but the writes of fields, which come after them. Inside sweep.each, `model` and
/// `tensor` say where.
LogicalResult ScalarEmitter::emitOps(KernelAbi &abi, Block &block, Value model, Value tensor) {
  for (Operation &op : block.without_terminator())
    if (!isa<sweep::SetOp>(op) && failed(emitOp(abi, op, model, tensor)))
      return failure();
  return success();
}

LogicalResult ScalarEmitter::emitSets(KernelAbi &abi, Block &block, Value model, Value tensor) {
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
    reports.push_back([this, &abi, log]() mutable {
      storeClean(abi, mapping.lookup(log.getValue()), abi.frameSlot(context.step.logs.at(log)));
    });
    return success();
  }
  if (auto outcome = dyn_cast<sweep::OutcomeOp>(op)) {
    reports.push_back([this, &abi, outcome]() mutable {
      const StepLayout &step = context.step;
      abi.store(mapping.lookup(outcome.getApplied()), abi.frameSlot(step.applied));
      if (outcome.getCauses())
        abi.store(mapping.lookup(outcome.getCauses()), abi.frameSlot(*step.cause));
    });
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
  LogicalResult result = success();
  forEachTensor(abi, model, [&](Value tensor) {
    Block &body = each.getBody().front();
    for (auto [input, argument] : llvm::zip_equal(each.getInputs(), body.getArguments()))
      mapping.map(argument,
                  abi.load(argument.getType(),
                           abi.perTensorSlot(model, context.step.values.at(input), tensor)));
    result = emitOps(abi, body, model, tensor);
    if (succeeded(result))
      result = emitSets(abi, body, model, tensor);
    if (failed(result))
      return;
    for (auto [value, output] :
         llvm::zip_equal(body.getTerminator()->getOperands(), each.getResults()))
      abi.store(mapping.lookup(value),
                abi.perTensorSlot(model, context.step.values.at(output), tensor));
  });
  return result;
}
