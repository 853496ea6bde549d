// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Optimizers and scalers: instances of rules, with a field for each parameter and a list or field
// for each state.
#include "Lowering.h"

#include "amp/Names.h"
#include "sawtooth/Transforms/SpecializeRule.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::amptosweep;

/// The name of a state's list or field. The loss scale is `scale` whatever the policy calls it.
static StringRef getStateName(amp::FieldAttr state) {
  return state.getRole() == amp::Role::Scale ? "scale" : state.getName().getValue();
}

const Instance *ModuleLowering::lookup(FlatSymbolRefAttr symbol, bool optimizer) const {
  auto it = instances.find(symbol.getValue());
  if (it == instances.end() || static_cast<bool>(it->second->model) != optimizer)
    return nullptr;
  return it->second.get();
}

bool ModuleLowering::alwaysGiven(StringRef optimizer, StringRef name) {
  bool any = false, all = true;
  module.walk([&](amp::ApplyOp apply) {
    if (apply.getOptimizer() != optimizer)
      return;
    any = true;
    all &= llvm::any_of(apply.getHyperNames().getAsValueRange<StringAttr>(),
                        [&](StringRef given) { return given == name; });
  });
  return any && all;
}

template <typename OpTy>
LogicalResult ModuleLowering::instantiate(OpTy op, FlatSymbolRefAttr ruleName) {
  constexpr bool isOptimizer = std::is_same_v<OpTy, amp::OptimizerOp>;
  auto kind = isOptimizer ? amp::RuleKind::Optimizer : amp::RuleKind::Policy;
  auto rule = dyn_cast_or_null<amp::RuleOp>(symbols.lookup(ruleName.getValue()));
  if (!rule || rule.getKind() != kind) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "expected " << ruleName << " to be a rule ("
                              << amp::stringifyRuleKind(kind) << ") of this module";
    if (Operation *other = symbols.lookup(ruleName.getValue())) {
      diag.attachNote(other->getLoc()) << "the name is that of this";
      return diag;
    }
    SmallVector<std::string> known;
    for (amp::RuleOp other : module.getOps<amp::RuleOp>())
      if (other.getKind() == kind)
        known.push_back(other.getSymName().str());
    amp::describeChoices(diag, ruleName.getValue(), known, "@");
    return diag;
  }
  FailureOr<amp::RuleInstance> settings = amp::resolveInstance(op, rule);
  if (failed(settings))
    return failure();
  auto instance = std::make_unique<Instance>();
  instance->name = op.getSymName().str();
  instance->original = rule;
  instance->settings = std::move(*settings);
  instance->rule = specializeRule(rule, instance->settings);
  if constexpr (isOptimizer)
    instance->model = op.getModelAttr();
  instances[op.getSymName()] = std::move(instance);
  return success();
}

LogicalResult ModuleLowering::instantiateAll() {
  for (auto op : module.getOps<amp::ScalerOp>())
    if (failed(instantiate(op, op.getPolicyAttr())))
      return failure();
  for (auto op : module.getOps<amp::OptimizerOp>())
    if (failed(instantiate(op, op.getRuleAttr())))
      return failure();
  return success();
}

LogicalResult ModuleLowering::declareParams(Operation *op, Instance &instance) {
  for (const amp::ParamSetting &setting : instance.settings.params) {
    if (setting.param.getIsStatic())
      continue;
    FlatSymbolRefAttr &home = instance.params.emplace_back();
    StringRef name = setting.param.getName();
    if (alwaysGiven(instance.name, name))
      continue;
    if ((home = setting.perTensor))
      continue;
    // Without a value it must come from hyper(…): whoever applies the rule is told.
    if (!setting.constant)
      continue;
    std::string symbol = (instance.name + "." + name).str();
    if (!declareField(op->getLoc(), sweep::FieldKind::Parameter, symbol, setting.param.getType(),
                      setting.constant, /*model=*/{}, setting.param.getAlias(), amp::Role::None,
                      instance.model ? FlatSymbolRefAttr()
                                     : FlatSymbolRefAttr::get(op->getContext(), instance.name)))
      return failure();
    home = FlatSymbolRefAttr::get(op->getContext(), symbol);
  }
  return success();
}

LogicalResult ModuleLowering::declareStates(Operation *op, Instance &instance) {
  amp::RuleOp rule = *instance.rule;
  auto yield = cast<amp::YieldOp>(rule.getBody().front().getTerminator());
  MLIRContext *context = op->getContext();
  for (auto [index, state] :
       llvm::enumerate(instance.original.getStates().getAsRange<amp::FieldAttr>())) {
    ArrayRef<Attribute> left = rule.getStates().getValue();
    bool exists = llvm::is_contained(left, state);
    // A scaler's fields are its dictionary, whether or not this policy moves them.
    if (!exists && instance.model)
      continue;
    std::string symbol = (instance.name + "." + getStateName(state)).str();
    StateHome home = {FlatSymbolRefAttr::get(context, symbol), state.getType()};
    TypedAttr initial = instance.settings.initial[index];
    if (state.getRole() == amp::Role::Scale) {
      instance.scale = home.symbol;
      instance.scaleType = home.type;
    }
    if (state.getExtent() == amp::Extent::Element) {
      if (!instance.model)
        return instance.original.emitOpError()
               << "state '" << state.getName().getValue() << "' of a policy cannot be per element";
      auto type = amp::TensorsType::getChecked([&] { return op->emitOpError(); }, context,
                                               instance.model, home.type, false);
      home.isList = true;
      if (!type ||
          !declareList(op->getLoc(), sweep::ListKind::State, symbol, type, symbol, initial, {}, {}))
        return failure();
    } else {
      bool perTensor =
          state.getExtent() == amp::Extent::Tensor || instance.settings.counterPerTensor;
      if (!declareField(op->getLoc(), sweep::FieldKind::State, symbol, home.type, initial,
                        perTensor ? instance.model : FlatSymbolRefAttr(), state.getAlias(),
                        state.getRole(),
                        instance.model ? FlatSymbolRefAttr()
                                       : FlatSymbolRefAttr::get(context, instance.name)))
        return failure();
    }
    if (!exists)
      continue;
    size_t position = instance.states.size();
    home.isChanged = yield.getStates()[position] != rule.getStateArguments()[position];
    instance.states.push_back(home);
  }
  return success();
}

LogicalResult ModuleLowering::lowerScaler(amp::ScalerOp op) {
  Instance &instance = *instances[op.getSymName()];
  symbols.erase(op.getSymName());
  symbols[op.getSymName()] =
      sweep::ScalerOp::create(builder, op.getLoc(), op.getSymName(), op.getPolicy());
  if (failed(declareParams(op, instance)) || failed(declareStates(op, instance)))
    return failure();
  if (!instance.scale || !isa<FloatType>(instance.scaleType))
    return instance.original.emitOpError(
        "expected one state of a policy, f32 or f64, to have the role 'scale'");
  return success();
}

LogicalResult ModuleLowering::lowerOptimizer(amp::OptimizerOp op) {
  Instance &instance = *instances[op.getSymName()];
  return failed(declareParams(op, instance)) ? failure() : declareStates(op, instance);
}
