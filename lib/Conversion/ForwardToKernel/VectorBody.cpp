// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VectorBody.h"

#include "../SweepToKernel/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sawtooth;

VectorBody::VectorBody(OpBuilder &builder, linalg::GenericOp op, unsigned lane,
                       ArrayRef<ForwardOperand> operands, ArrayRef<Value> results,
                       const IRMapping &captured)
    : builder(builder), location(op.getLoc()), op(op), lane(lane), operands(operands),
      results(results), captured(captured), abi(builder, location, Value()) {
  for (OpOperand &operand : op->getOpOperands())
    accesses.push_back(accessOf(op, operand));
}

VectorBody::Access VectorBody::accessOf(linalg::GenericOp op, OpOperand &operand) {
  Access access;
  access.strides.assign(op.getNumLoops(), 0);
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type)
    return access;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  int64_t stride = 1;
  for (unsigned dim = type.getRank(); dim-- > 0; stride *= type.getDimSize(dim)) {
    if (auto constant = dyn_cast<AffineConstantExpr>(map.getResult(dim)))
      access.offset += stride * constant.getValue();
    else
      access.strides[cast<AffineDimExpr>(map.getResult(dim)).getPosition()] += stride;
  }
  return access;
}

Value VectorBody::position(const Access &access, ArrayRef<Value> indices) {
  Value sum = abi.constant(access.offset);
  for (auto [stride, index] : llvm::zip(access.strides, indices)) {
    if (stride == 0)
      continue;
    Value term = arith::MulIOp::create(builder, location, index, abi.constant(stride));
    sum = arith::AddIOp::create(builder, location, sum, term);
  }
  return sum;
}

/// Elements `indices[lane]` and following of an operand; a scalar where they are all one.
Value VectorBody::load(unsigned number, ArrayRef<Value> indices) {
  if (!operands[number].address)
    return operands[number].scalar;
  const Access &access = accesses[number];
  Type element = getElementTypeOrSelf(op->getOperand(number).getType());
  Value base = operands[number].address, first = position(access, indices);
  uint64_t size = elementBytes(element);
  int64_t stride = access.strides[lane];
  if (lanes == 1 || stride == 0)
    return abi.load(element, abi.element(base, first, size));
  auto type = VectorType::get(lanes, element);
  if (stride == 1)
    return abi.load(type, abi.element(base, first, size));
  // Across rows: one by one.
  Value all = arith::ConstantOp::create(builder, location, builder.getZeroAttr(type));
  for (int64_t i = 0; i < lanes; ++i) {
    Value next = arith::AddIOp::create(builder, location, first, abi.constant(i * stride));
    Value value = abi.load(element, abi.element(base, next, size));
    all = vector::InsertOp::create(builder, location, value, all, i);
  }
  return all;
}

Value VectorBody::widen(Value value) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  auto type = VectorType::get(lanes, value.getType());
  return vector::BroadcastOp::create(builder, location, type, value);
}

/// linalg.index of the lane dimension.
Value VectorBody::laneIndex(Value first) {
  Value index = arith::IndexCastOp::create(builder, location, builder.getIndexType(), first);
  if (lanes == 1)
    return index;
  auto type = VectorType::get(lanes, builder.getIndexType());
  auto steps = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  Value offsets = arith::ConstantOp::create(builder, location,
                                            DenseIntElementsAttr::get(type, ArrayRef(steps)));
  return arith::AddIOp::create(builder, location, widen(index), offsets);
}

/// Which NaN an operation gives depends on the machine; what is stored does not.
Value VectorBody::canonical(Value value) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
  if (!element)
    return value;
  if (value.getDefiningOp<math::SqrtOp>())
    return canonicalizeNan(builder, location, value);
  TypedAttr nan = FloatAttr::get(element, APFloat::getQNaN(element.getFloatSemantics()));
  if (auto type = dyn_cast<VectorType>(value.getType()))
    nan = DenseElementsAttr::get(type, Attribute(nan));
  Value constant = arith::ConstantOp::create(builder, location, nan);
  Value isNan = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNO, value, value);
  return arith::SelectOp::create(builder, location, isNan, constant, value);
}

SmallVector<Value> VectorBody::indicesOfVector(ArrayRef<Value> indices, unsigned vector) {
  SmallVector<Value> moved(indices);
  if (vector > 0)
    moved[lane] = arith::AddIOp::create(builder, location, indices[lane],
                                        abi.constant(int64_t(vector) * lanes));
  return moved;
}

SmallVector<Value> VectorBody::loadInits(ArrayRef<Value> indices) {
  SmallVector<Value> values;
  for (unsigned vector = 0; vector < vectors; ++vector) {
    SmallVector<Value> moved = indicesOfVector(indices, vector);
    for (OpOperand &init : op.getDpsInitsMutable())
      values.push_back(widen(load(init.getOperandNumber(), moved)));
  }
  return values;
}

/// Emits the body's ops on what `mapping` gives for its arguments, and returns what it yields.
SmallVector<Value> VectorBody::clone(IRMapping &mapping, ArrayRef<Value> indices) {
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      Value number = indices[index.getDim()];
      mapping.map(index.getResult(), index.getDim() == lane
                                         ? laneIndex(number)
                                         : arith::IndexCastOp::create(
                                               builder, location, builder.getIndexType(), number)
                                               .getResult());
      continue;
    }
    bool isVector = llvm::any_of(inner.getOperands(), [&](Value operand) {
      return isa<VectorType>(mapping.lookup(operand).getType());
    });
    if (isVector)
      for (Value operand : inner.getOperands())
        mapping.map(operand, widen(mapping.lookup(operand)));
    Operation *copy = builder.clone(inner, mapping);
    if (isVector)
      for (OpResult result : copy->getResults())
        result.setType(VectorType::get(lanes, result.getType()));
  }
  return llvm::map_to_vector(op.getBody()->getTerminator()->getOperands(),
                             [&](Value value) { return widen(mapping.lookup(value)); });
}

SmallVector<Value> VectorBody::compute(ArrayRef<Value> indices, ValueRange accumulators) {
  SmallVector<Value> values;
  SmallVector<Value> once(op->getNumOperands()); // what does not depend on the lane
  for (unsigned vector = 0; vector < vectors; ++vector) {
    SmallVector<Value> moved = indicesOfVector(indices, vector);
    IRMapping mapping(captured);
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      unsigned number = operand.getOperandNumber();
      if (argument.use_empty())
        continue;
      if (op.isDpsInit(&operand) && !accumulators.empty()) {
        unsigned result = number - op.getNumDpsInputs();
        mapping.map(argument, accumulators[vector * op.getNumDpsInits() + result]);
        continue;
      }
      Value value = once[number] ? once[number] : load(number, moved);
      if (accesses[number].strides[lane] == 0)
        once[number] = value;
      mapping.map(argument, value);
    }
    llvm::append_range(values, clone(mapping, moved));
  }
  return values;
}

void VectorBody::store(ArrayRef<Value> indices, ArrayRef<Value> values) {
  unsigned count = op.getNumDpsInits();
  for (unsigned vector = 0; vector < vectors; ++vector) {
    SmallVector<Value> moved = indicesOfVector(indices, vector);
    for (unsigned result = 0; result < count; ++result) {
      const Access &access = accesses[op.getNumDpsInputs() + result];
      Value value = canonical(values[vector * count + result]);
      Type element = getElementTypeOrSelf(value.getType());
      if (lanes == 1 || access.strides[lane] == 1) {
        abi.store(value,
                  abi.element(results[result], position(access, moved), elementBytes(element)));
        continue;
      }
      // A second result may run along other dimensions.
      for (int64_t i = 0; i < lanes; ++i) {
        Value first = position(access, moved);
        Value place =
            arith::AddIOp::create(builder, location, first, abi.constant(i * access.strides[lane]));
        Value single = vector::ExtractOp::create(builder, location, value, i);
        abi.store(single, abi.element(results[result], place, elementBytes(element)));
      }
    }
  }
}
