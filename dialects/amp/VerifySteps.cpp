// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verifiers of a step as a whole: its signature, the order of its parts, and what its chains of
// values make certain.
#include "amp/Names.h"
#include "amp/Rules.h"
#include "amp/Verify.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sawtooth::amp;

//===------------------------------------------------------------------------------------------===//
// The signature
//===------------------------------------------------------------------------------------------===//

static bool isStepScalar(Type type) {
  return type.isF32() || type.isF64() || type.isInteger(1) || type.isInteger(32) ||
         type.isInteger(64);
}

/// One attribute of an argument that begins with "amp.".
static LogicalResult verifyArgumentAttr(StepOp step, StringRef argument, Type type,
                                        NamedAttribute attr) {
  StringRef name = attr.getName().getValue();
  auto emit = [&]() { return step.emitOpError("argument '") << argument << "': "; };
  if (name == kNameAttr) {
    if (!isa<StringAttr>(attr.getValue()))
      return emit() << "expected a string as " << name << ", got " << attr.getValue();
    return success();
  }
  if (name == kScaledByAttr) {
    if (isa<ArrayAttr>(attr.getValue()) && (isa<TensorsType>(type) || isa<RankedTensorType>(type)))
      return success();
    return emit() << "expected " << name << " = [@scaler] on a list or tensor, got "
                  << attr.getValue() << " on " << type;
  }
  if (name == kDefaultAttr) {
    if (isStepScalar(type) && convertConstant(attr.getValue(), type))
      return success();
    return emit() << "expected " << name << " to be a constant of a scalar's type, got "
                  << attr.getValue() << " for " << type;
  }
  if (name == kBatchAttr) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto text = dyn_cast<StringAttr>(attr.getValue());
    if (tensor && tensor.getRank() > 0 && text && !text.empty())
      return success();
    return emit() << "expected " << name
                  << " = \"NAME\" on a tensor of at least one dimension, got " << attr.getValue()
                  << " on " << type;
  }
  InFlightDiagnostic diag = emit() << "expected an attribute of an argument, got '" << name << "'";
  describeChoices(diag, name,
                  {kBatchAttr.str(), kDefaultAttr.str(), kNameAttr.str(), kScaledByAttr.str()});
  return diag;
}

static LogicalResult verifyArguments(StepOp step) {
  llvm::StringSet<> seen;
  for (auto [i, type] : llvm::enumerate(step.getArgumentTypes())) {
    std::string name = step.getArgumentName(i);
    auto tensors = dyn_cast<TensorsType>(type);
    auto tensor = dyn_cast<RankedTensorType>(type);
    bool fits = tensors ? !tensors.getPerTensor() : isStepScalar(type);
    if (tensor)
      fits = tensor.getRank() <= 8 &&
             isa<Float16Type, BFloat16Type, Float32Type, Float64Type, IntegerType>(
                 tensor.getElementType());
    if (!fits)
      return step.emitOpError("argument '")
             << name << "': expected a list of elements, a tensor or f32, f64, i1, i32 or i64, got "
             << type;
    // A tensor's first dimension may wait for the batch size, nothing else may.
    if (tensor)
      for (auto [dim, size] : llvm::enumerate(tensor.getShape()))
        if (ShapedType::isDynamic(size) && (dim > 0 || !step.getArgAttr(i, kBatchAttr)))
          return step.emitOpError("argument '")
                 << name << "': expected ? only as first dimension of a tensor with " << kBatchAttr
                 << ", got " << tensor;
    if (!seen.insert(name).second)
      return step.emitOpError("expected each argument name once, got '") << name << "' twice";
    if (ArrayAttr attrs = step.getArgAttrsAttr())
      for (NamedAttribute attr : cast<DictionaryAttr>(attrs[i]))
        if (attr.getName().strref().starts_with("amp.") &&
            failed(verifyArgumentAttr(step, name, type, attr)))
          return failure();
  }
  return success();
}

//===------------------------------------------------------------------------------------------===//
// The order, and what occurs once
//===------------------------------------------------------------------------------------------===//

/// Everything sees the state at entry; what read it behind a commit would look as if it saw the
/// new one.
static LogicalResult verifyOrder(StepOp step) {
  Operation *writer = nullptr;
  for (Operation &op : step.getBody().front()) {
    if (!writer && isa<CommitOp, UpdateOp>(op))
      writer = &op;
    if (!writer || !isa<ReadOp, ScaleOp, UnscaleOp>(op))
      continue;
    InFlightDiagnostic diag = op.emitOpError("expected to stand before the first commit or update: "
                                             "it takes the state at entry");
    diag.attachNote(writer->getLoc()) << "the first is here";
    return diag;
  }
  return success();
}

/// Says that `op` does something again.
static LogicalResult emitTwice(Operation *op, const Twine &what, Operation *first) {
  InFlightDiagnostic diag = op->emitOpError("expected ") << what.str();
  diag.attachNote(first->getLoc()) << "the first is here";
  return diag;
}

static LogicalResult verifyOnce(StepOp step) {
  llvm::DenseMap<Attribute, Operation *> committed, updated;
  llvm::StringMap<Operation *> logged;
  for (Operation &op : step.getBody().front()) {
    if (auto commit = dyn_cast<CommitOp>(op)) {
      for (auto name : commit.getStates().getAsRange<FlatSymbolRefAttr>())
        if (auto [it, isNew] = committed.try_emplace(name, &op); !isNew)
          return emitTwice(&op, "one commit to @" + name.getValue() + " in a step, got another",
                           it->second);
    } else if (auto update = dyn_cast<UpdateOp>(op)) {
      if (auto [it, isNew] = updated.try_emplace(update.getScalerAttr(), &op); !isNew)
        return emitTwice(&op, "one update of @" + update.getScaler() + " in a step, got another",
                         it->second);
    } else if (auto log = dyn_cast<LogOp>(op)) {
      if (auto [it, isNew] = logged.try_emplace(log.getKey(), &op); !isNew)
        return emitTwice(&op, "one value under the key \"" + log.getKey() + "\", got another",
                         it->second);
    }
  }
  return success();
}

/// A tensor's name stands for one shape, wherever a leaf or pack says it.
static LogicalResult verifyShapes(StepOp step) {
  llvm::DenseMap<std::pair<Attribute, Attribute>, std::pair<RankedTensorType, Operation *>> shapes;
  auto check = [&](Operation *op, Type list, StringAttr name, Type tensor) -> LogicalResult {
    auto type = cast<RankedTensorType>(tensor);
    auto [it, isNew] = shapes.try_emplace({cast<TensorsType>(list).getModel(), name}, type, op);
    auto [first, where] = it->second;
    if (isNew || succeeded(verifyCompatibleShape(first, type)))
      return success();
    InFlightDiagnostic diag = op->emitOpError("expected the shape of ")
                              << first << " for " << name << ", got that of " << type;
    diag.attachNote(where->getLoc()) << "the first is here";
    return diag;
  };
  for (Operation &op : step.getBody().front()) {
    if (auto leaf = dyn_cast<LeafOp>(op)) {
      if (failed(check(leaf, leaf.getList().getType(), leaf.getNameAttr(),
                       leaf.getResult().getType())))
        return failure();
    } else if (auto pack = dyn_cast<PackOp>(op)) {
      for (auto [name, tensor] :
           llvm::zip_equal(pack.getNames().getAsRange<StringAttr>(), pack.getTensors()))
        if (failed(check(pack, pack.getResult().getType(), name, tensor.getType())))
          return failure();
    }
  }
  return success();
}

LogicalResult StepOp::verifyRegions() {
  if (getFunctionType().getNumResults() != 0)
    return emitOpError("expected no results, got ")
           << getFunctionType().getNumResults() << ": a step commits";
  if (failed(verifyArguments(*this)) || failed(verifyOrder(*this)) || failed(verifyOnce(*this)) ||
      failed(verifyShapes(*this)))
    return failure();
  return verifyAccumulation(*this);
}

//===------------------------------------------------------------------------------------------===//
// Scaling
//===------------------------------------------------------------------------------------------===//

/// "@s", "@s and @t^2", or "no scaler".
static std::string describe(const Scaling &scaling) {
  std::string text;
  for (auto [unit, power] : scaling.powers) {
    text += (text.empty() ? "@" : " and @") + cast<FlatSymbolRefAttr>(unit).getValue().str();
    if (power != 1)
      text += "^" + std::to_string(power);
  }
  return text.empty() ? "no scaler" : text;
}

/// Points at where the scaling of a value comes from.
static void noteOrigin(InFlightDiagnostic &diag, const Scaling &scaling) {
  if (scaling.unscaled)
    diag.attachNote(scaling.unscaled->getLoc()) << "unscaled here";
  else
    diag.attachNote(scaling.origin.getLoc()) << "this is where the value comes from";
}

/// A value that must not carry a loss scale.
static LogicalResult verifyUnscaled(Operation *op, Value value, const Twine &what, Lookup lookup) {
  Scaling scaling = findScaling(value, lookup);
  if (!scaling.known || scaling.powers.empty())
    return success();
  InFlightDiagnostic diag = op->emitOpError("expected ")
                            << what.str() << " without a loss scale, got one scaled by "
                            << describe(scaling) << ": insert amp.unscale";
  noteOrigin(diag, scaling);
  return diag;
}

static LogicalResult verifyUnscale(UnscaleOp op, Lookup lookup) {
  Scaling scaling = findScaling(op.getValue(), lookup);
  if (!scaling.known || scaling.powers.lookup(op.getScalerAttr()) > 0)
    return success();
  InFlightDiagnostic diag = op.emitOpError("expected a value scaled by ")
                            << op.getScalerAttr() << ", got one scaled by " << describe(scaling);
  if (scaling.unscaled)
    diag << ": it has been unscaled already";
  else if (isa<BlockArgument>(scaling.origin))
    diag << ": mark the argument {amp.scaled_by = [" << op.getScalerAttr()
         << "]} if it carries the scale";
  noteOrigin(diag, scaling);
  return diag;
}

/// Lists whose powers are added up carry the same scale.
static LogicalResult verifyNorm(NormOp op, Lookup lookup) {
  Scaling first;
  for (Value value : op.getValues()) {
    Scaling scaling = findScaling(value, lookup);
    if (!scaling.known)
      continue;
    if (!first.known)
      first = scaling;
    if (describe(first) == describe(scaling))
      continue;
    InFlightDiagnostic diag = op.emitOpError("expected lists of the same scale, got one scaled by ")
                              << describe(first) << " and one scaled by " << describe(scaling);
    noteOrigin(diag, scaling);
    return diag;
  }
  return success();
}

static LogicalResult verifyCommitScaling(CommitOp op, Lookup lookup) {
  for (auto [value, name] :
       llvm::zip_equal(op.getValues(), op.getStates().getAsRange<FlatSymbolRefAttr>())) {
    auto state = dyn_cast_or_null<StateOp>(lookup(name));
    Scaling scaling = findScaling(value, lookup);
    if (!state || !scaling.known)
      continue;
    Scaling declared = getDeclaredScaling(state.getScaledByAttr());
    if (describe(declared) == describe(scaling))
      continue;
    InFlightDiagnostic diag = op.emitOpError("expected a value scaled by ")
                              << describe(declared) << " for " << name << ", got one scaled by "
                              << describe(scaling);
    noteOrigin(diag, scaling);
    diag.attachNote(state.getLoc()) << "declared here";
    return diag;
  }
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Flags
//===------------------------------------------------------------------------------------------===//

/// A norm that is no number makes the clipped value useless, so the flag has to know of it.
static LogicalResult verifyFlag(CommitOp op) {
  if (!op.getFlag())
    return success();
  llvm::DenseSet<Value> tested = findTested(op.getFlag());
  for (auto [value, name] : llvm::zip_equal(op.getValues(), op.getStates()))
    for (ClipByNormOp clip : findClips(value)) {
      if (tested.contains(clip.getNorm()))
        continue;
      InFlightDiagnostic diag = op.emitOpError("expected a flag that covers the norm by which the "
                                               "value for ")
                                << name << " was clipped";
      diag.attachNote(clip.getLoc()) << "clipped here: give its norm to the amp.is_finite of the "
                                        "flag too";
      return diag;
    }
  return success();
}

LogicalResult sawtooth::amp::verifyStepFlow(StepOp step, Lookup lookup) {
  for (Operation &op : step.getBody().front()) {
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](UnscaleOp op) { return verifyUnscale(op, lookup); })
            .Case([&](NormOp op) { return verifyNorm(op, lookup); })
            .Case([&](ClipByValueOp op) {
              return verifyUnscaled(op, op.getValue(), "a value to clip", lookup);
            })
            .Case([&](ClipByNormOp op) {
              return success(
                  succeeded(verifyUnscaled(op, op.getValue(), "a value to clip", lookup)) &&
                  succeeded(verifyUnscaled(op, op.getNorm(), "a norm to clip by", lookup)));
            })
            .Case([&](ApplyOp op) {
              for (Value input : op.getInputs())
                if (failed(verifyUnscaled(op, input, "inputs of a rule", lookup)))
                  return failure();
              return success();
            })
            .Case([&](CommitOp op) {
              return success(succeeded(verifyCommitScaling(op, lookup)) &&
                             succeeded(verifyFlag(op)));
            })
            .Default([](Operation *) { return success(); });
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult StepOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto lookup = [&](FlatSymbolRefAttr name) { return tables.lookupNearestSymbolFrom(*this, name); };
  for (auto [i, type] : llvm::enumerate(getArgumentTypes())) {
    if (failed(verifyModel(*this, type, lookup)))
      return failure();
    if (auto units = getArgAttrOfType<ArrayAttr>(i, kScaledByAttr);
        units && failed(verifyUnits(*this, units, lookup)))
      return failure();
  }
  for (Operation &op : getBody().front()) {
    for (Type type : op.getResultTypes())
      if (failed(verifyModel(&op, type, lookup)))
        return failure();
    if (auto pack = dyn_cast<PackOp>(op))
      if (auto units = pack->getAttrOfType<ArrayAttr>(kPackScaledByAttr);
          units && failed(verifyUnits(&op, units, lookup)))
        return failure();
  }
  return verifyStepFlow(*this, lookup);
}
