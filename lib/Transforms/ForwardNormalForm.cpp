// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Transforms/ForwardNormalForm.h"

#include "amp/Amp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace sawtooth;

Value sawtooth::lookThroughReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

static bool isStorable(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type) ||
         type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

bool sawtooth::isForwardTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getRank() == 0 ||
      !isStorable(tensor.getElementType()))
    return false;
  // Far beyond any memory, and products of two such numbers do not overflow.
  constexpr int64_t limit = int64_t(1) << 45;
  int64_t elements = 1;
  for (int64_t size : tensor.getShape()) {
    if (size > limit || elements * std::max<int64_t>(size, 1) > limit)
      return false;
    elements *= std::max<int64_t>(size, 1);
  }
  return true;
}

static LogicalResult checkTensors(Operation *op, TypeRange types) {
  for (Type type : types) {
    if (!isa<TensorType>(type) || isForwardTensor(type))
      continue;
    return op->emitError() << "expected tensors of static shape and rank 1 or more, with elements "
                              "of f16, bf16, f32, f64, i32 or i64, got "
                           << type;
  }
  return success();
}

/// Whether the op computes one scalar from others by the numerics contract.
static bool isScalarArithmetic(Operation &op) {
  if (op.getNumRegions() != 0)
    return false;
  if (isa<arith::ArithDialect>(op.getDialect()))
    return true;
  return isa<amp::OpaqueOp, math::AbsFOp, math::CeilOp, math::CopySignOp, math::CosOp, math::ErfOp,
             math::ExpOp, math::FloorOp, math::FmaOp, math::LogOp, math::PowFOp, math::RoundEvenOp,
             math::RoundOp, math::SqrtOp, math::TanhOp, math::TruncOp>(op);
}

static LogicalResult checkBody(linalg::GenericOp op) {
  for (Operation &inner : op.getBody()->without_terminator())
    if (!isa<linalg::IndexOp>(inner) && !isScalarArithmetic(inner))
      return inner.emitError() << "expected arith, linalg.index or one of the math functions absf, "
                                  "ceil, copysign, cos, erf, exp, floor, fma, log, powf, round, "
                                  "roundeven, sqrt, tanh and trunc, got '"
                               << inner.getName() << "'";
  return success();
}

static LogicalResult checkMaps(linalg::GenericOp op) {
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr index : map.getResults())
      if (!isa<AffineDimExpr, AffineConstantExpr>(index))
        return op.emitError() << "expected indexing maps that pick dimensions or constants, got "
                              << AffineMapAttr::get(map);
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    llvm::SmallBitVector seen(op.getNumLoops());
    bool isPlain = map.getNumResults() == parallel.size();
    for (AffineExpr index : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(index);
      isPlain &= dim && !seen.test(dim.getPosition());
      if (dim)
        seen.set(dim.getPosition());
    }
    for (unsigned dim : parallel)
      isPlain &= seen.test(dim);
    if (!isPlain)
      return op.emitError() << "expected a result that is indexed by every parallel dimension once "
                               "and by no other, got "
                            << AffineMapAttr::get(map);
  }
  return success();
}

/// A tensor.empty has no elements to read.
static LogicalResult checkInitialized(linalg::GenericOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    bool isRead = op.payloadUsesValueFromOperand(&operand);
    if (isRead && lookThroughReshapes(operand.get()).getDefiningOp<tensor::EmptyOp>())
      return op.emitError() << "expected operand " << operand.getOperandNumber()
                            << " to have a value, got 'tensor.empty'";
  }
  return success();
}

static LogicalResult checkGeneric(linalg::GenericOp op) {
  if (failed(checkTensors(op, op->getOperandTypes())) || failed(checkMaps(op)) ||
      failed(checkInitialized(op)) || failed(checkBody(op)))
    return failure();
  if (op.getNumReductionLoops() > 0)
    for (Type type : op->getResultTypes()) {
      Type element = getElementTypeOrSelf(type);
      if (element.isF16() || element.isBF16())
        return op.emitError() << "expected a reduction to accumulate in f32, got " << element
                              << "; make its result f32, and round to " << element << " after it";
    }
  return success();
}

static LogicalResult checkReturn(func::ReturnOp op) {
  llvm::SmallPtrSet<Value, 8> returned;
  for (Value value : op.getOperands()) {
    Value root = lookThroughReshapes(value);
    if (!root.getDefiningOp<linalg::GenericOp>() || !returned.insert(root).second)
      return op.emitError() << "expected to return results of linalg.generic, each once";
  }
  return success();
}

LogicalResult sawtooth::verifyForwardNormalForm(func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitError("expected a function with a body of one block");
  if (failed(checkTensors(function, function.getArgumentTypes())))
    return failure();
  for (Operation &op : function.getBody().front()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (failed(checkGeneric(generic)))
        return failure();
    } else if (auto end = dyn_cast<func::ReturnOp>(op)) {
      if (failed(checkReturn(end)))
        return failure();
    } else if (isa<linalg::FillOp, tensor::EmptyOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
                   op) ||
               (isa<arith::ConstantOp>(op) && !isa<ShapedType>(op.getResult(0).getType()))) {
      if (failed(checkTensors(&op, op.getResultTypes())))
        return failure();
    } else {
      return op.emitError() << "expected linalg ops, tensor.empty or reshapes in the forward and "
                               "backward part of a step, got '"
                            << op.getName() << "'";
    }
  }
  return success();
}
