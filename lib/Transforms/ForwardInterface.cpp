// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Forward.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sawtooth;

/// amp.opaque is arithmetic like that of the foreign dialects.
static bool isAmpOp(Operation &op) {
  return isa<amp::AmpDialect>(op.getDialect()) && !isa<amp::OpaqueOp>(op);
}

bool sawtooth::isForwardOp(Operation &op) {
  if (isAmpOp(op) || isa<tensor::ExtractOp>(op))
    return false;
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(op.getOperandTypes(), isTensor) ||
         llvm::any_of(op.getResultTypes(), isTensor);
}

/// Where a scalar of the forward part comes from must be known when the step begins.
static LogicalResult checkKnownAtEntry(Value value, Operation *user) {
  SmallVector<Value> worklist{value};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !seen.insert(next).second || isa<amp::ReadOp>(op))
      continue;
    if (isa<tensor::ExtractOp>(op)) {
      InFlightDiagnostic diagnostic =
          user->emitError() << "expected the scalars of the forward and backward part to come from "
                               "outside of it; keep this one as a tensor of one element";
      diagnostic.attachNote(op->getLoc()) << "taken out of a tensor here";
      return diagnostic;
    }
    if (isAmpOp(*op) || !isPure(op) || op->getNumRegions() != 0) {
      InFlightDiagnostic diagnostic =
          user->emitError() << "expected the scalars of the forward and backward part to be known "
                               "when the step begins, got one that depends on '"
                            << op->getName() << "'";
      diagnostic.attachNote(op->getLoc()) << "computed here";
      return diagnostic;
    }
    llvm::append_range(worklist, op->getOperands());
  }
  return success();
}

static LogicalResult checkScalar(Value value, Operation *user) {
  Type type = value.getType();
  if (!type.isF32() && !type.isF64() && !type.isSignlessInteger(1) && !type.isSignlessInteger(32) &&
      !type.isSignlessInteger(64))
    return user->emitError() << "expected scalars of f32, f64, i1, i32 or i64 in the forward and "
                                "backward part, got "
                             << type;
  return checkKnownAtEntry(value, user);
}

static LogicalResult checkLeaf(amp::LeafOp leaf) {
  Value list = leaf.getList();
  if (isa<BlockArgument>(list) || list.getDefiningOp<amp::ReadOp>())
    return success();
  InFlightDiagnostic diagnostic =
      leaf.emitError("expected a leaf of a list that is read or an argument");
  diagnostic.attachNote(list.getLoc()) << "this list is computed by the step";
  return diagnostic;
}

/// A step sees one element of a tensor: the only one.
static LogicalResult checkExtract(tensor::ExtractOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getTensor().getType());
  bool isFirst =
      llvm::all_of(op.getIndices(), [](Value index) { return matchPattern(index, m_Zero()); });
  if (type && type.hasStaticShape() && type.getRank() > 0 && type.getNumElements() == 1 && isFirst)
    return success();
  return op.emitError() << "expected the only element of a tensor like tensor<1xf32>, got one of "
                        << op.getTensor().getType();
}

FailureOr<ForwardInterface> sawtooth::findForwardInterface(amp::StepOp step) {
  ForwardInterface interface;
  llvm::SetVector<Value> tensors, leaves, scalars;
  llvm::SmallPtrSet<Operation *, 32> inside;
  for (Operation &op : step.getBody().front())
    if (isForwardOp(op)) {
      interface.ops.push_back(&op);
      inside.insert(&op);
    }

  auto take = [&](Value value, Operation *user) -> LogicalResult {
    Operation *definition = value.getDefiningOp();
    if (definition && inside.contains(definition))
      return success();
    if (auto leaf = value.getDefiningOp<amp::LeafOp>()) {
      leaves.insert(value);
      return checkLeaf(leaf);
    }
    if (isa<TensorType>(value.getType())) {
      if (definition)
        return user->emitError() << "expected tensors to come from arguments, amp.leaf and linalg, "
                                    "got one of '"
                                 << definition->getName() << "'";
      tensors.insert(value);
      return success();
    }
    if (isa_and_nonnull<arith::ConstantOp>(definition))
      return success(); // copied where it is used
    scalars.insert(value);
    return checkScalar(value, user);
  };

  for (Operation *op : interface.ops) {
    WalkResult result = op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *owner = operand.getParentRegion()->getParentOp();
        if (owner == step && failed(take(operand, inner)))
          return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  // The tensors of packs first, whatever the order of the text.
  for (auto pack : step.getBody().getOps<amp::PackOp>())
    for (OpOperand &operand : pack.getTensorsMutable()) {
      if (failed(take(operand.get(), pack)))
        return failure();
      interface.outputs.push_back(&operand);
    }
  for (auto extract : step.getBody().getOps<tensor::ExtractOp>()) {
    if (failed(checkExtract(extract)) || failed(take(extract.getTensor(), extract)))
      return failure();
    interface.outputs.push_back(&extract.getTensorMutable());
  }
  auto byArgument = [](Value a, Value b) {
    return cast<BlockArgument>(a).getArgNumber() < cast<BlockArgument>(b).getArgNumber();
  };
  interface.tensors = llvm::to_vector(tensors);
  llvm::sort(interface.tensors, byArgument);
  interface.leaves = llvm::to_vector(leaves);
  interface.scalars = llvm::to_vector(scalars);
  return interface;
}
