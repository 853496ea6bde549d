// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Places.h"
#include "sawtooth/Analysis/ArenaPlan.h"
#include "sawtooth/Transforms/ForwardNormalForm.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace sawtooth;

Value ForwardPlace::emit(KernelAbi &abi) const {
  switch (kind) {
  case TensorArgument:
    return abi.tensorArgument(number);
  case ListTensor:
    return abi.listBuffer(abi.model(model), list, abi.constant(number));
  case Arena:
    return abi.offset(abi.arena(), number);
  case Frame:
    return abi.frameSlot(number);
  case Argument:
    return abi.argumentSlot(number);
  }
  return {}; // not reached: all kinds are above
}

FailureOr<ForwardPlaces> ForwardPlaces::compute(sweep::ForwardOp op, func::FuncOp callee,
                                                const Layout &layout, const StepLayout &step) {
  ForwardPlaces places;
  if (failed(checkTypes(op, callee, layout)) ||
      failed(places.placeInputs(op, callee, layout, step)))
    return failure();
  places.placeOutputs(op, callee, layout, step);
  places.placeTemporaries(callee);
  return places;
}

static ForwardPlace placeOfTensor(const Layout &layout, Attribute list, Attribute name) {
  auto symbol = cast<FlatSymbolRefAttr>(list);
  unsigned model = layout.modelOfList(symbol);
  return {ForwardPlace::ListTensor, layout.tensorNumber(model, cast<StringAttr>(name)), model,
          layout.listNumber(symbol)};
}

/// What the callee works on must be what lies at the place.
static LogicalResult checkType(sweep::ForwardOp op, Type actual, Type expected, const Twine &what) {
  if (actual == expected)
    return success();
  return op.emitError() << "expected " << what << " of " << op.getCalleeAttr() << " to be of "
                        << expected << ", got " << actual;
}

LogicalResult ForwardPlaces::checkTypes(sweep::ForwardOp op, func::FuncOp callee,
                                        const Layout &layout) {
  unsigned number = 0;
  auto checkArgument = [&](Type actual, Type expected) {
    return checkType(op, actual, expected, "argument " + Twine(number++));
  };
  auto elementOfList = [&](Attribute list) {
    return layout.list(cast<FlatSymbolRefAttr>(list)).getTensors().getElementType();
  };
  ArrayRef<Type> arguments = callee.getArgumentTypes(), results = callee.getResultTypes();
  for (Type type : op.getInputs().getTypes())
    if (isa<TensorType>(type) && failed(checkArgument(arguments[number], type)))
      return failure();
  for (Attribute list : op.getLeafLists())
    if (failed(checkArgument(getElementTypeOrSelf(arguments[number]), elementOfList(list))))
      return failure();
  for (Type type : op.getInputs().getTypes())
    if (!isa<TensorType>(type) && failed(checkArgument(arguments[number], type)))
      return failure();
  for (auto [index, list] : llvm::enumerate(op.getPackLists()))
    if (failed(checkType(op, getElementTypeOrSelf(results[index]), elementOfList(list),
                         "result " + Twine(index))))
      return failure();
  size_t packs = op.getPackLists().size();
  for (auto [index, type] : llvm::enumerate(op.getResultTypes()))
    if (failed(checkType(op, results[packs + index], RankedTensorType::get({1}, type),
                         "result " + Twine(packs + index))))
      return failure();
  return success();
}

LogicalResult ForwardPlaces::placeInputs(sweep::ForwardOp op, func::FuncOp callee,
                                         const Layout &layout, const StepLayout &step) {
  // Tensor arguments, then leaves, then scalars: as many as the layout has counted.
  SmallVector<Value> tensors, scalars;
  for (Value input : op.getInputs())
    (isa<TensorType>(input.getType()) ? tensors : scalars).push_back(input);
  auto argument = callee.getArguments().begin();
  for (Value tensor : tensors) {
    auto blockArgument = dyn_cast<BlockArgument>(tensor);
    if (!blockArgument)
      return op.emitError("expected tensors to be arguments of the step");
    places[*argument++] = {ForwardPlace::TensorArgument,
                           step.arguments[blockArgument.getArgNumber()]};
  }
  for (auto [list, name] : llvm::zip(op.getLeafLists(), op.getLeafNames()))
    places[*argument++] = placeOfTensor(layout, list, name);
  for (Value scalar : scalars) {
    if (auto blockArgument = dyn_cast<BlockArgument>(scalar)) {
      places[*argument] = {ForwardPlace::Argument, step.arguments[blockArgument.getArgNumber()]};
    } else if (auto slot = step.values.find(scalar); slot != step.values.end()) {
      places[*argument] = {ForwardPlace::Frame, slot->second};
    } else {
      return op.emitError() << "expected scalars to be arguments of the step or values of the "
                               "frame, got one of '"
                            << scalar.getDefiningOp()->getName() << "'";
    }
    ++argument;
  }
  return success();
}

void ForwardPlaces::placeOutputs(sweep::ForwardOp op, func::FuncOp callee, const Layout &layout,
                                 const StepLayout &step) {
  auto returned = callee.getBody().front().getTerminator()->getOperands().begin();
  for (auto [list, name] : llvm::zip(op.getPackLists(), op.getPackNames()))
    places[lookThroughReshapes(*returned++)] = placeOfTensor(layout, list, name);
  for (Value result : op.getResults())
    places[lookThroughReshapes(*returned++)] = {ForwardPlace::Frame, step.values.at(result)};
}

void ForwardPlaces::placeTemporaries(func::FuncOp callee) {
  SmallVector<Value> temporaries;
  SmallVector<ArenaRequest> requests;
  llvm::DenseMap<Value, unsigned> requestOf;
  unsigned action = 0;
  for (auto op : callee.getBody().getOps<linalg::GenericOp>()) {
    for (Value operand : op->getOperands())
      if (auto it = requestOf.find(lookThroughReshapes(operand)); it != requestOf.end())
        requests[it->second].last = action;
    for (Value result : op.getResults()) {
      if (places.contains(result))
        continue;
      auto type = cast<RankedTensorType>(result.getType());
      requestOf[result] = requests.size();
      temporaries.push_back(result);
      requests.push_back(
          {type.getNumElements() * uint64_t(elementBytes(type.getElementType())), action, action});
    }
    ++action;
  }
  ArenaPlan plan = planArena(requests);
  for (auto [value, offset] : llvm::zip(temporaries, plan.offsets))
    places[value] = {ForwardPlace::Arena, offset};
  arena = plan.bytes;
}
