// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tensor part of a step becomes a function of its own.
#include "Forward.h"
#include "amp/Amp.h"
#include "sawtooth/Transforms/ForwardNormalForm.h"
#include "sawtooth/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace sawtooth {
#define GEN_PASS_DEF_AMPOUTLINEFORWARD
#include "sawtooth/Transforms/Passes.h.inc"
} // namespace sawtooth

using namespace mlir;
using namespace sawtooth;

/// A copy of a tensor: an output that is no result of the part, or is one for the second time,
/// needs a buffer of its own.
static Value copied(OpBuilder &builder, Location location, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = tensor::EmptyOp::create(builder, location, type.getShape(), type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, location, TypeRange{type}, ValueRange{tensor},
                                   ValueRange{empty}, ArrayRef<AffineMap>{identity, identity},
                                   loops,
                                   [](OpBuilder &builder, Location location, ValueRange elements) {
                                     linalg::YieldOp::create(builder, location, elements[0]);
                                   })
      .getResult(0);
}

/// `tensor` of one element with one dimension.
static Value flattened(OpBuilder &builder, Location location, Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  if (rank == 1)
    return tensor;
  ReassociationIndices all = llvm::to_vector(llvm::seq<int64_t>(rank));
  return tensor::CollapseShapeOp::create(builder, location, tensor, ArrayRef{all});
}

/// Copies the part's ops into a new function next to the step. The function takes tensor arguments,
/// leaves and scalars, and returns the outputs.
static func::FuncOp createFunction(amp::StepOp step, const ForwardInterface &interface) {
  SmallVector<Value> inputs(interface.tensors);
  llvm::append_range(inputs, interface.leaves);
  llvm::append_range(inputs, interface.scalars);
  OpBuilder builder(step);
  std::string name = (step.getSymName() + ".model").str();
  auto function = func::FuncOp::create(builder, step.getLoc(), name,
                                       builder.getFunctionType(ValueRange(inputs).getTypes(), {}));
  function.setPrivate();
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);

  IRMapping mapping;
  for (auto [input, argument] : llvm::zip(inputs, body->getArguments())) {
    argument.setLoc(input.getLoc());
    mapping.map(input, argument);
  }
  auto takeConstants = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto constant = operand.getDefiningOp<arith::ConstantOp>();
          constant && constant->getParentOp() == step && !mapping.contains(operand))
        builder.clone(*constant, mapping);
  };
  for (Operation *op : interface.ops) {
    op->walk(takeConstants);
    builder.clone(*op, mapping);
  }
  SmallVector<Value> results;
  llvm::SmallPtrSet<Value, 8> roots;
  for (OpOperand *output : interface.outputs) {
    Location location = output->getOwner()->getLoc();
    Value value = mapping.lookup(output->get());
    Value root = lookThroughReshapes(value);
    if (!root.getDefiningOp<linalg::GenericOp>() || !roots.insert(root).second)
      value = copied(builder, location, value);
    if (isa<tensor::ExtractOp>(output->getOwner()))
      value = flattened(builder, location, value);
    results.push_back(value);
  }
  func::ReturnOp::create(builder, step.getLoc(), results);
  function.setType(
      builder.getFunctionType(ValueRange(inputs).getTypes(), ValueRange(results).getTypes()));
  return function;
}

/// Moves what `value` is computed from in front of `point`, in one block.
static void hoist(Value value, Operation *point) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != point->getBlock() || op->isBeforeInBlock(point))
    return;
  for (Value operand : op->getOperands())
    hoist(operand, point);
  op->moveBefore(point);
}

/// Puts a call of `function` where the outputs are first used, and drops the ops that it replaces.
static void callFunction(func::FuncOp function, const ForwardInterface &interface) {
  SmallVector<Value> inputs(interface.tensors);
  llvm::append_range(inputs, interface.leaves);
  llvm::append_range(inputs, interface.scalars);
  Operation *first = interface.outputs.front()->getOwner();
  for (OpOperand *output : interface.outputs)
    if (output->getOwner()->isBeforeInBlock(first))
      first = output->getOwner();
  OpBuilder builder(first);
  auto call = func::CallOp::create(builder, function.getLoc(), function, inputs);
  for (Value input : inputs)
    hoist(input, call);
  for (auto [output, result] : llvm::zip(interface.outputs, call.getResults())) {
    auto extract = dyn_cast<tensor::ExtractOp>(output->getOwner());
    output->set(result);
    if (!extract)
      continue;
    builder.setInsertionPoint(extract);
    Value zero = arith::ConstantIndexOp::create(builder, extract.getLoc(), 0);
    extract.getIndicesMutable().assign(zero);
  }
  for (Operation *op : llvm::reverse(interface.ops))
    op->erase();
}

namespace {
struct AmpOutlineForward : sawtooth::impl::AmpOutlineForwardBase<AmpOutlineForward> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto step : llvm::make_early_inc_range(getOperation().getOps<amp::StepOp>())) {
      if (llvm::none_of(step.getBody().front(), isForwardOp))
        continue;
      if (failed(simplifyForward(step)))
        return signalPassFailure();
      FailureOr<ForwardInterface> interface = findForwardInterface(step);
      if (failed(interface))
        return signalPassFailure();
      if (interface->outputs.empty()) {
        // Nothing of it is seen.
        for (Operation *op : llvm::reverse(interface->ops))
          op->erase();
        continue;
      }
      func::FuncOp function = createFunction(step, *interface);
      symbols.insert(function); // under another name where this one is taken
      callFunction(function, *interface);
      if (failed(verifyForwardNormalForm(function)))
        return signalPassFailure();
      function.walk([&](linalg::GenericOp) { ++loops; });
      ++outlined;
    }
  }
};
} // namespace
