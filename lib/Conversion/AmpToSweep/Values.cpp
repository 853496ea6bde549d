// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values of a step: each list value becomes the scalar of one of its elements.
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::amptosweep;

Value StepLowering::lookup(Value value, Operation *user) {
  if (Value scalar = scalars.lookupOrNull(value))
    return scalar;
  InFlightDiagnostic diag = user->emitOpError() << "uses a value of type " << value.getType()
                                                << " that is neither a list nor a step value";
  if (isa<RankedTensorType>(value.getType()))
    diag.attachNote(value.getLoc()) << kTensorHint;
  return {};
}

Value StepLowering::lookupF32(Value value, Operation *user) {
  auto type = dyn_cast<amp::TensorsType>(value.getType());
  if (type && type.getPerTensor())
    return user->emitOpError() << "expected a list of elements, got " << type, Value();
  Value scalar = lookup(value, user);
  return scalar ? widen(scalar) : Value();
}

FailureOr<SmallVector<Value>> StepLowering::lookupAll(ValueRange values, Operation *user) {
  SmallVector<Value> result;
  for (Value value : values)
    if (!result.emplace_back(lookup(value, user)))
      return failure();
  return result;
}

Value StepLowering::widen(Value value) {
  Type type = value.getType();
  if (!type.isF16() && !type.isBF16())
    return value;
  return arith::ExtFOp::create(builder, value.getLoc(), builder.getF32Type(), value);
}

Value StepLowering::narrow(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::TruncFOp::create(builder, value.getLoc(), type, value);
}

Value StepLowering::constant(Type type, double value) {
  return arith::ConstantOp::create(builder, step.getLoc(), builder.getFloatAttr(type, value));
}

Value StepLowering::getField(FlatSymbolRefAttr symbol, Type type) {
  return sweep::GetOp::create(builder, step.getLoc(), type, symbol);
}

LogicalResult StepLowering::lower(amp::ReadOp op) {
  Value result;
  if (sweep::ListOp list = module.getList(op.getState())) {
    if (list.getType() != op.getType())
      return op.emitOpError() << "expected " << list.getType() << ", got " << op.getType();
    result = sweep::ElementOp::create(builder, op.getLoc(), list.getTensors().getElementType(),
                                      op.getStateAttr());
    plainLists[op.getResult()] = op.getStateAttr();
  } else if (const Instance *scaler = module.getScaler(op.getStateAttr())) {
    if (scaler->scaleType != op.getType())
      return op.emitOpError() << "expected " << scaler->scaleType << ", got " << op.getType();
    result = sweep::GetOp::create(builder, op.getLoc(), op.getType(), scaler->scale);
  } else if (sweep::FieldOp field = module.getField(op.getState())) {
    Type type = field.getType();
    if (field.getModelAttr())
      type = amp::TensorsType::get(op.getContext(), field.getModelAttr(), type, true);
    if (type != op.getType())
      return op.emitOpError() << "expected " << type << ", got " << op.getType();
    result = sweep::GetOp::create(builder, op.getLoc(), field.getType(), op.getStateAttr());
  } else {
    return op.emitOpError() << "expected a state or scaler, got " << op.getStateAttr();
  }
  scalars.map(op.getResult(), result);
  return success();
}

LogicalResult StepLowering::lower(amp::ScaleOp op) {
  const Instance *scaler = module.getScaler(op.getScalerAttr());
  if (!scaler)
    return op.emitOpError() << "expected a scaler, got " << op.getScalerAttr();
  Value value = lookup(op.getValue(), op);
  if (!value)
    return failure();
  Type type = value.getType();
  Value scale = getField(scaler->scale, scaler->scaleType);
  // f32 whatever is stored; a step value in f64 stays there, since narrowing it would lose more
  // than the product does.
  Type wide = type.isF64() ? type : builder.getF32Type();
  if (scale.getType() != wide)
    scale = wide.isF64() ? arith::ExtFOp::create(builder, op.getLoc(), wide, scale).getResult()
                         : narrow(scale, wide);
  Value product = arith::MulFOp::create(builder, op.getLoc(), widen(value), scale);
  scalars.map(op.getResult(), narrow(product, type));
  return success();
}

Value StepLowering::getReciprocal(const Instance &scaler) {
  Value &r = reciprocals[scaler.name];
  if (r)
    return r;
  Type f64 = builder.getF64Type();
  Value scale = getField(scaler.scale, scaler.scaleType);
  if (scale.getType() != f64)
    scale = arith::ExtFOp::create(builder, step.getLoc(), f64, scale);
  Value quotient = arith::DivFOp::create(builder, step.getLoc(), constant(f64, 1.0), scale);
  return r = narrow(quotient, builder.getF32Type());
}

LogicalResult StepLowering::lower(amp::UnscaleOp op) {
  const Instance *scaler = module.getScaler(op.getScalerAttr());
  if (!scaler)
    return op.emitOpError() << "expected a scaler, got " << op.getScalerAttr();
  Value value = lookupF32(op.getValue(), op);
  if (!value)
    return failure();
  Value product = arith::MulFOp::create(builder, op.getLoc(), value, getReciprocal(*scaler));
  scalars.map(op.getResult(),
              narrow(product, cast<amp::TensorsType>(op.getType()).getElementType()));
  return success();
}

LogicalResult StepLowering::lower(amp::ClipByNormOp op) {
  Value value = lookupF32(op.getValue(), op), norm = lookup(op.getNorm(), op),
        max = lookup(op.getMax(), op);
  if (!value || !norm || !max)
    return failure();
  Location loc = op.getLoc();
  Type f64 = builder.getF64Type();
  Value sum =
      arith::AddFOp::create(builder, loc, norm, constant(f64, op.getEps().convertToDouble()));
  Value quotient = arith::DivFOp::create(builder, loc, max, sum);
  Value k = arith::MinimumFOp::create(builder, loc, quotient, constant(f64, 1.0));
  Value product = arith::MulFOp::create(builder, loc, value, narrow(k, builder.getF32Type()));
  scalars.map(op.getResult(),
              narrow(product, cast<amp::TensorsType>(op.getType()).getElementType()));
  return success();
}

LogicalResult StepLowering::lower(amp::ClipByValueOp op) {
  Value value = lookupF32(op.getValue(), op), limit = lookup(op.getLimit(), op);
  if (!value || !limit)
    return failure();
  Location loc = op.getLoc();
  Value high = narrow(limit, builder.getF32Type());
  Value low = arith::NegFOp::create(builder, loc, high);
  Value raised = arith::MaximumFOp::create(builder, loc, value, low);
  Value clipped = arith::MinimumFOp::create(builder, loc, raised, high);
  scalars.map(op.getResult(),
              narrow(clipped, cast<amp::TensorsType>(op.getType()).getElementType()));
  return success();
}

LogicalResult StepLowering::lower(amp::CastOp op) {
  Value value = lookupF32(op.getValue(), op);
  if (!value)
    return failure();
  auto type = cast<amp::TensorsType>(op.getType());
  if (type.getPerTensor())
    return op.emitOpError() << "expected a list of elements, got " << type;
  scalars.map(op.getResult(), narrow(value, type.getElementType()));
  return success();
}

LogicalResult StepLowering::lower(amp::MapOp op) {
  auto type = cast<amp::TensorsType>(op.getType());
  Block &body = op.getBody().front();
  auto yield = dyn_cast<amp::YieldOp>(body.getTerminator());
  if (body.getNumArguments() != op.getInputs().size() || !yield || yield.getResults().size() != 1)
    return op.emitOpError("expected one block argument an input and one value yielded");
  IRMapping mapping;
  for (auto [argument, input] : llvm::zip(body.getArguments(), op.getInputs())) {
    Value value = lookup(input, op);
    if (!value)
      return failure();
    value = widen(value);
    if (argument.getType() != value.getType())
      return op.emitOpError() << "expected block argument " << argument.getArgNumber() << " to be "
                              << value.getType() << ", got " << argument.getType();
    mapping.map(argument, value);
  }
  FailureOr<SmallVector<Value>> results = inlineBody(builder, body, mapping, type.getModel());
  if (failed(results))
    return failure();
  Value result = results->front();
  Type element = type.getElementType();
  if (result.getType() != element &&
      !(result.getType().isF32() && (element.isF16() || element.isBF16())))
    return op.emitOpError() << "expected a value for " << type << " to be yielded, got "
                            << result.getType();
  scalars.map(op.getResult(), narrow(result, element));
  return success();
}

FailureOr<SmallVector<Value>> StepLowering::inlineRule(Operation *op, const Instance &instance,
                                                       ValueRange inputs,
                                                       const llvm::StringMap<Value> &hyper) {
  amp::RuleOp rule = *const_cast<Instance &>(instance).rule;
  IRMapping mapping;
  for (auto [param, home, argument] : llvm::zip_equal(rule.getParams().getAsRange<amp::ParamAttr>(),
                                                      instance.params, rule.getParamArguments())) {
    StringRef name = param.getName();
    Value given = hyper.lookup(name);
    if (given && given.getType() != param.getType())
      return op->emitOpError() << "expected '" << name << "' to be " << param.getType() << ", got "
                               << given.getType(),
             failure();
    if (!given && !home)
      return op->emitOpError() << "parameter '" << name << "' has no default: give it in hyper("
                               << name << " = …) or in @" << instance.name,
             failure();
    mapping.map(argument, given ? given : getField(home, param.getType()));
  }
  for (auto [home, argument] : llvm::zip_equal(instance.states, rule.getStateArguments())) {
    Value value =
        home.isList
            ? sweep::ElementOp::create(builder, op->getLoc(), home.type, home.symbol).getResult()
            : getField(home.symbol, home.type);
    mapping.map(argument, value);
  }
  if (inputs.size() != rule.getInputs().size())
    return op->emitOpError() << "expected " << rule.getInputs().size() << " inputs of @"
                             << rule.getSymName() << ", got " << inputs.size(),
           failure();
  for (auto [argument, input] : llvm::zip(rule.getInputArguments(), inputs)) {
    if (argument.getType() != input.getType())
      return op->emitOpError() << "expected input " << argument.getArgNumber() << " of @"
                               << rule.getSymName() << " to be " << argument.getType() << ", got "
                               << input.getType(),
             failure();
    mapping.map(argument, input);
  }
  return inlineBody(builder, rule.getBody().front(), mapping, instance.model);
}

LogicalResult StepLowering::lower(amp::ApplyOp op) {
  const Instance *optimizer = module.getOptimizer(op.getOptimizerAttr());
  if (!optimizer)
    return op.emitOpError() << "expected an optimizer, got " << op.getOptimizerAttr();
  amp::RuleOp rule = *const_cast<Instance *>(optimizer)->rule;
  llvm::StringMap<Value> hyper;
  for (auto [name, value] : llvm::zip(op.getHyperNames().getAsRange<StringAttr>(), op.getHyper())) {
    bool known = llvm::any_of(rule.getParams().getAsRange<amp::ParamAttr>(),
                              [&](amp::ParamAttr param) { return param.getName() == name; });
    if (!known)
      return op.emitOpError() << "@" << rule.getSymName() << " has no run-time parameter " << name;
    Value scalar = lookup(value, op);
    if (!scalar)
      return failure();
    if (!hyper.try_emplace(name.getValue(), scalar).second)
      return op.emitOpError() << "gives parameter " << name << " twice";
  }
  SmallVector<Value> inputs;
  for (Value input : op.getInputs()) {
    auto type = cast<amp::TensorsType>(input.getType());
    if (type.getModel() != optimizer->model)
      return op.emitOpError() << "expected lists of " << optimizer->model << ", got " << type;
    if (!inputs.emplace_back(lookupF32(input, op)))
      return failure();
  }
  FailureOr<SmallVector<Value>> yielded = inlineRule(op, *optimizer, inputs, hyper);
  if (failed(yielded))
    return failure();
  size_t count = yielded->size() - optimizer->states.size();
  if (count != op.getResults().size())
    return op.emitOpError() << "expected " << count << " results of @" << rule.getSymName()
                            << ", got " << op.getResults().size();
  for (auto [result, value] : llvm::zip(op.getResults(), *yielded)) {
    Type element = cast<amp::TensorsType>(result.getType()).getElementType();
    if (value.getType() != element)
      return op.emitOpError() << "expected a result of " << value.getType() << ", got "
                              << result.getType();
    scalars.map(result, value);
  }
  nextStates[op.getNext()].assign(yielded->begin() + count, yielded->end());
  return success();
}
