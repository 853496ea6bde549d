// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verifiers of rules and of what is computed in their bodies.
#include "amp/Rules.h"
#include "amp/Verify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace sawtooth::amp;

//===------------------------------------------------------------------------------------------===//
// Operations
//===------------------------------------------------------------------------------------------===//

static bool isScalar(Type type) {
  return type.isF32() || type.isF64() || type.isInteger(1) || type.isInteger(32) ||
         type.isInteger(64);
}

/// The functions of the numerics contract: exact ones, and those that have an expansion of our own.
static LogicalResult verifyFunction(Operation *op) {
  static const llvm::StringSet<> allowed = {
      "absf", "absi", "ceil",  "copysign",  "cos",      "ctlz",  "ctpop", "cttz",
      "erf",  "exp",  "floor", "fma",       "isfinite", "isinf", "isnan", "isnormal",
      "log",  "powf", "round", "roundeven", "sqrt",     "tanh",  "trunc"};
  StringRef name = op->getName().stripDialect();
  bool isMath = op->getName().getDialectNamespace() == "math";
  if (isMath ? !allowed.contains(name) : isa<arith::RemFOp>(op)) {
    InFlightDiagnostic diag = op->emitOpError("is not in the numerics contract");
    SmallVector<StringRef> names = llvm::to_vector(allowed.keys());
    llvm::sort(names);
    diag.attachNote() << "of math, there are " << llvm::join(names, ", ");
    return diag;
  }
  if (isa<math::FmaOp>(op) && !op->getResult(0).getType().isF32())
    return op->emitOpError("expected f32, got ") << op->getResult(0).getType();
  return success();
}

LogicalResult sawtooth::amp::verifyScalarOp(Operation *op, bool reductions) {
  StringRef dialect = op->getName().getDialectNamespace();
  bool fits = isa<YieldOp, OpaqueOp, PowiOp, NumelOp, DimOp, RankOp>(op) ||
              (reductions && isa<ReduceOp>(op)) || dialect == "arith" || dialect == "math";
  if (!fits)
    return op->emitOpError("expected arith, math, amp.powi, amp.numel, amp.dim")
           << (reductions ? ", amp.rank or amp.reduce" : " or amp.rank") << " in "
           << op->getParentOp()->getName();
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (!isScalar(type))
        return op->emitOpError("expected f32, f64, i1, i32 or i64 in ")
               << op->getParentOp()->getName() << ", got " << type;
  return verifyFunction(op);
}

LogicalResult ReduceOp::verify() {
  if (getExtent() == Extent::Element)
    return emitOpError("expected to reduce over tensor or step, got element");
  Type type = getValue().getType();
  Type expected = Float64Type::get(getContext());
  if (getKind() == ReduceKind::Or) {
    expected = IntegerType::get(getContext(), 1);
    if (type != expected)
      return emitOpError("expected an i1 to combine with or, got ") << type;
  } else if (!type.isF32() && !type.isF64()) {
    return emitOpError("expected an f32 or f64 to combine with ")
           << stringifyReduceKind(getKind()) << ", got " << type;
  }
  if (getResult().getType() != expected)
    return emitOpError("expected a result of type ")
           << expected << ", got " << getResult().getType();
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Extents
//===------------------------------------------------------------------------------------------===//

LogicalResult sawtooth::amp::verifyExtents(RuleOp rule, ArrayRef<Extent> paramExtents,
                                           bool counterPerTensor, Operation *instance) {
  llvm::DenseMap<Value, Extent> extents = inferExtents(rule, paramExtents, counterPerTensor);
  auto emit = [&](Operation *op) {
    if (instance == rule)
      return op->emitOpError();
    InFlightDiagnostic diag = instance->emitOpError("has no such rule: ");
    diag.attachNote(op->getLoc()) << "in " << op->getName() << " of @" << rule.getSymName();
    return diag;
  };
  for (auto reduce : rule.getBody().getOps<ReduceOp>())
    if (Extent extent = extents.lookup(reduce.getValue()); extent <= reduce.getExtent())
      return emit(reduce) << "expected a value that differs within the "
                          << stringifyExtent(reduce.getExtent())
                          << " to reduce over it, got one of " << stringifyExtent(extent)
                          << " extent";
  auto yield = cast<YieldOp>(rule.getBody().front().getTerminator());
  for (auto [field, argument, value] : llvm::zip_equal(
           rule.getStates().getAsRange<FieldAttr>(), rule.getStateArguments(), yield.getStates())) {
    Extent declared = extents.lookup(argument), got = extents.lookup(value);
    if (got > declared)
      return emit(yield) << "expected a value of " << stringifyExtent(declared)
                         << " extent for the state '" << field.getName().getValue()
                         << "', got one of " << stringifyExtent(got) << " extent";
  }
  return success();
}

//===------------------------------------------------------------------------------------------===//
// amp.rule
//===------------------------------------------------------------------------------------------===//

/// Names and `as` names are how settings, bindings and dictionaries find things: each one once.
static LogicalResult verifyNames(RuleOp rule) {
  llvm::StringSet<> seen;
  auto add = [&](StringAttr name, StringAttr alias) -> LogicalResult {
    for (StringAttr text : {name, alias == name ? StringAttr() : alias}) {
      if (!text)
        continue;
      if (text.empty())
        return rule.emitOpError("expected a name, got an empty one");
      if (!seen.insert(text).second)
        return rule.emitOpError("expected each name once, got '") << text.getValue() << "' twice";
    }
    return success();
  };
  for (ParamAttr param : rule.getParams().getAsRange<ParamAttr>())
    if (failed(add(param.getName(), param.getAlias())))
      return failure();
  for (FieldAttr field : rule.getStates().getAsRange<FieldAttr>())
    if (failed(add(field.getName(), field.getAlias())))
      return failure();
  for (StringAttr input : rule.getInputs().getAsRange<StringAttr>())
    if (failed(add(input, {})))
      return failure();
  return success();
}

static LogicalResult verifyParams(RuleOp rule) {
  for (ParamAttr param : rule.getParams().getAsRange<ParamAttr>()) {
    if (!isScalar(param.getType()))
      return rule.emitOpError("expected f32, f64, i1, i32 or i64 for the parameter '")
             << param.getName().getValue() << "', got " << param.getType();
    if (TypedAttr value = param.getDefaultValue();
        value && convertConstant(value, param.getType()) != value)
      return rule.emitOpError("expected a constant of type ")
             << param.getType() << " for the parameter '" << param.getName().getValue() << "', got "
             << value;
  }
  return success();
}

/// What the runtime takes each role for has one type.
static Type getRoleType(Role role, MLIRContext *context) {
  switch (role) {
  case Role::None:
    return {};
  case Role::Scale:
    return Float32Type::get(context);
  case Role::Skipped:
  case Role::ConsecutiveSkips:
    return IntegerType::get(context, 64);
  case Role::Stuck:
    return IntegerType::get(context, 1);
  }
  return {};
}

static LogicalResult verifyStates(RuleOp rule) {
  bool isPolicy = rule.getKind() == RuleKind::Policy;
  llvm::SmallDenseSet<unsigned> roles;
  for (FieldAttr field : rule.getStates().getAsRange<FieldAttr>()) {
    StringRef name = field.getName().getValue();
    Type type = field.getType();
    if (!isScalar(type) || (field.getExtent() == Extent::Element && !type.isF32()))
      return rule.emitOpError("expected ")
             << (field.getExtent() == Extent::Element ? "f32" : "f32, f64, i1, i32 or i64")
             << " for the state '" << name << "' of " << stringifyExtent(field.getExtent())
             << " extent, got " << type;
    if (convertConstant(field.getInitial(), type) != field.getInitial())
      return rule.emitOpError("expected a constant of type ")
             << type << " for the state '" << name << "', got " << field.getInitial();
    if (isPolicy && field.getExtent() != Extent::Step)
      return rule.emitOpError("expected step extent for the state '")
             << name << "' of a policy, got " << stringifyExtent(field.getExtent());
    Type expected = getRoleType(field.getRole(), rule.getContext());
    if (!expected)
      continue;
    if (!isPolicy)
      return rule.emitOpError("expected the role '")
             << stringifyRole(field.getRole()) << "' in a policy, got it for the state '" << name
             << "' of an optimizer";
    if (type != expected)
      return rule.emitOpError("expected ") << expected << " for the role '"
                                           << stringifyRole(field.getRole()) << "', got " << type;
    if (!roles.insert(static_cast<unsigned>(field.getRole())).second)
      return rule.emitOpError("expected the role '")
             << stringifyRole(field.getRole()) << "' once, got it again for '" << name << "'";
  }
  if (isPolicy && !roles.contains(static_cast<unsigned>(Role::Scale)))
    return rule.emitOpError("expected a state with the role 'scale' in a policy, got none");
  return success();
}

static LogicalResult verifyInputs(RuleOp rule) {
  bool isPolicy = rule.getKind() == RuleKind::Policy;
  auto inputs = rule.getInputArguments();
  if (isPolicy && (inputs.size() != 1 || !inputs.front().getType().isInteger(1)))
    return rule.emitOpError("expected one input, an i1, in a policy, got ")
           << inputs.size() << (inputs.size() == 1 ? " of another type" : "");
  if (!isPolicy && inputs.empty())
    return rule.emitOpError("expected at least one input, got none");
  for (BlockArgument input : inputs)
    if (!isPolicy && !input.getType().isF32())
      return rule.emitOpError("expected f32 for the input '")
             << cast<StringAttr>(rule.getInputs()[input.getArgNumber() - rule.getParams().size() -
                                                  rule.getStates().size()])
                    .getValue()
             << "', got " << input.getType() << ": inputs are widened, whatever is stored";
  return success();
}

static LogicalResult verifyYield(RuleOp rule, YieldOp yield) {
  bool isPolicy = rule.getKind() == RuleKind::Policy;
  if (isPolicy && !yield.getResults().empty())
    return yield.emitOpError("expected no results but the state in a policy, got ")
           << yield.getResults().size();
  if (!isPolicy && yield.getResults().empty())
    return yield.emitOpError("expected at least one result in an optimizer, got none");
  for (Value result : yield.getResults())
    if (!result.getType().isF32())
      return yield.emitOpError("expected results of type f32, got ") << result.getType();
  if (yield.getStates().size() != rule.getStates().size())
    return yield.emitOpError("expected a new value for each of ")
           << rule.getStates().size() << " states, got " << yield.getStates().size();
  for (auto [field, value] :
       llvm::zip_equal(rule.getStates().getAsRange<FieldAttr>(), yield.getStates()))
    if (value.getType() != field.getType())
      return yield.emitOpError("expected ")
             << field.getType() << " for the state '" << field.getName().getValue() << "', got "
             << value.getType();
  return success();
}

LogicalResult RuleOp::verifyRegions() {
  Block &body = getBody().front();
  size_t expected = getParams().size() + getStates().size() + getInputs().size();
  if (body.getNumArguments() != expected)
    return emitOpError("expected ")
           << expected << " block arguments for its parameters, states and inputs, got "
           << body.getNumArguments();
  for (auto [param, argument] :
       llvm::zip_equal(getParams().getAsRange<ParamAttr>(), getParamArguments()))
    if (param.getType() != argument.getType())
      return emitOpError("expected a block argument of type ")
             << param.getType() << " for the parameter '" << param.getName().getValue() << "', got "
             << argument.getType();
  for (auto [field, argument] :
       llvm::zip_equal(getStates().getAsRange<FieldAttr>(), getStateArguments()))
    if (field.getType() != argument.getType())
      return emitOpError("expected a block argument of type ")
             << field.getType() << " for the state '" << field.getName().getValue() << "', got "
             << argument.getType();
  if (failed(verifyNames(*this)) || failed(verifyParams(*this)) || failed(verifyStates(*this)) ||
      failed(verifyInputs(*this)))
    return failure();
  for (Operation &op : body)
    if (failed(verifyScalarOp(&op, /*reductions=*/true)))
      return failure();
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield)
    return emitOpError("expected amp.yield at the end, got ") << body.back().getName();
  if (failed(verifyYield(*this, yield)))
    return failure();
  return verifyExtents(*this, {}, /*counterPerTensor=*/false, *this);
}

//===------------------------------------------------------------------------------------------===//
// amp.map
//===------------------------------------------------------------------------------------------===//

/// What an element of a list is in a body: floats of elements are widened.
static Type getBodyType(TensorsType tensors) {
  Type type = tensors.getElementType();
  return tensors.getPerTensor() ? type : Type(Float32Type::get(type.getContext()));
}

LogicalResult MapOp::verifyRegions() {
  auto result = cast<TensorsType>(getResult().getType());
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return emitOpError("expected ")
           << getInputs().size() << " block arguments, got " << body.getNumArguments();
  for (auto [input, argument] : llvm::zip_equal(getInputs(), body.getArguments())) {
    auto tensors = cast<TensorsType>(input.getType());
    if (tensors.getModel() != result.getModel())
      return emitOpError("expected lists over one model, ")
             << result.getModel() << ", got " << tensors.getModel();
    if (!tensors.getPerTensor() && result.getPerTensor())
      return emitOpError("expected inputs of tensor extent for a result of tensor extent, got ")
             << tensors;
    if (argument.getType() != getBodyType(tensors))
      return emitOpError("expected a block argument of type ")
             << getBodyType(tensors) << ", got " << argument.getType();
  }
  if (getBodyType(result) != result.getElementType())
    return emitOpError("expected a result of f32 elements, got ")
           << result.getElementType() << ": narrow it with amp.cast";
  for (Operation &op : body)
    if (failed(verifyScalarOp(&op, /*reductions=*/false)))
      return failure();
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield)
    return emitOpError("expected amp.yield at the end, got ") << body.back().getName();
  if (yield.getResults().size() != 1 || !yield.getStates().empty() ||
      yield.getResults().front().getType() != result.getElementType())
    return yield.emitOpError("expected one value of type ")
           << result.getElementType() << " and no state";
  return success();
}
