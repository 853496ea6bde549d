// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What declarations, scalar ops and the parts of a cut step must be, each by itself.
#include "sweep/Sweep.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::sweep;

/// The declaration of kind OpTy that `symbol` names; null after an error.
template <typename OpTy>
static OpTy find(Operation *user, SymbolTableCollection &symbols, FlatSymbolRefAttr symbol,
                 StringRef what) {
  Operation *found = symbols.lookupNearestSymbolFrom(user, symbol);
  if (auto op = dyn_cast_or_null<OpTy>(found))
    return op;
  InFlightDiagnostic diag = user->emitOpError()
                            << "expected " << symbol << " to name " << what << ", got "
                            << (found ? found->getName().getStringRef() : "nothing");
  if (found)
    diag.attachNote(found->getLoc()) << "declared here";
  return {};
}

static LogicalResult checkModel(Operation *user, SymbolTableCollection &symbols,
                                FlatSymbolRefAttr model) {
  return success(find<amp::ModelOp>(user, symbols, model, "a model") != nullptr);
}

static LogicalResult checkType(Operation *op, StringRef what, Type expected, Type got) {
  if (expected == got)
    return success();
  return op->emitOpError() << "expected " << what << " of type " << expected << ", got " << got;
}

//===------------------------------------------------------------------------------------------===//
// Declarations
//===------------------------------------------------------------------------------------------===//

LogicalResult ListOp::verify() {
  auto type = dyn_cast<amp::TensorsType>(getType());
  if (!type || type.getPerTensor())
    return emitOpError() << "expected a list with a value for each element, got " << getType();
  if (getKind() == ListKind::State) {
    if (getInit().has_value() == getCopyOfAttr().operator bool())
      return emitOpError("expected state to have either an initial value or a list that it copies");
    if (getStepAttr())
      return emitOpError() << "expected state to belong to no step, got " << getStepAttr();
    return success();
  }
  if (getInit() || getCopyOfAttr())
    return emitOpError() << "expected only state to have an initial value or to be a copy";
  if (!getStepAttr())
    return emitOpError() << "expected the step that this " << stringifyListKind(getKind())
                         << " belongs to";
  return success();
}

LogicalResult ListOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(checkModel(*this, symbols, getTensors().getModel())))
    return failure();
  if (getStepAttr() && !find<StepOp>(*this, symbols, getStepAttr(), "a step"))
    return failure();
  if (!getCopyOfAttr())
    return success();
  auto source = find<ListOp>(*this, symbols, getCopyOfAttr(), "a list");
  if (!source)
    return failure();
  if (source.getKind() != ListKind::State || source == *this)
    return emitOpError() << "expected a copy of another state, got " << getCopyOfAttr();
  if (source.getTensors().getModel() != getTensors().getModel())
    return emitOpError() << "expected a copy of a list of " << getTensors().getModel() << ", got "
                         << getCopyOfAttr() << " of " << source.getTensors().getModel();
  return success();
}

LogicalResult FieldOp::verify() {
  Type type = getType();
  if (!type.isF32() && !type.isF64() && !type.isInteger(1) && !type.isInteger(32) &&
      !type.isInteger(64))
    return emitOpError() << "expected f32, f64, i1, i32 or i64, got " << type;
  if (getKind() == FieldKind::Counter && !type.isInteger(64))
    return emitOpError() << "expected a counter of type i64, got " << type;
  if (getRole() && !getScalerAttr())
    return emitOpError("expected a field with a role to belong to a scaler");
  auto checkValue = [&](Attribute attr) {
    auto value = dyn_cast<TypedAttr>(attr);
    if (value && value.getType() == type)
      return success();
    return LogicalResult(emitOpError()
                         << "expected an initial value of type " << type << ", got " << attr);
  };
  auto patterns = dyn_cast<amp::PatternsAttr>(getInit());
  if (!patterns)
    return checkValue(getInit());
  if (!getModelAttr())
    return emitOpError("expected one initial value, got values by name without a model");
  for (Attribute value : patterns.getValues())
    if (failed(checkValue(value)))
      return failure();
  return success();
}

LogicalResult FieldOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getModelAttr() && failed(checkModel(*this, symbols, getModelAttr())))
    return failure();
  return success(!getScalerAttr() || find<ScalerOp>(*this, symbols, getScalerAttr(), "a scaler"));
}

//===------------------------------------------------------------------------------------------===//
// Scalars
//===------------------------------------------------------------------------------------------===//

LogicalResult ElementOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto list = find<ListOp>(*this, symbols, getListAttr(), "a list");
  return list ? checkType(*this, "an element", list.getTensors().getElementType(), getType())
              : failure();
}

LogicalResult StoreOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto list = find<ListOp>(*this, symbols, getListAttr(), "a list");
  if (!list)
    return failure();
  if (list.getKind() == ListKind::Argument)
    return emitOpError() << "expected state or scratch, got the argument " << getListAttr()
                         << ", which is read-only";
  return checkType(*this, "a value", list.getTensors().getElementType(), getValue().getType());
}

LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto field = find<FieldOp>(*this, symbols, getFieldAttr(), "a field");
  return field ? checkType(*this, "a result", field.getType(), getType()) : failure();
}

LogicalResult SetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto field = find<FieldOp>(*this, symbols, getFieldAttr(), "a field");
  if (!field)
    return failure();
  if (field.getKind() == FieldKind::Parameter)
    return emitOpError() << "expected state or a counter, got the parameter " << getFieldAttr()
                         << ", which no step writes";
  return checkType(*this, "a value", field.getType(), getValue().getType());
}

LogicalResult NumelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkModel(*this, symbols, getModelAttr());
}
LogicalResult DimOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkModel(*this, symbols, getModelAttr());
}
LogicalResult RankOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkModel(*this, symbols, getModelAttr());
}

/// `or` is of truth values; the others widen f32 and keep f64.
static LogicalResult checkReduction(Operation *op, amp::ReduceKind kind, Type value, Type result) {
  bool isOr = kind == amp::ReduceKind::Or;
  if (isOr ? !value.isInteger(1) : !value.isF32() && !value.isF64())
    return op->emitOpError() << "expected '" << amp::stringifyReduceKind(kind) << "' of "
                             << (isOr ? "i1" : "f32 or f64") << ", got " << value;
  Builder builder(op->getContext());
  return checkType(op, "a result", isOr ? Type(builder.getI1Type()) : Type(builder.getF64Type()),
                   result);
}

LogicalResult ReduceOp::verify() {
  if (getExtent() == amp::Extent::Element)
    return emitOpError("expected a reduction over tensor or step, got element");
  return checkReduction(*this, getKind(), getValue().getType(), getType());
}

LogicalResult ReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkModel(*this, symbols, getModelAttr());
}

LogicalResult FoldOp::verify() {
  return checkReduction(*this, getKind(), getValue().getType().getElementType(), getType());
}

LogicalResult OutcomeOp::verify() {
  if (getLabels().empty() != !getCauses())
    return emitOpError() << "expected a label for each cause, got " << getLabels().size() << " and "
                         << (getCauses() ? "a" : "no") << " word of causes";
  if (getLabels().size() > 64)
    return emitOpError() << "expected at most 64 causes, got " << getLabels().size();
  return success();
}

LogicalResult ForwardOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getLeafLists().size() != getLeafNames().size() ||
      getPackLists().size() != getPackNames().size())
    return emitOpError() << "expected a name for each leaf and pack, got " << getLeafLists().size()
                         << " leaves with " << getLeafNames().size() << " names and "
                         << getPackLists().size() << " packs with " << getPackNames().size();
  for (Attribute list : getLeafLists())
    if (!find<ListOp>(*this, symbols, cast<FlatSymbolRefAttr>(list), "a list"))
      return failure();
  for (Attribute attr : getPackLists()) {
    auto list = find<ListOp>(*this, symbols, cast<FlatSymbolRefAttr>(attr), "a list");
    if (!list)
      return failure();
    if (list.getKind() != ListKind::Scratch)
      return emitOpError() << "expected packs to be scratch, got the "
                           << stringifyListKind(list.getKind()) << " " << attr;
  }
  return success();
}
