// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verifiers of what a module declares.
#include "amp/Names.h"
#include "amp/Rules.h"
#include "amp/Verify.h"

using namespace mlir;
using namespace sawtooth::amp;

//===------------------------------------------------------------------------------------------===//
// Symbols
//===------------------------------------------------------------------------------------------===//

InFlightDiagnostic
sawtooth::amp::emitUnknownSymbol(Operation *user, FlatSymbolRefAttr name, const Twine &wanted,
                                 llvm::function_ref<bool(Operation *)> isWanted) {
  InFlightDiagnostic diag = user->emitOpError("expected ")
                            << wanted.str() << ", got @" << name.getValue();
  SmallVector<std::string> names;
  if (auto module = user->getParentOfType<ModuleOp>())
    for (Operation &op : module.getOps())
      if (isWanted(&op))
        names.push_back(SymbolTable::getSymbolName(&op).str());
  describeChoices(diag, name.getValue(), names, "@");
  return diag;
}

LogicalResult sawtooth::amp::verifyModel(Operation *user, Type type, Lookup lookup) {
  auto tensors = dyn_cast<TensorsType>(type);
  if (!tensors || isa_and_nonnull<ModelOp>(lookup(tensors.getModel())))
    return success();
  return emitUnknownSymbol<ModelOp>(user, tensors.getModel(), "the name of a model");
}

LogicalResult sawtooth::amp::verifyUnits(Operation *user, ArrayAttr units, Lookup lookup) {
  llvm::SmallDenseSet<Attribute> seen;
  for (Attribute unit : units) {
    auto name = dyn_cast<FlatSymbolRefAttr>(unit);
    if (!name)
      return user->emitOpError("expected scalers in scaled_by, got ") << unit;
    if (!isa_and_nonnull<ScalerOp>(lookup(name)))
      return emitUnknownSymbol<ScalerOp>(user, name, "the name of a scaler");
    if (!seen.insert(name).second)
      return user->emitOpError("expected each scaler once in scaled_by, got ") << name << " twice";
  }
  return success();
}

/// Lookup in the module that `op` stands in.
static auto lookupFrom(Operation *op, SymbolTableCollection &tables) {
  return [op, &tables](FlatSymbolRefAttr name) { return tables.lookupNearestSymbolFrom(op, name); };
}

//===------------------------------------------------------------------------------------------===//
// Initial values
//===------------------------------------------------------------------------------------------===//

/// One initial value of a state of `type`, on its own or under a pattern.
static LogicalResult verifyInitial(StateOp op, Attribute init, Type type) {
  auto tensors = dyn_cast<TensorsType>(type);
  Type elementType = tensors ? tensors.getElementType() : type;
  if (isa<RequiredAttr, CastAttr>(init)) {
    if (tensors)
      return success();
    return op.emitOpError("expected a constant as initial value of a ") << type << ", got " << init;
  }
  if (isa<UniformAttr, NormalAttr>(init)) {
    if (!tensors || tensors.getPerTensor())
      return op.emitOpError("expected a constant as initial value of ")
             << (tensors ? "a per-tensor list" : "a scalar") << ", got " << init;
    if (auto normal = dyn_cast<NormalAttr>(init))
      if (double std = normal.getStd().getValueAsDouble(); !(std >= 0.0 && std < HUGE_VAL))
        return op.emitOpError("expected a standard deviation that is finite and not negative, got ")
               << normal.getStd();
    return success();
  }
  if (!convertConstant(init, elementType))
    return op.emitOpError("expected a constant of type ")
           << elementType << ", required, cast or a random initial value, got " << init;
  return success();
}

/// Patterns must have values that `verify` accepts, and non-empty globs.
static LogicalResult verifyPatterns(Operation *op, PatternsAttr patterns,
                                    llvm::function_ref<LogicalResult(Attribute)> verify) {
  if (patterns.getGlobs().empty())
    return op->emitOpError("expected at least one pattern, got none");
  for (auto [glob, value] : llvm::zip_equal(patterns.getGlobs(), patterns.getValues())) {
    if (glob.empty())
      return op->emitOpError("expected a name pattern, got an empty one");
    if (failed(verify(value)))
      return failure();
  }
  return success();
}

LogicalResult StateOp::verify() {
  Type type = getType();
  if (!isa<TensorsType>(type) && !type.isF32() && !type.isF64() && !type.isInteger(1) &&
      !type.isInteger(32) && !type.isInteger(64))
    return emitOpError("expected a list, f32, f64, i1, i32 or i64, got ") << type;
  Attribute init = getInitAttr();
  if (FlatSymbolRefAttr source = getCopyOfAttr()) {
    if (init)
      return emitOpError("expected either an initial value or copy_of, got both");
    auto tensors = dyn_cast<TensorsType>(type);
    if (!tensors || tensors.getPerTensor())
      return emitOpError("expected a list of elements as the copy of ")
             << source << ", got " << type;
    return success();
  }
  if (!init)
    return emitOpError("expected an initial value, as in '= 0.0' or '= required', or copy_of, got "
                       "neither");
  auto patterns = dyn_cast<PatternsAttr>(init);
  if (!patterns)
    return verifyInitial(*this, init, type);
  if (!isa<TensorsType>(type))
    return emitOpError("expected a constant as initial value of a ") << type << ", got patterns";
  return verifyPatterns(*this, patterns,
                        [&](Attribute value) { return verifyInitial(*this, value, type); });
}

/// The state whose elements `init` of `op` casts, through however many casts: a circle has no
/// beginning.
static LogicalResult verifyCasts(StateOp op, Attribute init, Lookup lookup) {
  llvm::SmallPtrSet<Operation *, 4> seen{op};
  StateOp from = op;
  while (auto cast = dyn_cast_or_null<CastAttr>(init)) {
    auto source = dyn_cast_or_null<StateOp>(lookup(cast.getSource()));
    if (!source)
      return emitUnknownSymbol<StateOp>(from, cast.getSource(), "the name of a state to cast");
    auto mine = dyn_cast<TensorsType>(from.getType());
    auto its = dyn_cast<TensorsType>(source.getType());
    if (!mine || !its || its.getModel() != mine.getModel() ||
        its.getPerTensor() != mine.getPerTensor())
      return from.emitOpError("expected a list like ")
             << from.getType() << " to cast, got " << source.getType();
    if (!seen.insert(source).second)
      return op.emitOpError("expected an initial value to start from, got a circle of casts "
                            "through ")
             << cast.getSource();
    from = source;
    init = source.getInitAttr();
  }
  return success();
}

LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto lookup = lookupFrom(*this, tables);
  if (failed(verifyModel(*this, getType(), lookup)))
    return failure();
  if (ArrayAttr units = getScaledByAttr(); units && failed(verifyUnits(*this, units, lookup)))
    return failure();
  if (auto patterns = dyn_cast_or_null<PatternsAttr>(getInitAttr())) {
    for (Attribute value : patterns.getValues())
      if (failed(verifyCasts(*this, value, lookup)))
        return failure();
  } else if (failed(verifyCasts(*this, getInitAttr(), lookup))) {
    return failure();
  }
  FlatSymbolRefAttr name = getCopyOfAttr();
  if (!name)
    return success();
  auto source = dyn_cast_or_null<StateOp>(lookup(name));
  if (!source)
    return emitUnknownSymbol<StateOp>(*this, name, "the name of the state that this is a copy of");
  auto its = dyn_cast<TensorsType>(source.getType());
  auto mine = cast<TensorsType>(getType());
  if (!its || its.getPerTensor() || its.getModel() != mine.getModel())
    return emitOpError("expected a list over ")
           << mine.getModel() << " to copy, got " << source.getType();
  if (source.getCopyOfAttr())
    return emitOpError("expected a state that is written by commits as source of the copy, got ")
           << name << ", a copy of " << source.getCopyOfAttr();
  return success();
}

LogicalResult PerTensorOp::verify() {
  if (!getType().isF64() && !getType().isInteger(64))
    return emitOpError("expected values of type f64 or i64, got ") << getType();
  return verifyPatterns(*this, getPatterns(), [&](Attribute value) -> LogicalResult {
    if (convertConstant(value, getType()))
      return success();
    return emitOpError("expected constants of type ") << getType() << ", got " << value;
  });
}

LogicalResult PerTensorOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (isa_and_nonnull<ModelOp>(tables.lookupNearestSymbolFrom(*this, getModelAttr())))
    return success();
  return emitUnknownSymbol<ModelOp>(*this, getModelAttr(), "the name of a model");
}

//===------------------------------------------------------------------------------------------===//
// Instances of rules
//===------------------------------------------------------------------------------------------===//

/// The rule `name` if it is here already: before amp-link it may not be. Fails, having said so,
/// when the name is of something else.
static FailureOr<RuleOp> findRule(Operation *user, FlatSymbolRefAttr name, RuleKind kind,
                                  SymbolTableCollection &tables) {
  Operation *found = tables.lookupNearestSymbolFrom(user, name);
  if (!found)
    return RuleOp();
  auto rule = dyn_cast<RuleOp>(found);
  if (rule && rule.getKind() == kind)
    return rule;
  InFlightDiagnostic diag = user->emitOpError("expected a rule of kind '")
                            << stringifyRuleKind(kind) << "', got " << name << ", which is ";
  if (rule)
    diag << "of kind '" << stringifyRuleKind(rule.getKind()) << "'";
  else
    diag << "an " << found->getName();
  diag.attachNote(found->getLoc()) << "declared here";
  return failure();
}

LogicalResult ScalerOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<RuleOp> rule = findRule(*this, getPolicyAttr(), RuleKind::Policy, tables);
  if (failed(rule))
    return failure();
  return *rule ? LogicalResult(resolveInstance(*this, *rule)) : success();
}

LogicalResult OptimizerOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!isa_and_nonnull<ModelOp>(tables.lookupNearestSymbolFrom(*this, getModelAttr())))
    return emitUnknownSymbol<ModelOp>(*this, getModelAttr(), "the name of a model");
  FailureOr<RuleOp> rule = findRule(*this, getRuleAttr(), RuleKind::Optimizer, tables);
  if (failed(rule))
    return failure();
  if (!*rule)
    return success();
  FailureOr<RuleInstance> instance = resolveInstance(*this, *rule);
  if (failed(instance))
    return failure();
  SmallVector<Extent> extents;
  for (const ParamSetting &setting : instance->params)
    extents.push_back(setting.perTensor ? Extent::Tensor : Extent::Step);
  return verifyExtents(*rule, extents, instance->counterPerTensor, *this);
}

//===------------------------------------------------------------------------------------------===//
// Programs and runs
//===------------------------------------------------------------------------------------------===//

static LogicalResult verifyProgramBody(Operation *program, Block &body) {
  for (Operation &op : body)
    if (!isa<RunOp, RepeatOp>(op))
      return op.emitOpError("expected amp.run or amp.repeat in ")
             << program->getName() << ", got " << op.getName();
  return success();
}

LogicalResult ProgramOp::verifyRegions() { return verifyProgramBody(*this, getBody().front()); }
LogicalResult RepeatOp::verifyRegions() { return verifyProgramBody(*this, getBody().front()); }

LogicalResult RunOp::verify() {
  bool hasDefaults = getBatch() || getEpochs() || getSeed() || getEvalAttr();
  if (isa<ProgramOp, RepeatOp>((*this)->getParentOp())) {
    if (!getStepAttr())
      return emitOpError("expected the name of a step to run, got none");
    if (hasDefaults)
      return emitOpError("expected batch, epochs, seed and eval in the module's amp.run, got them "
                         "in a program");
    return success();
  }
  if (!isa<ModuleOp>((*this)->getParentOp()))
    return emitOpError("expected to stand in a program or in the module, got ")
           << (*this)->getParentOp()->getName();
  if (getStepAttr())
    return emitOpError("expected defaults of a run, as in {batch = 32, epochs = 10}, got ")
           << getStepAttr() << ": the order of steps is an amp.program's";
  if (getBatch() && static_cast<int64_t>(*getBatch()) <= 0)
    return emitOpError("expected a batch of at least 1, got ") << getBatchAttr().getInt();
  for (IntegerAttr attr : {getEpochsAttr(), getSeedAttr()})
    if (attr && attr.getInt() < 0)
      return emitOpError("expected ") << (attr == getEpochsAttr() ? "epochs" : "seed")
                                      << " of at least 0, got " << attr.getInt();
  return success();
}

/// Programs outlive the lowering of the steps that they run.
static bool isStep(Operation *op) { return op && op->getName().stripDialect() == "step"; }

LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &tables) {
  for (FlatSymbolRefAttr name : {getStepAttr(), getEvalAttr()})
    if (name && !isStep(tables.lookupNearestSymbolFrom(*this, name)))
      return emitUnknownSymbol(*this, name, "the name of a step", isStep);
  // In a program there may be many of them.
  auto module = dyn_cast<ModuleOp>((*this)->getParentOp());
  if (!module)
    return success();
  RunOp first = *module.getOps<RunOp>().begin();
  if (first == *this)
    return success();
  InFlightDiagnostic diag = emitOpError("expected one amp.run in the module, got another");
  diag.attachNote(first.getLoc()) << "the first is here";
  return diag;
}
