// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finite tests and norms: reductions over the elements of lists.
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::amptosweep;

FlatSymbolRefAttr StepLowering::findSource(Value value) {
  while (true) {
    if (FlatSymbolRefAttr list = plainLists.lookup(value))
      return list;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() == 0)
      return {};
    value = op->getOperand(0);
  }
}

std::string StepLowering::describe(Value value) {
  FlatSymbolRefAttr source = findSource(value);
  if (!source)
    return "a value";
  sweep::ListOp list = module.getList(source.getValue());
  return (list ? list.getLabel() : source.getValue()).str();
}

void StepLowering::collectScalers(Value value, SmallVectorImpl<FlatSymbolRefAttr> &scalers) {
  llvm::SetVector<Value> work;
  work.insert(value);
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i].getDefiningOp();
    if (!op)
      continue;
    if (auto unscale = dyn_cast<amp::UnscaleOp>(op))
      if (!llvm::is_contained(scalers, unscale.getScalerAttr()))
        scalers.push_back(unscale.getScalerAttr());
    work.insert(op->operand_begin(), op->operand_end());
  }
}

Value StepLowering::isNotFinite(Value value) {
  Location loc = value.getLoc();
  bool wide = value.getType().isF64();
  Type bits = builder.getIntegerType(wide ? 64 : 32);
  Value mask = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(bits, wide ? 0x7ff0000000000000 : 0x7f800000));
  Value cast = arith::BitcastOp::create(builder, loc, bits, value);
  Value exponent = arith::AndIOp::create(builder, loc, cast, mask);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, exponent, mask);
}

LogicalResult StepLowering::lower(amp::IsFiniteOp op) {
  Location loc = op.getLoc();
  ArrayAttr labels = op.getLabelsAttr();
  if (labels && labels.size() != op.getValues().size())
    return op.emitOpError() << "expected " << op.getValues().size() << " labels, got "
                            << labels.size();
  SmallVector<Value> bad;
  SmallVector<FlatSymbolRefAttr> scalers;
  for (auto [index, value] : llvm::enumerate(op.getValues())) {
    Value scalar = lookup(value, op);
    if (!scalar)
      return failure();
    Value test = isNotFinite(widen(scalar));
    std::string label = "value";
    if (auto type = dyn_cast<amp::TensorsType>(value.getType())) {
      label = "gradient";
      test = sweep::ReduceOp::create(builder, loc, builder.getI1Type(), amp::ReduceKind::Or, test,
                                     amp::Extent::Step, type.getModel().getValue(),
                                     builder.getStringAttr("finite check of " + describe(value)));
    } else if (value.getDefiningOp<amp::NormOp>()) {
      label = "norm";
    }
    if (labels)
      label = cast<StringAttr>(labels[index]).str();
    FlatSymbolRefAttr source = findSource(value);
    causes.push_back({label, source ? "@" + source.getValue().str() : "", test});
    bad.push_back(test);
    collectScalers(value, scalers);
  }
  // g * r says nothing about g when r is no finite number, or 0.
  for (FlatSymbolRefAttr symbol : scalers) {
    Value &test = unusable[symbol.getValue()];
    if (!test) {
      Value r = getReciprocal(*module.getScaler(symbol));
      Value isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, r,
                                           constant(r.getType(), 0.0));
      test = arith::OrIOp::create(builder, loc, isNotFinite(r), isZero);
      causes.push_back({"scale", "@" + symbol.getValue().str(), test});
    }
    bad.push_back(test);
  }
  Value any = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  if (!bad.empty())
    any = bad.front();
  for (Value next : llvm::drop_begin(bad))
    any = arith::OrIOp::create(builder, loc, any, next);
  Value one = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  scalars.map(op.getResult(), arith::XOrIOp::create(builder, loc, any, one).getResult());
  return success();
}

LogicalResult StepLowering::lower(amp::NormOp op) {
  Location loc = op.getLoc();
  Type f64 = builder.getF64Type();
  double order = op.getOrder().convertToDouble();
  bool isMax = std::isinf(order) && order > 0;
  if (order != 1.0 && order != 2.0 && !isMax)
    return op.emitOpError() << "expected order 1, 2 or inf, got " << order;
  // No elements: 0 for every order. The maximum's own neutral element would be -inf.
  Value total = constant(f64, 0.0);
  for (auto [index, value] : llvm::enumerate(op.getValues())) {
    Value scalar = lookupF32(value, op);
    if (!scalar)
      return failure();
    Value term = order == 2.0 ? arith::MulFOp::create(builder, loc, scalar, scalar).getResult()
                              : math::AbsFOp::create(builder, loc, scalar).getResult();
    Value part = sweep::ReduceOp::create(
        builder, loc, f64, isMax ? amp::ReduceKind::Max : amp::ReduceKind::Add, term,
        amp::Extent::Step, cast<amp::TensorsType>(value.getType()).getModel().getValue(),
        builder.getStringAttr((isMax          ? "largest magnitude of "
                               : order == 1.0 ? "sum of magnitudes of "
                                              : "sum of squares of ") +
                              describe(value)));
    if (isMax)
      total = arith::MaximumFOp::create(builder, loc, total, part);
    else
      total = index == 0 ? part : arith::AddFOp::create(builder, loc, total, part).getResult();
  }
  if (order == 2.0)
    total = math::SqrtOp::create(builder, loc, total);
  scalars.map(op.getResult(), total);
  return success();
}
