// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Analysis/Layout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace sawtooth;

unsigned Layout::modelOfList(FlatSymbolRefAttr name) const {
  return modelNumber(list(name).getTensors().getModel());
}

unsigned Layout::tensorNumber(unsigned model, StringAttr name) const {
  const auto &tensors = modelInfos[model].tensors;
  return llvm::find_if(tensors, [&](const TensorInfo &tensor) { return tensor.name == name; }) -
         tensors.begin();
}

const StepLayout &Layout::step(sweep::StepOp op) const {
  return stepLayouts[stepNumbers.at(op.getSymNameAttr())];
}

/// Fails, with what there is, unless `name` is one of `numbers`.
static LogicalResult expectSymbol(Operation *user,
                                  const llvm::DenseMap<StringAttr, unsigned> &numbers,
                                  StringRef what, FlatSymbolRefAttr name) {
  if (numbers.contains(name.getAttr()))
    return success();
  SmallVector<StringRef> known;
  for (const auto &entry : numbers)
    known.push_back(entry.first.getValue());
  llvm::sort(known);
  InFlightDiagnostic diagnostic = user->emitError("expected the name of a ")
                                  << what << ", got " << name << "; there are";
  if (known.empty())
    diagnostic << " none";
  llvm::interleave(
      known, [&](StringRef other) { diagnostic << " @" << other; }, [&] { diagnostic << ","; });
  return diagnostic;
}

FailureOr<Layout> Layout::compute(ModuleOp module) {
  Layout layout;
  if (failed(layout.declare(module)))
    return failure();
  auto steps = llvm::to_vector(module.getOps<sweep::StepOp>());
  // All names before any number: a tensor's number depends on what every step says.
  for (sweep::StepOp step : steps)
    if (failed(layout.checkReferences(step)) || failed(layout.nameTensors(step)))
      return failure();
  for (ModelInfo &model : layout.modelInfos)
    llvm::sort(model.tensors, [](const TensorInfo &a, const TensorInfo &b) {
      return a.name.getValue() < b.name.getValue(); // StringRef compares unsigned bytes
    });
  for (sweep::StepOp step : steps) {
    FailureOr<StepLayout> stepLayout = layout.layOut(step);
    if (failed(stepLayout))
      return failure();
    layout.stepNumbers[step.getSymNameAttr()] = layout.stepLayouts.size();
    layout.stepLayouts.push_back(std::move(*stepLayout));
  }
  return layout;
}

LogicalResult Layout::declare(ModuleOp module) {
  for (amp::ModelOp op : module.getOps<amp::ModelOp>()) {
    modelNumbers[op.getSymNameAttr()] = modelInfos.size();
    modelInfos.push_back({op, {}});
  }
  for (sweep::ScalerOp op : module.getOps<sweep::ScalerOp>()) {
    scalerNumbers[op.getSymNameAttr()] = scalerOps.size();
    scalerOps.push_back(op);
  }
  for (sweep::ListOp op : module.getOps<sweep::ListOp>()) {
    if (failed(expectSymbol(op, modelNumbers, "model", op.getTensors().getModel())))
      return failure();
    listNumbers[op.getSymNameAttr()] = listOps.size();
    listOps.push_back(op);
  }
  for (sweep::ListOp op : listOps)
    if (op.getCopyOfAttr() && failed(expectSymbol(op, listNumbers, "list", op.getCopyOfAttr())))
      return failure();
  for (sweep::FieldOp op : module.getOps<sweep::FieldOp>()) {
    FieldInfo field{op, std::nullopt, 0};
    if (op.getScalerAttr() && failed(expectSymbol(op, scalerNumbers, "scaler", op.getScalerAttr())))
      return failure();
    if (FlatSymbolRefAttr model = op.getModelAttr()) {
      if (failed(expectSymbol(op, modelNumbers, "model", model)))
        return failure();
      field.model = modelNumber(model);
      field.offset = perTensorCount++;
    } else {
      field.offset = stateSize;
      stateSize += slotBytes;
    }
    fieldNumbers[op.getSymNameAttr()] = fieldInfos.size();
    fieldInfos.push_back(field);
  }
  return success();
}

LogicalResult Layout::checkReferences(sweep::StepOp step) const {
  WalkResult result = step.walk([&](Operation *op) {
    auto check = [&](const Numbers &numbers, StringRef what, FlatSymbolRefAttr name) {
      return failed(expectSymbol(op, numbers, what, name)) ? WalkResult::interrupt()
                                                           : WalkResult::advance();
    };
    auto checkLists = [&](ArrayAttr names) {
      for (FlatSymbolRefAttr name : names.getAsRange<FlatSymbolRefAttr>())
        if (check(listNumbers, "list", name).wasInterrupted())
          return WalkResult::interrupt();
      return WalkResult::advance();
    };
    if (auto get = dyn_cast<sweep::GetOp>(op))
      return check(fieldNumbers, "field", get.getFieldAttr());
    if (auto set = dyn_cast<sweep::SetOp>(op))
      return check(fieldNumbers, "field", set.getFieldAttr());
    if (auto numel = dyn_cast<sweep::NumelOp>(op))
      return check(modelNumbers, "model", numel.getModelAttr());
    if (auto dim = dyn_cast<sweep::DimOp>(op))
      return check(modelNumbers, "model", dim.getModelAttr());
    if (auto rank = dyn_cast<sweep::RankOp>(op))
      return check(modelNumbers, "model", rank.getModelAttr());
    if (auto each = dyn_cast<sweep::EachOp>(op))
      return check(modelNumbers, "model", each.getModelAttr());
    if (auto pass = dyn_cast<sweep::PassOp>(op)) {
      if (check(modelNumbers, "model", pass.getModelAttr()).wasInterrupted() ||
          checkLists(pass.getReads()).wasInterrupted())
        return WalkResult::interrupt();
      return checkLists(pass.getWrites());
    }
    if (auto forward = dyn_cast<sweep::ForwardOp>(op)) {
      if (checkLists(forward.getLeafLists()).wasInterrupted())
        return WalkResult::interrupt();
      return checkLists(forward.getPackLists());
    }
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<sweep::PerTensorType>(operand.getType()))
        if (check(modelNumbers, "model", type.getModel()).wasInterrupted())
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult Layout::nameTensors(sweep::StepOp step) {
  auto name = [&](sweep::ForwardOp op, FlatSymbolRefAttr listName, StringAttr tensorName,
                  Type type) -> LogicalResult {
    auto tensorType = dyn_cast<RankedTensorType>(type);
    if (!tensorType || !tensorType.hasStaticShape())
      return op.emitError("expected a tensor of static shape for ")
             << tensorName << " of " << listName << ", got " << type;
    auto &tensors = modelInfos[modelOfList(listName)].tensors;
    auto *known =
        llvm::find_if(tensors, [&](const TensorInfo &tensor) { return tensor.name == tensorName; });
    if (known == tensors.end()) {
      tensors.push_back({tensorName, llvm::to_vector(tensorType.getShape())});
      return success();
    }
    if (ArrayRef<int64_t>(known->dims) != tensorType.getShape())
      return op.emitError("expected tensor ")
             << tensorName << " of " << listName << " to have the shape ["
             << ArrayRef<int64_t>(known->dims) << "] that it has elsewhere, got ["
             << tensorType.getShape() << "]";
    return success();
  };
  WalkResult result = step.walk([&](sweep::ForwardOp op) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
    if (!callee) {
      op.emitError("expected the name of a function, got ") << op.getCalleeAttr();
      return WalkResult::interrupt();
    }
    // The callee takes the tensor arguments, the leaves, then the scalars.
    unsigned tensors = llvm::count_if(op.getInputs().getTypes(), llvm::IsaPred<RankedTensorType>);
    unsigned leaves = op.getLeafNames().size(), packs = op.getPackNames().size();
    FunctionType type = callee.getFunctionType();
    if (type.getNumInputs() != op.getInputs().size() + leaves ||
        type.getNumResults() != packs + op.getNumResults() || op.getLeafLists().size() != leaves ||
        op.getPackLists().size() != packs) {
      op.emitError("expected a callee of ")
          << op.getInputs().size() + leaves << " arguments and " << packs + op.getNumResults()
          << " results, got " << type.getNumInputs() << " and " << type.getNumResults();
      return WalkResult::interrupt();
    }
    for (unsigned i = 0; i < leaves; ++i)
      if (failed(name(op, cast<FlatSymbolRefAttr>(op.getLeafLists()[i]),
                      cast<StringAttr>(op.getLeafNames()[i]), type.getInput(tensors + i))))
        return WalkResult::interrupt();
    for (unsigned i = 0; i < packs; ++i)
      if (failed(name(op, cast<FlatSymbolRefAttr>(op.getPackLists()[i]),
                      cast<StringAttr>(op.getPackNames()[i]), type.getResult(i))))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

FailureOr<StepLayout> Layout::layOut(sweep::StepOp step) const {
  if (!step.getCut())
    return step.emitError("expected a step in cut form, got the uncut one");
  StepLayout out;
  out.op = step;
  for (BlockArgument argument : step.getBody().getArguments()) {
    if (isa<RankedTensorType>(argument.getType())) {
      out.arguments.push_back(out.tensorArguments++);
    } else {
      out.arguments.push_back(out.argsBytes);
      out.argsBytes += slotBytes;
    }
  }
  auto slot = [&] {
    uint64_t offset = out.frameBytes;
    out.frameBytes += slotBytes;
    return offset;
  };
  out.applied = slot();
  out.perTensorSlots = perTensorCount;
  // Columns that a model's passes have taken since the last scalar program folded them.
  llvm::DenseMap<unsigned, unsigned> columns;
  for (Operation &op : step.getBody().front()) {
    if (!isa<sweep::ScalarOp, sweep::PassOp, sweep::ForwardOp>(op))
      return op.emitOpError(
          "expected only sweep.scalar, sweep.pass and sweep.forward in the body of a cut step");
    op.walk([&](sweep::EachOp each) {
      for (Value result : each.getResults())
        out.values[result] = out.perTensorSlots++;
    });
    for (OpResult result : op.getResults()) {
      if (!isa<sweep::PerTensorType>(result.getType())) {
        out.values[result] = slot();
        continue;
      }
      // A scalar program hands on arrays that its sweep.each's have filled, or older ones.
      if (auto scalar = dyn_cast<sweep::ScalarOp>(op)) {
        Value yielded =
            scalar.getBody().front().getTerminator()->getOperand(result.getResultNumber());
        out.values[result] = out.values.at(yielded);
        continue;
      }
      out.values[result] = out.perTensorSlots++;
    }
    if (auto pass = dyn_cast<sweep::PassOp>(op)) {
      PassInfo info{pass, modelNumber(pass.getModelAttr()), 0};
      unsigned &taken = columns[info.model];
      info.firstColumn = taken;
      taken += pass.getReductions().size();
      out.partials = std::max(out.partials, taken);
      out.passes[pass] = info;
    } else if (isa<sweep::ScalarOp>(op)) {
      columns.clear();
    }
    op.walk([&](sweep::LogOp log) { out.logs[log] = slot(); });
    WalkResult outcomes = op.walk([&](sweep::OutcomeOp outcome) {
      if (out.outcome) {
        outcome.emitOpError("expected one outcome of a step, got a second");
        return WalkResult::interrupt();
      }
      out.outcome = outcome;
      if (outcome.getCauses())
        out.cause = slot();
      return WalkResult::advance();
    });
    if (outcomes.wasInterrupted())
      return failure();
  }
  if (!out.outcome)
    return step.emitError(
        "expected a sweep.outcome in the last scalar program of a cut step, got none");
  return out;
}
