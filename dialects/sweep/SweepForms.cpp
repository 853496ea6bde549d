// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the two forms of a step must be: an uncut block of scalars, or programs and passes.
#include "sweep/Sweep.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::sweep;

/// Arithmetic on scalars, without regions.
static bool isArithmetic(Operation &op) {
  StringRef dialect = op.getName().getDialectNamespace();
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return (dialect == "arith" || dialect == "math" || isa<amp::OpaqueOp, amp::PowiOp>(op)) &&
         op.getNumRegions() == 0 && llvm::all_of(op.getOperandTypes(), isScalar) &&
         llvm::all_of(op.getResultTypes(), isScalar);
}

static LogicalResult complain(Operation &op, StringRef where, StringRef expected) {
  return op.emitOpError() << "cannot stand in " << where << ": expected " << expected;
}

/// Two writes of one list or field would have to be told apart by their place.
static LogicalResult checkWrittenOnce(StepOp step) {
  DenseMap<Attribute, Operation *> writers;
  WalkResult result = step.walk([&](Operation *op) {
    Attribute symbol;
    if (auto store = dyn_cast<StoreOp>(op))
      symbol = store.getListAttr();
    else if (auto set = dyn_cast<SetOp>(op))
      symbol = set.getFieldAttr();
    else
      return WalkResult::advance();
    auto [it, isNew] = writers.try_emplace(symbol, op);
    if (isNew)
      return WalkResult::advance();
    InFlightDiagnostic diag = op->emitOpError() << "writes " << symbol << " a second time";
    diag.attachNote(it->second->getLoc()) << "first written here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyUncut(StepOp step) {
  Operation *outcome = nullptr;
  for (Operation &op : step.getBody().front()) {
    if (isa<ScalarOp, PassOp>(op))
      return complain(op, "an uncut step", "scalars alone (or the attribute 'cut')");
    if (!isArithmetic(op) && !isa<ElementOp, GetOp, NumelOp, DimOp, RankOp, ReduceOp, StoreOp,
                                  SetOp, LogOp, OutcomeOp, ForwardOp>(op))
      return complain(op, "an uncut step", "a scalar op of arith or math, or one of sweep");
    if (isa<OutcomeOp>(op) && std::exchange(outcome, &op))
      return op.emitOpError("is the second outcome of the step");
  }
  return success();
}

static LogicalResult verifyCut(StepOp step) {
  Block &body = step.getBody().front();
  for (Operation &op : body) {
    if (!isa<ScalarOp, PassOp, ForwardOp>(op))
      return complain(op, "a cut step", "a scalar program, a pass or the forward part");
    auto program = dyn_cast<ScalarOp>(op);
    if (!program || &op == &body.back())
      continue;
    // Reads mean the values at entry, so whatever is written is written when all is read.
    WalkResult result = program.walk([&](Operation *inner) {
      if (!isa<SetOp, LogOp, OutcomeOp>(inner))
        return WalkResult::advance();
      (void)complain(*inner, "the middle of a step", "it in the last scalar program");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  if (!body.empty() && !isa<ScalarOp>(body.back()))
    return complain(body.back(), "the last place of a cut step", "a scalar program");
  return success();
}

LogicalResult StepOp::verifyRegions() {
  Block &body = getBody().front();
  if (!getFunctionType().getResults().empty())
    return emitOpError() << "expected no results, got " << getFunctionType().getNumResults();
  if (body.getArgumentTypes() != getFunctionType().getInputs())
    return emitOpError() << "expected block arguments of types (" << getFunctionType().getInputs()
                         << "), got (" << body.getArgumentTypes() << ")";
  for (BlockArgument argument : body.getArguments())
    if (!argument.getType().isIntOrFloat() && !isa<RankedTensorType>(argument.getType()))
      return emitOpError() << "expected argument " << argument.getArgNumber()
                           << " to be a scalar or a tensor, got " << argument.getType();
  if (failed(checkWrittenOnce(*this)))
    return failure();
  return getCut() ? verifyCut(*this) : verifyUncut(*this);
}

//===------------------------------------------------------------------------------------------===//
// Scalar programs
//===------------------------------------------------------------------------------------------===//

/// The terminator, or null: then the trait that asks for one says so, when the op itself is right.
template <typename OpTy>
static OpTy findTerminator(Block &body) {
  return body.empty() ? OpTy() : dyn_cast<OpTy>(body.back());
}

/// `sweep.yield` gives what the op's results are, one value each.
static LogicalResult checkYield(Operation *op, YieldOp yield,
                                llvm::function_ref<Type(Type)> getYielded) {
  if (yield.getValues().size() != op->getNumResults())
    return op->emitOpError() << "expected " << op->getNumResults() << " values yielded, got "
                             << yield.getValues().size();
  for (auto [index, result, value] : llvm::enumerate(op->getResults(), yield.getValues()))
    if (getYielded(result.getType()) != value.getType())
      return op->emitOpError() << "expected value " << index << " yielded of type "
                               << getYielded(result.getType()) << ", got " << value.getType();
  return success();
}

LogicalResult ScalarOp::verify() {
  Block &body = getBody().front();
  auto yield = findTerminator<YieldOp>(body);
  if (!yield)
    return success();
  if (body.getNumArguments() != 0)
    return emitOpError() << "expected no block arguments, got " << body.getNumArguments();
  for (Operation &op : body.without_terminator())
    if (!isArithmetic(op) && !isa<GetOp, EachOp, FoldOp, SetOp, LogOp, OutcomeOp>(op))
      return complain(op, "a scalar program",
                      "scalar arithmetic, sweep.get, each, fold, set, log or outcome");
  return checkYield(*this, yield, [](Type type) { return type; });
}

LogicalResult EachOp::verify() {
  Block &body = getBody().front();
  auto yield = findTerminator<YieldOp>(body);
  if (!yield)
    return success();
  auto getElement = [](Type type) { return cast<PerTensorType>(type).getElementType(); };
  for (Type type : llvm::concat<const Type>(getInputs().getTypes(), getResultTypes()))
    if (cast<PerTensorType>(type).getModel() != getModelAttr())
      return emitOpError() << "expected values of the tensors of " << getModelAttr() << ", got "
                           << type;
  if (body.getNumArguments() != getInputs().size())
    return emitOpError() << "expected " << getInputs().size() << " block arguments, got "
                         << body.getNumArguments();
  for (auto [argument, input] : llvm::zip(body.getArguments(), getInputs()))
    if (argument.getType() != getElement(input.getType()))
      return emitOpError() << "expected block argument " << argument.getArgNumber() << " of type "
                           << getElement(input.getType()) << ", got " << argument.getType();
  for (Operation &op : body.without_terminator())
    if (!isArithmetic(op) && !isa<GetOp, NumelOp, DimOp, RankOp, SetOp>(op))
      return complain(op, "sweep.each", "scalar arithmetic, sweep.get, numel, dim, rank or set");
  return checkYield(*this, yield, getElement);
}

LogicalResult EachOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (isa_and_nonnull<amp::ModelOp>(symbols.lookupNearestSymbolFrom(*this, getModelAttr())))
    return success();
  return emitOpError() << "expected " << getModelAttr() << " to name a model";
}

//===------------------------------------------------------------------------------------------===//
// Passes
//===------------------------------------------------------------------------------------------===//

LogicalResult PassOp::verify() {
  Block &body = getBody().front();
  auto leave = findTerminator<LeaveOp>(body);
  if (!leave)
    return success();
  if (body.getNumArguments() != getReads().size() + getTensors().size())
    return emitOpError() << "expected " << getReads().size() + getTensors().size()
                         << " block arguments, for " << getReads().size() << " lists and "
                         << getTensors().size() << " values of tensors, got "
                         << body.getNumArguments();
  for (auto [argument, value] :
       llvm::zip(body.getArguments().drop_front(getReads().size()), getTensors())) {
    auto type = cast<PerTensorType>(value.getType());
    if (type.getModel() != getModelAttr() || type.getElementType() != argument.getType())
      return emitOpError() << "expected block argument " << argument.getArgNumber()
                           << " for a value of " << type << ", got " << argument.getType() << " of "
                           << getModelAttr();
  }
  for (ArrayAttr lists : {getReads(), getWrites()})
    if (llvm::SmallPtrSet<Attribute, 8>(lists.begin(), lists.end()).size() != lists.size())
      return emitOpError() << "expected each list once, got " << lists;
  if (leave.getWrites().size() != getWrites().size() ||
      getWriteFlags().size() != getWrites().size())
    return emitOpError() << "expected a value and a flag's number for each of "
                         << getWrites().size() << " writes, got " << leave.getWrites().size()
                         << " and " << getWriteFlags().size();
  for (int32_t flag : getWriteFlags())
    if (flag < -1 || flag >= static_cast<int32_t>(getFlags().size()))
      return emitOpError() << "expected the number of one of " << getFlags().size()
                           << " flags, or -1, got " << flag;
  if (leave.getReduces().size() != getReductions().size() ||
      getNumResults() != getReductions().size())
    return emitOpError() << "expected a value and a result for each of " << getReductions().size()
                         << " reductions, got " << leave.getReduces().size() << " and "
                         << getNumResults();
  Builder builder(getContext());
  for (auto [index, attr] : llvm::enumerate(getReductions().getAsRange<ReductionAttr>())) {
    bool isOr = attr.getKind() == amp::ReduceKind::Or;
    Type value = isOr ? Type(builder.getI1Type()) : Type(builder.getF32Type());
    Type result = isOr ? Type(builder.getI1Type()) : Type(builder.getF64Type());
    if (attr.getExtent() == amp::Extent::Element)
      return emitOpError() << "expected reduction " << index << " over tensor or step";
    if (attr.getExtent() == amp::Extent::Tensor)
      result = PerTensorType::get(getContext(), getModelAttr(), result);
    if (leave.getReduces()[index].getType() != value || getResult(index).getType() != result)
      return emitOpError() << "expected reduction " << index << " of " << value << " to " << result
                           << ", got " << leave.getReduces()[index].getType() << " to "
                           << getResult(index).getType();
  }
  for (Operation &op : body.without_terminator())
    if (!isArithmetic(op) && !isa<NumelOp, DimOp, RankOp>(op))
      return complain(op, "a pass", "scalar arithmetic, sweep.numel, dim or rank");
  return success();
}

LogicalResult PassOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!isa_and_nonnull<amp::ModelOp>(symbols.lookupNearestSymbolFrom(*this, getModelAttr())))
    return emitOpError() << "expected " << getModelAttr() << " to name a model";
  auto leave = cast<LeaveOp>(getBody().front().getTerminator());
  auto check = [&](Attribute attr, Type got, StringRef what) -> LogicalResult {
    auto list = dyn_cast_or_null<ListOp>(
        symbols.lookupNearestSymbolFrom(*this, cast<FlatSymbolRefAttr>(attr)));
    if (!list)
      return emitOpError() << "expected " << attr << " to name a list";
    if (list.getTensors().getModel() != getModelAttr())
      return emitOpError() << "expected lists of " << getModelAttr() << ", got " << attr << " of "
                           << list.getTensors().getModel();
    if (list.getTensors().getElementType() != got)
      return emitOpError() << "expected " << what << " " << attr << " of type "
                           << list.getTensors().getElementType() << ", got " << got;
    if (what == "a value for" && list.getKind() == ListKind::Argument)
      return emitOpError() << "expected to write state or scratch, got the argument " << attr;
    return success();
  };
  for (auto [list, argument] : llvm::zip(getReads(), getBody().getArguments()))
    if (failed(check(list, argument.getType(), "an element of")))
      return failure();
  for (auto [list, value] : llvm::zip(getWrites(), leave.getWrites()))
    if (failed(check(list, value.getType(), "a value for")))
      return failure();
  return success();
}
