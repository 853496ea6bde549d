// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What all elements of a tensor, or of the step, share in a pass: computed once, as scalars.
#include "PassBodyEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace sawtooth;

/// Extents of the body's values, and the checks that make vectors of the rest possible.
LogicalResult PassBodyEmitter::classify() {
  Block &body = pass.getBody().front();
  unsigned reads = pass.getReads().size();
  for (BlockArgument argument : body.getArguments())
    extents[argument] = argument.getArgNumber() < reads ? Extent::Element : Extent::Tensor;
  for (Operation &op : body.without_terminator()) {
    if (op.getNumRegions() != 0 || op.getNumResults() == 0 || !isMemoryEffectFree(&op))
      return op.emitOpError("expected an operation on values alone in the body of a pass");
    Extent extent = Extent::Step;
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() == &body)
        extent = std::max(extent, extents.at(operand));
    if (isa<sweep::NumelOp, sweep::DimOp, sweep::RankOp>(op))
      extent = Extent::Tensor;
    if (auto get = dyn_cast<sweep::GetOp>(op))
      extent = context.layout.field(get.getFieldAttr()).model ? Extent::Tensor : Extent::Step;
    else if (isa<sweep::SweepDialect>(op.getDialect()) &&
             !isa<sweep::NumelOp, sweep::DimOp, sweep::RankOp>(op))
      return op.emitOpError("expected no such operation in the body of a pass");
    for (Value result : op.getResults())
      extents[result] = extent;
    if (extent != Extent::Element)
      continue;
    bool power = isa<amp::PowiOp>(op);
    if (!power && !OpTrait::hasElementwiseMappableTraits(&op))
      return op.emitOpError("expected an elementwise operation at element extent");
    for (auto [number, operand] : llvm::enumerate(op.getOperands())) {
      bool varies = operand.getParentBlock() == &body && extents.at(operand) == Extent::Element;
      if (power && number == 1) {
        if (varies)
          return op.emitOpError(
              "expected an exponent that is the same for all elements of a tensor");
        continue;
      }
      if (!varies)
        broadcasts.insert(operand);
    }
  }
  for (Value operand : body.getTerminator()->getOperands())
    if (operand.getParentBlock() != &body || extents.at(operand) != Extent::Element)
      broadcasts.insert(operand);
  return success();
}

/// What one tensor or step value is: a table's entry, a field, or the operation itself on scalars.
Value PassBodyEmitter::uniformOp(KernelAbi &abi, Operation &op, Value tensor) {
  auto model = [&] { return abi.model(info.model); };
  if (isa<sweep::NumelOp>(op))
    return abi.numel(model(), tensor);
  if (isa<sweep::RankOp>(op))
    return abi.rank(model(), tensor);
  if (auto dim = dyn_cast<sweep::DimOp>(op))
    return abi.dim(model(), tensor, dim.getIndex());
  auto get = cast<sweep::GetOp>(op);
  const FieldInfo &field = context.layout.field(get.getFieldAttr());
  return abi.load(get.getType(), field.model ? abi.perTensorSlot(model(), field.offset, tensor)
                                             : abi.stateSlot(field.offset));
}

void PassBodyEmitter::emitStepValues(KernelAbi &abi) {
  Region &region = pass.getBody();
  llvm::SetVector<Value> captured;
  region.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!region.isAncestor(operand.getParentRegion()))
        captured.insert(operand);
  });
  for (Value value : captured)
    uniform.map(value, loadCaptured(abi, value));
  for (int32_t flag : pass.getWriteFlags()) {
    if (flag < 0) {
      writeFlags.push_back(Value());
      continue;
    }
    Value value = pass.getFlags()[flag];
    if (!uniform.contains(value))
      uniform.map(value, loadCaptured(abi, value));
    writeFlags.push_back(uniform.lookup(value));
  }
  emitUniform(abi, Extent::Step, Value());
}

void PassBodyEmitter::emitUniform(KernelAbi &abi, Extent extent, Value tensor) {
  Block &body = pass.getBody().front();
  if (extent == Extent::Tensor)
    for (auto [operand, argument] : llvm::zip_equal(
             pass.getTensors(), body.getArguments().drop_front(pass.getReads().size()))) {
      Value slot =
          abi.perTensorSlot(abi.model(info.model), context.step.values.at(operand), tensor);
      uniform.map(argument, abi.load(argument.getType(), slot));
    }
  for (Operation &op : body.without_terminator()) {
    if (extents.at(op.getResult(0)) != extent)
      continue;
    if (isa<sweep::SweepDialect>(op.getDialect()))
      uniform.map(op.getResult(0), uniformOp(abi, op, tensor));
    else
      cloneExact(builder, &op, uniform);
  }
}

void PassBodyEmitter::broadcastUniform() {
  for (Value value : broadcasts) {
    Value scalar = uniform.lookup(value);
    splats.map(value,
               vector::BroadcastOp::create(builder, location, vectorOf(scalar.getType()), scalar));
  }
}
