// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amp/Rules.h"

#include "amp/Names.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sawtooth::amp;

//===------------------------------------------------------------------------------------------===//
// Constants
//===------------------------------------------------------------------------------------------===//

static TypedAttr convertToFloat(Attribute value, FloatType type) {
  APFloat number(type.getFloatSemantics());
  APFloat::opStatus status = APFloat::opOK;
  bool lost = false;
  if (auto constant = dyn_cast<FloatAttr>(value)) {
    number = constant.getValue();
    status = number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  } else if (auto constant = dyn_cast<IntegerAttr>(value)) {
    if (constant.getType().isInteger(1))
      return {};
    status = number.convertFromAPInt(constant.getValue(), /*IsSigned=*/true,
                                     APFloat::rmNearestTiesToEven);
  } else {
    return {};
  }
  if (status & (APFloat::opOverflow | APFloat::opInvalidOp))
    return {};
  return FloatAttr::get(type, number);
}

TypedAttr sawtooth::amp::convertConstant(Attribute value, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return convertToFloat(value, floatType);
  auto integerType = dyn_cast<IntegerType>(type);
  auto constant = dyn_cast<IntegerAttr>(value);
  if (!integerType || !constant)
    return {};
  // Truth values and numbers are different kinds.
  if (constant.getType().isInteger(1) != integerType.isInteger(1))
    return {};
  APInt number = constant.getValue();
  if (!number.isSignedIntN(integerType.getWidth()))
    return {};
  return IntegerAttr::get(integerType, number.sextOrTrunc(integerType.getWidth()));
}

//===------------------------------------------------------------------------------------------===//
// Instances
//===------------------------------------------------------------------------------------------===//

namespace {

/// Reads one instance; `model` is null for a scaler.
class Resolver {
public:
  Resolver(Operation *instance, RuleOp rule, DictionaryAttr settings, FlatSymbolRefAttr model)
      : instance(instance), rule(rule), settings(settings), model(model) {}

  FailureOr<RuleInstance> resolve() {
    if (failed(checkKeys()))
      return failure();
    RuleInstance result;
    for (ParamAttr param : rule.getParams().getAsRange<ParamAttr>())
      if (failed(resolveParam(param, result.params.emplace_back())))
        return failure();
    for (FieldAttr field : rule.getStates().getAsRange<FieldAttr>())
      if (failed(resolveState(field, result.initial.emplace_back())))
        return failure();
    if (model && failed(resolveCounter(result)))
      return failure();
    return result;
  }

private:
  /// The setting called `name` or `alias`; `key` becomes how it is written.
  Attribute find(StringAttr name, StringAttr alias, StringRef &key) {
    for (StringAttr candidate : {name, alias})
      if (candidate)
        if (Attribute value = settings.get(candidate)) {
          key = candidate.getValue();
          return value;
        }
    return {};
  }

  /// Every key must name something, and no two keys the same thing.
  LogicalResult checkKeys() {
    SmallVector<std::string> known;
    auto addNames = [&](StringAttr name, StringAttr alias) -> LogicalResult {
      known.push_back(name.str());
      if (!alias || alias == name)
        return success();
      known.push_back(alias.str());
      if (settings.get(name) && settings.get(alias))
        return instance->emitOpError("expected one value for '")
               << name.getValue() << "', got another as '" << alias.getValue() << "'";
      return success();
    };
    for (ParamAttr param : rule.getParams().getAsRange<ParamAttr>())
      if (failed(addNames(param.getName(), param.getAlias())))
        return failure();
    for (FieldAttr field : rule.getStates().getAsRange<FieldAttr>())
      if (failed(addNames(field.getName(), field.getAlias())))
        return failure();
    known.push_back(model ? "counter" : "init");
    for (NamedAttribute setting : settings) {
      if (llvm::is_contained(known, setting.getName().getValue()))
        continue;
      InFlightDiagnostic diag = instance->emitOpError("expected the name of a parameter or state "
                                                      "of @")
                                << rule.getSymName() << ", got '" << setting.getName().getValue()
                                << "'";
      describeChoices(diag, setting.getName().getValue(), known);
      return diag;
    }
    return success();
  }

  LogicalResult resolveParam(ParamAttr param, ParamSetting &result) {
    StringRef key;
    Attribute value = find(param.getName(), param.getAlias(), key);
    result = {param, param.getDefaultValue(), {}, value != nullptr};
    if (!value) {
      if (param.getIsStatic() && !param.getDefaultValue())
        return instance->emitOpError("expected a value for the static parameter '")
               << param.getName().getValue() << "' of @" << rule.getSymName();
      return success();
    }
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(value)) {
      result.constant = {};
      result.perTensor = symbol;
      return checkPerTensor(param, symbol);
    }
    return convert(value, param.getType(), "parameter", key, result.constant);
  }

  LogicalResult checkPerTensor(ParamAttr param, FlatSymbolRefAttr symbol) {
    if (param.getIsStatic() || !model)
      return instance->emitOpError("expected a constant for ")
             << (model ? "the static parameter '" : "the parameter '") << param.getName().getValue()
             << "', got " << symbol;
    Operation *found = SymbolTable::lookupNearestSymbolFrom(instance, symbol);
    auto values = dyn_cast_or_null<PerTensorOp>(found);
    if (!values) {
      InFlightDiagnostic diag = instance->emitOpError("expected a constant or the name of an "
                                                      "amp.per_tensor for '")
                                << param.getName().getValue() << "', got " << symbol;
      SmallVector<std::string> names;
      for (auto op : instance->getParentOfType<ModuleOp>().getOps<PerTensorOp>())
        names.push_back(op.getSymName().str());
      describeChoices(diag, symbol.getValue(), names, "@");
      return diag;
    }
    if (values.getType() != param.getType() || values.getModelAttr() != model) {
      InFlightDiagnostic diag = instance->emitOpError("expected values of type ")
                                << param.getType() << " over " << model << " for '"
                                << param.getName().getValue() << "', got " << values.getType()
                                << " over " << values.getModelAttr();
      diag.attachNote(values.getLoc()) << "declared here";
      return diag;
    }
    return success();
  }

  LogicalResult resolveState(FieldAttr field, TypedAttr &result) {
    StringRef key;
    Attribute value = find(field.getName(), field.getAlias(), key);
    if (field.getRole() == Role::Scale)
      if (Attribute init = settings.get("init")) {
        if (value)
          return instance->emitOpError("expected one initial scale, got another as '")
                 << key << "'";
        value = init;
        key = "init";
      }
    result = field.getInitial();
    return value ? convert(value, field.getType(), "initial value", key, result) : success();
  }

  LogicalResult resolveCounter(RuleInstance &result) {
    Attribute value = settings.get("counter");
    if (!value)
      return success();
    for (ParamAttr param : rule.getParams().getAsRange<ParamAttr>())
      if (param.getName() == "counter")
        return success();
    auto text = dyn_cast<StringAttr>(value);
    if (!text || (text != "step" && text != "tensor"))
      return instance->emitOpError("expected counter = \"step\" or \"tensor\", got ") << value;
    result.counterPerTensor = text == "tensor";
    return success();
  }

  LogicalResult convert(Attribute value, Type type, StringRef what, StringRef key,
                        TypedAttr &result) {
    result = convertConstant(value, type);
    if (result)
      return success();
    return instance->emitOpError("expected a constant of type ")
           << type << " as " << what << " '" << key << "', got " << value;
  }

  Operation *instance;
  RuleOp rule;
  DictionaryAttr settings;
  FlatSymbolRefAttr model;
};

} // namespace

FailureOr<RuleInstance> sawtooth::amp::resolveInstance(OptimizerOp instance, RuleOp rule) {
  return Resolver(instance, rule, instance.getParams(), instance.getModelAttr()).resolve();
}

FailureOr<RuleInstance> sawtooth::amp::resolveInstance(ScalerOp instance, RuleOp rule) {
  return Resolver(instance, rule, instance.getParams(), {}).resolve();
}

//===------------------------------------------------------------------------------------------===//
// Extents
//===------------------------------------------------------------------------------------------===//

llvm::DenseMap<Value, Extent>
sawtooth::amp::inferExtents(RuleOp rule, ArrayRef<Extent> paramExtents, bool counterPerTensor) {
  llvm::DenseMap<Value, Extent> extents;
  for (auto [i, argument] : llvm::enumerate(rule.getParamArguments()))
    extents[argument] = i < paramExtents.size() ? paramExtents[i] : Extent::Step;
  for (auto [field, argument] :
       llvm::zip_equal(rule.getStates().getAsRange<FieldAttr>(), rule.getStateArguments())) {
    Extent extent = field.getExtent();
    extents[argument] = extent == Extent::Step && counterPerTensor ? Extent::Tensor : extent;
  }
  for (BlockArgument argument : rule.getInputArguments())
    extents[argument] = rule.getKind() == RuleKind::Policy ? Extent::Step : Extent::Element;
  for (Operation &op : rule.getBody().front()) {
    Extent extent = llvm::TypeSwitch<Operation *, Extent>(&op)
                        .Case([](ReduceOp op) { return op.getExtent(); })
                        .Case<NumelOp, DimOp, RankOp>([](auto) { return Extent::Tensor; })
                        .Default([&](Operation *op) {
                          Extent highest = Extent::Step;
                          for (Value operand : op->getOperands())
                            highest = std::max(highest, extents.lookup(operand));
                          return highest;
                        });
    for (Value result : op.getResults())
      extents[result] = extent;
  }
  return extents;
}
