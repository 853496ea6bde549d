// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Declarations: amp.state and amp.per_tensor become lists and fields.
#include "Lowering.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::amptosweep;

LogicalResult ModuleLowering::checkFree(Location loc, StringRef symbol) {
  Operation *other = symbols.lookup(symbol);
  if (!other)
    return success();
  InFlightDiagnostic diag = emitError(loc) << "needs the symbol @" << symbol << ", which is taken";
  diag.attachNote(other->getLoc()) << "declared here";
  return failure();
}

std::string ModuleLowering::uniqueSymbol(StringRef base) const {
  std::string name = base.str();
  for (unsigned n = 1; symbols.contains(name); ++n)
    name = (base + "." + Twine(n)).str();
  return name;
}

sweep::ListOp ModuleLowering::declareList(Location loc, sweep::ListKind kind, StringRef symbol,
                                          amp::TensorsType type, StringRef label, Attribute init,
                                          FlatSymbolRefAttr copyOf, FlatSymbolRefAttr step) {
  if (failed(checkFree(loc, symbol)))
    return {};
  auto list = sweep::ListOp::create(builder, loc, kind, symbol, type, label, init, copyOf, step);
  symbols[symbol] = list;
  lists[symbol] = list;
  listOrder.push_back(list);
  return list;
}

sweep::FieldOp ModuleLowering::declareField(Location loc, sweep::FieldKind kind, StringRef symbol,
                                            Type type, Attribute init, FlatSymbolRefAttr model,
                                            StringAttr alias, amp::Role role,
                                            FlatSymbolRefAttr scaler) {
  if (!type.isF32() && !type.isF64() && !type.isInteger(1) && !type.isInteger(32) &&
      !type.isInteger(64))
    return emitError(loc) << "expected @" << symbol << " to be f32, f64, i1, i32 or i64, got "
                          << type,
           sweep::FieldOp();
  if (failed(checkFree(loc, symbol)))
    return {};
  amp::RoleAttr roleAttr;
  if (role != amp::Role::None)
    roleAttr = amp::RoleAttr::get(builder.getContext(), role);
  auto field = sweep::FieldOp::create(builder, loc, kind, symbol, type, init, model, alias,
                                      roleAttr, scaler);
  symbols[symbol] = field;
  fields[symbol] = field;
  return field;
}

SmallVector<sweep::ListOp> ModuleLowering::getCopies(StringRef source) const {
  return llvm::filter_to_vector(listOrder, [&](sweep::ListOp list) {
    return list.getCopyOf() && *list.getCopyOf() == source;
  });
}

/// Values of `patterns` as constants of `type`; null after an error.
static amp::PatternsAttr convertPatterns(Operation *op, amp::PatternsAttr patterns, Type type) {
  SmallVector<Attribute> values;
  for (auto [glob, value] : llvm::zip(patterns.getGlobs(), patterns.getValues())) {
    TypedAttr constant = amp::convertConstant(value, type);
    if (!constant)
      return op->emitOpError() << "expected a constant of type " << type << " for " << glob
                               << ", got " << value,
             amp::PatternsAttr();
    values.push_back(constant);
  }
  return amp::PatternsAttr::get(op->getContext(), patterns.getGlobs(), values);
}

LogicalResult ModuleLowering::lowerState(amp::StateOp op) {
  auto type = dyn_cast<amp::TensorsType>(op.getType());
  Attribute init = op.getInitAttr();
  symbols.erase(op.getSymName());
  if (type && !type.getPerTensor()) {
    if (!init && !op.getCopyOfAttr())
      return op.emitOpError("expected an initial value or copy_of");
    // A list's constants are those of its elements, alone or by pattern.
    if (auto constant = dyn_cast_or_null<TypedAttr>(init)) {
      init = amp::convertConstant(constant, type.getElementType());
      if (!init)
        return op.emitOpError() << "expected an initial value of type " << type.getElementType()
                                << ", got " << constant;
    }
    return success(declareList(op.getLoc(), sweep::ListKind::State, op.getSymName(), type,
                               op.getSymName(), init, op.getCopyOfAttr(), {}));
  }
  Type scalar = type ? type.getElementType() : op.getType();
  if (auto patterns = dyn_cast_or_null<amp::PatternsAttr>(init); patterns && type)
    init = convertPatterns(op, patterns, scalar);
  else if (TypedAttr constant = init ? amp::convertConstant(init, scalar) : TypedAttr())
    init = constant;
  else
    return op.emitOpError() << "expected a constant initial value of type " << scalar << ", got "
                            << (init ? debugString(init) : "none");
  return success(init && declareField(op.getLoc(), sweep::FieldKind::State, op.getSymName(), scalar,
                                      init, type ? type.getModel() : FlatSymbolRefAttr()));
}

LogicalResult ModuleLowering::lowerPerTensor(amp::PerTensorOp op) {
  amp::PatternsAttr patterns = convertPatterns(op, op.getPatterns(), op.getType());
  symbols.erase(op.getSymName());
  return success(patterns && declareField(op.getLoc(), sweep::FieldKind::Parameter, op.getSymName(),
                                          op.getType(), patterns, op.getModelAttr()));
}

LogicalResult ModuleLowering::lowerStep(amp::StepOp op) { return StepLowering(*this, op).run(); }

LogicalResult ModuleLowering::run() {
  for (Operation &op : module.getOps())
    if (auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      symbols[name] = &op;
  // Instances are read while every name still means the declaration that the user wrote.
  if (failed(instantiateAll()))
    return failure();
  SmallVector<Operation *> done;
  auto lowerAll = [&]<typename OpTy>(LogicalResult (ModuleLowering::*lowerOne)(OpTy)) {
    for (OpTy op : module.getOps<OpTy>()) {
      builder.setInsertionPoint(op);
      if (failed((this->*lowerOne)(op)))
        return failure();
      done.push_back(op);
    }
    return success();
  };
  if (failed(lowerAll(&ModuleLowering::lowerPerTensor)) ||
      failed(lowerAll(&ModuleLowering::lowerState)) ||
      failed(lowerAll(&ModuleLowering::lowerScaler)) ||
      failed(lowerAll(&ModuleLowering::lowerOptimizer)) ||
      failed(lowerAll(&ModuleLowering::lowerStep)))
    return failure();
  for (amp::RuleOp rule : module.getOps<amp::RuleOp>())
    done.push_back(rule);
  for (Operation *op : done)
    op->erase();
  return success();
}
