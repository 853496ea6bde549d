// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a step leaves behind: commits, scaler updates, logs, counters, outcome.
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::amptosweep;

LogicalResult StepLowering::storeState(Operation *op, StringRef symbol, Value value, Value flag) {
  sweep::ListOp list = module.getList(symbol);
  Type element = list.getTensors().getElementType();
  if (value.getType() != element)
    return op->emitOpError() << "expected a value of type " << element << " for @" << symbol
                             << ", got " << value.getType();
  sweep::StoreOp::create(builder, op->getLoc(), value, symbol, flag);
  // Copies follow at once, each from what was stored in its own source.
  for (sweep::ListOp copy : module.getCopies(symbol)) {
    Type type = copy.getTensors().getElementType();
    Value converted = type == element ? value : narrow(widen(value), type);
    if (failed(storeState(op, copy.getSymName(), converted, flag)))
      return failure();
  }
  return success();
}

LogicalResult StepLowering::lower(amp::CommitOp op) {
  commits = true;
  Value flag;
  if (op.getFlag()) {
    if (!(flag = lookup(op.getFlag(), op)))
      return failure();
    if (!llvm::is_contained(flags, flag))
      flags.push_back(flag);
  } else if (!op.getAlways()) {
    return op.emitOpError("expected 'when' or 'always'");
  }
  for (auto [value, attr] : llvm::zip(op.getValues(), op.getStates())) {
    auto symbol = cast<FlatSymbolRefAttr>(attr);
    if (auto next = dyn_cast<amp::NextType>(value.getType())) {
      const Instance *optimizer = module.getOptimizer(symbol);
      if (!optimizer || next.getOptimizer() != symbol || !nextStates.contains(value))
        return op.emitOpError() << "expected the next state of " << symbol << ", got " << next;
      for (auto [home, state] : llvm::zip(optimizer->states, nextStates[value])) {
        if (!home.isChanged)
          continue;
        if (!home.isList)
          sweep::SetOp::create(builder, op.getLoc(), state, home.symbol, flag);
        else if (failed(storeState(op, home.symbol.getValue(), state, flag)))
          return failure();
      }
      continue;
    }
    Value scalar = lookup(value, op);
    if (!scalar)
      return failure();
    if (sweep::ListOp list = module.getList(symbol.getValue())) {
      if (list.getType() != value.getType())
        return op.emitOpError() << "expected a value of type " << list.getType() << " for "
                                << symbol << ", got " << value.getType();
      if (list.getKind() != sweep::ListKind::State || list.getCopyOf())
        return op.emitOpError() << "expected a state of its own, got " << symbol;
      if (failed(storeState(op, symbol.getValue(), scalar, flag)))
        return failure();
    } else if (sweep::FieldOp field = module.getField(symbol.getValue())) {
      auto list = dyn_cast<amp::TensorsType>(value.getType());
      if (field.getType() != scalar.getType() ||
          field.getModelAttr() != (list ? list.getModel() : FlatSymbolRefAttr()))
        return op.emitOpError() << "expected a value of type " << field.getType()
                                << (field.getModelAttr() ? " per tensor" : "") << " for " << symbol
                                << ", got " << value.getType();
      if (field.getKind() != sweep::FieldKind::State)
        return op.emitOpError() << "expected a state, got the parameter " << symbol;
      sweep::SetOp::create(builder, op.getLoc(), scalar, symbol, flag);
    } else {
      return op.emitOpError() << "expected a state, got " << symbol;
    }
  }
  return success();
}

LogicalResult StepLowering::lower(amp::UpdateOp op) {
  commits = true;
  const Instance *scaler = module.getScaler(op.getScalerAttr());
  if (!scaler)
    return op.emitOpError() << "expected a scaler, got " << op.getScalerAttr();
  Value flag = lookup(op.getFlag(), op);
  if (!flag)
    return failure();
  FailureOr<SmallVector<Value>> yielded = inlineRule(op, *scaler, flag, {});
  if (failed(yielded))
    return failure();
  if (yielded->size() != scaler->states.size())
    return op.emitOpError("expected a policy to yield its states alone");
  for (auto [home, state] : llvm::zip(scaler->states, *yielded))
    if (home.isChanged)
      sweep::SetOp::create(builder, op.getLoc(), state, home.symbol, /*flag=*/Value());
  return success();
}

LogicalResult StepLowering::lower(amp::LogOp op) {
  Value value = lookup(op.getValue(), op);
  if (!value)
    return failure();
  if (isa<RankedTensorType>(value.getType())) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "expected a step value or a result of the outlined part, got "
                              << value.getType();
    diag.attachNote() << kTensorHint;
    return diag;
  }
  sweep::LogOp::create(builder, op.getLoc(), op.getKey(), widen(value), op.getReduce());
  return success();
}

/// Labels of the causes; where two are the same, each gets its list's name, then a number.
static SmallVector<std::string> nameCauses(ArrayRef<std::pair<std::string, std::string>> causes) {
  auto count = [](auto &&range, const std::string &text) {
    return llvm::count_if(range, [&](const std::string &other) { return other == text; });
  };
  auto labels = llvm::make_first_range(causes);
  SmallVector<std::string> names;
  for (auto &[label, source] : causes)
    names.push_back(count(labels, label) > 1 && !source.empty() ? label + " " + source : label);
  SmallVector<std::string> result;
  for (auto [index, name] : llvm::enumerate(names)) {
    size_t before = count(ArrayRef(names).take_front(index), name);
    result.push_back(before ? name + " #" + std::to_string(before + 1) : name);
  }
  return result;
}

LogicalResult StepLowering::writeCounters() {
  Location loc = step.getLoc();
  Type i64 = builder.getI64Type();
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  Value applied;
  for (Value flag : flags)
    applied = applied ? arith::AndIOp::create(builder, loc, applied, flag).getResult() : flag;
  if (!applied)
    applied = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  auto get = [&](StringRef name) {
    return getField(
        FlatSymbolRefAttr::get(step.getContext(), (step.getSymName() + "." + name).str()), i64);
  };
  auto set = [&](StringRef name, Value value) {
    sweep::SetOp::create(
        builder, loc, value,
        FlatSymbolRefAttr::get(step.getContext(), (step.getSymName() + "." + name).str()),
        /*flag=*/Value());
  };
  auto add = [&](Value a, Value b) -> Value { return arith::AddIOp::create(builder, loc, a, b); };
  auto select = [&](Value a, Value b) -> Value {
    return arith::SelectOp::create(builder, loc, applied, a, b);
  };
  Value zero = integer(0), one = integer(1);
  Value attemptedBefore = get("attempted"), appliedBefore = get("applied"),
        skippedBefore = get("skipped"), consecutiveBefore = get("consecutive_skips"),
        calibrationBefore = get("calibration_skips");
  set("attempted", add(attemptedBefore, one));
  set("applied", select(add(appliedBefore, one), appliedBefore));
  set("skipped", select(skippedBefore, add(skippedBefore, one)));
  set("consecutive_skips", select(zero, add(consecutiveBefore, one)));
  // Calibration: the scale is still looking for its place, nothing was applied yet.
  Value calibrates =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, appliedBefore, zero);
  Value calibrationAfter = arith::SelectOp::create(builder, loc, calibrates,
                                                   add(calibrationBefore, one), calibrationBefore);
  set("calibration_skips", select(calibrationBefore, calibrationAfter));

  if (causes.size() > 64)
    return step.emitOpError() << "expected at most 64 causes of a skip, got " << causes.size();
  Value word;
  SmallVector<std::pair<std::string, std::string>> named;
  for (auto [index, cause] : llvm::enumerate(causes)) {
    named.emplace_back(cause.label, cause.source);
    Value bit = arith::SelectOp::create(builder, loc, cause.bad,
                                        integer(static_cast<int64_t>(1ull << index)), zero);
    word = word ? arith::OrIOp::create(builder, loc, word, bit).getResult() : bit;
  }
  SmallVector<std::string> labels = nameCauses(named);
  sweep::OutcomeOp::create(builder, loc, applied, word,
                           builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(labels)));
  return success();
}
