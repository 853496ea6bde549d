// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verifiers of a step's values, each by its own operands, types and symbols.
#include "amp/Names.h"
#include "amp/Rules.h"
#include "amp/Verify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace sawtooth::amp;

/// Two lists of one op must be of one model: tensors of the same number belong together.
static LogicalResult verifySameModel(Operation *op, TensorsType expected, TensorsType got) {
  if (expected.getModel() == got.getModel())
    return success();
  return op->emitOpError("expected lists over one model, ")
         << expected.getModel() << ", got " << got.getModel();
}

static LogicalResult verifyElementList(Operation *op, Type type) {
  auto tensors = dyn_cast<TensorsType>(type);
  if (!tensors || !tensors.getPerTensor())
    return success();
  return op->emitOpError("expected a list of elements, got one of values per tensor, ") << tensors;
}

static LogicalResult verifyScaler(Operation *op, FlatSymbolRefAttr name,
                                  SymbolTableCollection &tables) {
  if (isa_and_nonnull<ScalerOp>(tables.lookupNearestSymbolFrom(op, name)))
    return success();
  return emitUnknownSymbol<ScalerOp>(op, name, "the name of a scaler");
}

//===------------------------------------------------------------------------------------------===//
// State and scale
//===------------------------------------------------------------------------------------------===//

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *found = tables.lookupNearestSymbolFrom(*this, getStateAttr());
  Type type;
  if (auto state = dyn_cast_or_null<StateOp>(found))
    type = state.getType();
  else if (isa_and_nonnull<ScalerOp>(found))
    type = Float32Type::get(getContext());
  else
    return emitUnknownSymbol<StateOp, ScalerOp>(*this, getStateAttr(),
                                                "the name of a state or scaler");
  if (getResult().getType() == type)
    return success();
  InFlightDiagnostic diag = emitOpError("expected a result of type ")
                            << type << ", got " << getResult().getType();
  diag.attachNote(found->getLoc()) << "declared here";
  return diag;
}

LogicalResult ScaleOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(verifyElementList(*this, getValue().getType())))
    return failure();
  if (auto tensor = dyn_cast<RankedTensorType>(getValue().getType()))
    if (!isa<FloatType>(tensor.getElementType()))
      return emitOpError("expected a tensor of floats, got ") << tensor;
  return verifyScaler(*this, getScalerAttr(), tables);
}

LogicalResult UnscaleOp::verify() {
  auto from = cast<TensorsType>(getValue().getType());
  auto to = cast<TensorsType>(getResult().getType());
  if (failed(verifyElementList(*this, from)) || failed(verifyElementList(*this, to)) ||
      failed(verifySameModel(*this, from, to)))
    return failure();
  if (to.getElementType().isF32())
    return success();
  return emitOpError("expected a result of f32 elements, got ")
         << to.getElementType() << ": in 16 bits, what the scale had saved is lost again";
}

LogicalResult UnscaleOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyScaler(*this, getScalerAttr(), tables);
}

//===------------------------------------------------------------------------------------------===//
// Flags, norms and clips
//===------------------------------------------------------------------------------------------===//

LogicalResult IsFiniteOp::verify() {
  if (getValues().empty())
    return emitOpError("expected at least one value to test, got none");
  for (Value value : getValues())
    if (failed(verifyElementList(*this, value.getType())))
      return failure();
  if (!getLabels())
    return success();
  if (getLabels()->size() != getValues().size())
    return emitOpError("expected a label for each of ")
           << getValues().size() << " values, got " << getLabels()->size();
  llvm::StringSet<> seen;
  for (StringRef label : getLabels()->getAsValueRange<StringAttr>()) {
    if (label.empty())
      return emitOpError("expected a label, got an empty one");
    if (!seen.insert(label).second)
      return emitOpError("expected each label once, got '") << label << "' twice";
  }
  return success();
}

LogicalResult NormOp::verify() {
  if (getValues().empty())
    return emitOpError("expected at least one list, got none");
  for (Value value : getValues())
    if (failed(verifyElementList(*this, value.getType())))
      return failure();
  double order = getOrder().convertToDouble();
  if (order == 1.0 || order == 2.0 || order == HUGE_VAL)
    return success();
  return emitOpError("expected an order of 1, 2 or infinity (0x7FF0000000000000), got ")
         << getOrderAttr();
}

LogicalResult ClipByNormOp::verify() {
  if (failed(verifyElementList(*this, getValue().getType())))
    return failure();
  double eps = getEps().convertToDouble();
  if (eps >= 0.0 && eps < HUGE_VAL)
    return success();
  return emitOpError("expected an eps that is finite and not negative, got ") << getEpsAttr();
}

LogicalResult ClipByValueOp::verify() { return verifyElementList(*this, getValue().getType()); }

LogicalResult CastOp::verify() {
  auto from = cast<TensorsType>(getValue().getType());
  auto to = cast<TensorsType>(getResult().getType());
  if (failed(verifySameModel(*this, from, to)))
    return failure();
  if (from.getPerTensor() == to.getPerTensor())
    return success();
  return emitOpError("expected lists of one extent, got ") << from << " and " << to;
}

//===------------------------------------------------------------------------------------------===//
// amp.apply
//===------------------------------------------------------------------------------------------===//

LogicalResult ApplyOp::verify() {
  if (getHyperNames().size() != getHyper().size())
    return emitOpError("expected a name for each of ")
           << getHyper().size() << " values of hyper, got " << getHyperNames().size();
  llvm::StringSet<> seen;
  for (StringRef name : getHyperNames().getAsValueRange<StringAttr>())
    if (!seen.insert(name).second)
      return emitOpError("expected each name once in hyper, got '") << name << "' twice";
  if (getNext().getType().getOptimizer() == getOptimizerAttr())
    return success();
  return emitOpError("expected the next state of ")
         << getOptimizerAttr() << ", got that of " << getNext().getType().getOptimizer();
}

/// `hyper` must give what has no other value, and nothing that is no run-time parameter.
static LogicalResult verifyHyper(ApplyOp op, RuleOp rule, const RuleInstance &instance) {
  llvm::StringMap<Value> given;
  for (auto [name, value] :
       llvm::zip_equal(op.getHyperNames().getAsValueRange<StringAttr>(), op.getHyper()))
    given[name] = value;
  SmallVector<std::string> names;
  for (const ParamSetting &setting : instance.params) {
    StringRef name = setting.param.getName().getValue();
    auto it = given.find(name);
    if (setting.param.getIsStatic())
      continue;
    names.push_back(name.str());
    if (it == given.end()) {
      if (setting.constant || setting.perTensor)
        continue;
      return op.emitOpError("expected a value for the parameter '")
             << name << "' of @" << rule.getSymName() << ", which has no default: give it in hyper("
             << name << " = ...) or in the dictionary of " << op.getOptimizerAttr();
    }
    if (it->second.getType() != setting.param.getType())
      return op.emitOpError("expected a value of type ")
             << setting.param.getType() << " for the parameter '" << name << "', got "
             << it->second.getType();
    given.erase(it);
  }
  // In the order written, so that the message is the same every time.
  for (StringRef name : op.getHyperNames().getAsValueRange<StringAttr>()) {
    if (!given.contains(name))
      continue;
    for (const ParamSetting &setting : instance.params)
      if (setting.param.getName().getValue() == name)
        return op.emitOpError("expected a run-time parameter in hyper, got '")
               << name << "', which is static: set it in the dictionary of "
               << op.getOptimizerAttr();
    InFlightDiagnostic diag = op.emitOpError("expected the name of a parameter of @")
                              << rule.getSymName() << ", got '" << name << "'";
    describeChoices(diag, name, names);
    return diag;
  }
  return success();
}

/// What is wrong with an instance is said where it stands, and only there.
static FailureOr<RuleInstance> resolveQuietly(OptimizerOp optimizer, RuleOp rule) {
  ScopedDiagnosticHandler silence(optimizer.getContext(), [](Diagnostic &) { return success(); });
  return resolveInstance(optimizer, rule);
}

LogicalResult ApplyOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *found = tables.lookupNearestSymbolFrom(*this, getOptimizerAttr());
  auto optimizer = dyn_cast_or_null<OptimizerOp>(found);
  if (!optimizer)
    return emitUnknownSymbol<OptimizerOp>(*this, getOptimizerAttr(), "the name of an optimizer");
  for (Value value : llvm::concat<Value>(llvm::to_vector_of<Value>(getInputs()),
                                         llvm::to_vector_of<Value>(getResults()))) {
    auto tensors = cast<TensorsType>(value.getType());
    if (failed(verifyElementList(*this, tensors)))
      return failure();
    if (tensors.getModel() != optimizer.getModelAttr())
      return emitOpError("expected lists over ")
             << optimizer.getModelAttr() << ", the model of " << getOptimizerAttr() << ", got "
             << tensors.getModel();
  }
  for (Value result : getResults())
    if (Type type = cast<TensorsType>(result.getType()).getElementType(); !type.isF32())
      return emitOpError("expected results of f32 elements, got ")
             << type << ": narrow them with amp.cast";
  // Before amp-link the rule may not be here yet.
  auto rule =
      dyn_cast_or_null<RuleOp>(tables.lookupNearestSymbolFrom(optimizer, optimizer.getRuleAttr()));
  if (!rule || rule.getKind() != RuleKind::Optimizer)
    return success();
  auto yield = cast<YieldOp>(rule.getBody().front().getTerminator());
  if (getInputs().size() != rule.getInputs().size() ||
      getResults().size() != yield.getResults().size()) {
    InFlightDiagnostic diag = emitOpError("expected ")
                              << rule.getInputs().size() << " inputs and "
                              << yield.getResults().size() << " results as @" << rule.getSymName()
                              << " has them, got " << getInputs().size() << " and "
                              << getResults().size();
    diag.attachNote(rule.getLoc()) << "declared here";
    return diag;
  }
  FailureOr<RuleInstance> instance = resolveQuietly(optimizer, rule);
  return failed(instance) ? success() : verifyHyper(*this, rule, *instance);
}

//===------------------------------------------------------------------------------------------===//
// Forward and backward
//===------------------------------------------------------------------------------------------===//

LogicalResult LeafOp::verify() {
  auto tensors = cast<TensorsType>(getList().getType());
  auto tensor = cast<RankedTensorType>(getResult().getType());
  if (failed(verifyElementList(*this, tensors)))
    return failure();
  if (getName().empty())
    return emitOpError("expected the name of a tensor, got an empty one");
  if (tensor.getElementType() != tensors.getElementType())
    return emitOpError("expected a tensor of ")
           << tensors.getElementType() << " as in the list, got " << tensor.getElementType();
  if (!tensor.hasStaticShape() || tensor.getRank() > 8)
    return emitOpError("expected a static shape of at most 8 dimensions, got ") << tensor;
  return success();
}

LogicalResult PackOp::verify() {
  auto tensors = cast<TensorsType>(getResult().getType());
  if (failed(verifyElementList(*this, tensors)))
    return failure();
  if (getNames().size() != getTensors().size())
    return emitOpError("expected a name for each of ")
           << getTensors().size() << " tensors, got " << getNames().size();
  llvm::StringSet<> seen;
  for (auto [name, value] :
       llvm::zip_equal(getNames().getAsValueRange<StringAttr>(), getTensors())) {
    auto tensor = cast<RankedTensorType>(value.getType());
    if (name.empty())
      return emitOpError("expected the name of a tensor, got an empty one");
    if (!seen.insert(name).second)
      return emitOpError("expected each name once, got \"") << name << "\" twice";
    if (tensor.getElementType() != tensors.getElementType())
      return emitOpError("expected a tensor of ")
             << tensors.getElementType() << " as in the list for \"" << name << "\", got "
             << tensor.getElementType();
    // The batch may still be unknown; what is left of it after specialising is said there.
    if (tensor.getRank() > 8)
      return emitOpError("expected at most 8 dimensions for \"") << name << "\", got " << tensor;
  }
  if (Attribute units = (*this)->getAttr(kPackScaledByAttr); units && !isa<ArrayAttr>(units))
    return emitOpError("expected an array of scalers in scaled_by, got ") << units;
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *found = tables.lookupNearestSymbolFrom(*this, getCalleeAttr());
  // Before amp-link the layer may not be here yet.
  if (!found)
    return success();
  auto function = dyn_cast<func::FuncOp>(found);
  if (!function)
    return emitOpError("expected the name of a function, got ")
           << getCalleeAttr() << ", which is an " << found->getName();
  if (function.getNumArguments() == getInputs().size() &&
      function.getNumResults() == getResults().size())
    return success();
  InFlightDiagnostic diag = emitOpError("expected ")
                            << function.getNumArguments() << " arguments and "
                            << function.getNumResults() << " results as " << getCalleeAttr()
                            << " has them, got " << getInputs().size() << " and "
                            << getResults().size();
  diag.attachNote(function.getLoc()) << "declared here";
  return diag;
}

//===------------------------------------------------------------------------------------------===//
// What a step leaves behind
//===------------------------------------------------------------------------------------------===//

LogicalResult LogOp::verify() {
  if (getKey().empty())
    return emitOpError("expected a key, got an empty one");
  auto tensor = dyn_cast<RankedTensorType>(getValue().getType());
  if (!tensor)
    return success();
  if (tensor.hasStaticShape() && tensor.getNumElements() == 1 &&
      isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(tensor.getElementType()))
    return success();
  return emitOpError("expected a scalar or a tensor of one f16, bf16, f32 or f64 element, got ")
         << tensor;
}

LogicalResult UpdateOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyScaler(*this, getScalerAttr(), tables);
}

LogicalResult CommitOp::verify() {
  if (getStates().size() != getValues().size())
    return emitOpError("expected a state for each of ")
           << getValues().size() << " values, got " << getStates().size();
  for (Attribute state : getStates())
    if (!isa<FlatSymbolRefAttr>(state))
      return emitOpError("expected names of states, got ") << state;
  if (getValues().empty())
    return emitOpError("expected at least one value, got none");
  if (getFlag() && getAlways())
    return emitOpError("expected either a flag (when) or always, got both");
  if (!getFlag() && !getAlways())
    return emitOpError("expected a flag, as in 'when %ok', or always, got neither");
  return success();
}

/// Where `name` may be committed to, and with what type.
static LogicalResult verifyCommitted(CommitOp op, Value value, FlatSymbolRefAttr name,
                                     SymbolTableCollection &tables) {
  Operation *found = tables.lookupNearestSymbolFrom(op, name);
  if (isa_and_nonnull<ScalerOp>(found))
    return op.emitOpError("expected a state or optimizer, got the scaler ")
           << name << ": its policy writes it, through amp.update";
  if (isa_and_nonnull<OptimizerOp>(found)) {
    auto type = NextType::get(op.getContext(), name);
    if (value.getType() == type)
      return success();
    return op.emitOpError("expected ") << type << " for " << name << ", got " << value.getType();
  }
  auto state = dyn_cast_or_null<StateOp>(found);
  if (!state)
    return emitUnknownSymbol<StateOp, OptimizerOp>(op, name, "the name of a state or optimizer");
  if (FlatSymbolRefAttr source = state.getCopyOfAttr()) {
    InFlightDiagnostic diag = op.emitOpError("expected a state that is written by commits, got ")
                              << name << ", a copy of " << source << ": it follows every commit to "
                              << source;
    diag.attachNote(state.getLoc()) << "declared here";
    return diag;
  }
  if (value.getType() == state.getType())
    return success();
  InFlightDiagnostic diag = op.emitOpError("expected a value of type ")
                            << state.getType() << " for " << name << ", got " << value.getType();
  auto mine = dyn_cast<TensorsType>(value.getType());
  auto its = dyn_cast<TensorsType>(state.getType());
  if (mine && its && mine.getModel() == its.getModel() && mine.getPerTensor() == its.getPerTensor())
    diag << ": insert amp.cast";
  diag.attachNote(state.getLoc()) << "declared here";
  return diag;
}

LogicalResult CommitOp::verifySymbolUses(SymbolTableCollection &tables) {
  for (auto [value, name] :
       llvm::zip_equal(getValues(), getStates().getAsRange<FlatSymbolRefAttr>()))
    if (failed(verifyCommitted(*this, value, name, tables)))
      return failure();
  return success();
}
