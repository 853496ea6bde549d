// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rules and maps are inlined by cloning.
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::amptosweep;

FailureOr<Operation *> amptosweep::cloneScalarOp(OpBuilder &builder, Operation &op,
                                                 IRMapping &mapping) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  if ((!isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
       !isa<amp::OpaqueOp, amp::PowiOp>(op)) ||
      op.getNumRegions() != 0 || !llvm::all_of(op.getOperandTypes(), isScalar) ||
      !llvm::all_of(op.getResultTypes(), isScalar)) {
    InFlightDiagnostic diag =
        op.emitOpError("cannot be computed here: expected a scalar op of arith or math");
    if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>))
      diag.attachNote() << kTensorHint;
    return failure();
  }
  Operation *clone = builder.clone(op, mapping);
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(clone)) {
    if (arith::FastMathFlagsAttr flags = fast.getFastMathFlagsAttr();
        flags && flags.getValue() != arith::FastMathFlags::none) {
      op.emitRemark("fast-math flags are ignored: results are the same on every target");
      clone->setAttr(fast.getFastMathAttrName(),
                     arith::FastMathFlagsAttr::get(op.getContext(), arith::FastMathFlags::none));
    }
  }
  return clone;
}

/// The name that `rule` gives the argument `value`; empty if it is none.
static std::string nameOfArgument(amp::RuleOp rule, Value value) {
  std::string found;
  rule.getAsmBlockArgumentNames(rule.getBody(), [&](Value argument, StringRef name) {
    if (argument == value)
      found = name.str();
  });
  return found;
}

/// "sum of squares of w over each tensor in @lamb". What a rule computes has no name.
static std::string describe(amp::ReduceOp reduce) {
  auto rule = reduce->getParentOfType<amp::RuleOp>();
  Value value = reduce.getValue();
  std::string what;
  switch (reduce.getKind()) {
  case amp::ReduceKind::Add:
    what = "sum";
    break;
  case amp::ReduceKind::Max:
    what = "maximum";
    break;
  case amp::ReduceKind::Min:
    what = "minimum";
    break;
  case amp::ReduceKind::Or:
    what = "any";
    break;
  }
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (product && product.getLhs() == product.getRhs()) {
    what += " of squares";
    value = product.getLhs();
  } else if (auto magnitude = value.getDefiningOp<math::AbsFOp>()) {
    what += " of magnitudes";
    value = magnitude.getOperand();
  }
  if (std::string name = nameOfArgument(rule, value); !name.empty())
    what += " of " + name;
  if (reduce.getExtent() == amp::Extent::Tensor)
    what += " over each tensor";
  return what + " in @" + rule.getSymName().str();
}

FailureOr<SmallVector<Value>> amptosweep::inlineBody(OpBuilder &builder, Block &body,
                                                     IRMapping &mapping, FlatSymbolRefAttr model) {
  for (Operation &op : body.without_terminator()) {
    Value result;
    if (!model && isa<amp::ReduceOp, amp::NumelOp, amp::DimOp, amp::RankOp>(op))
      return op.emitOpError("needs a model, and a policy has none"), failure();
    if (auto reduce = dyn_cast<amp::ReduceOp>(op))
      result = sweep::ReduceOp::create(builder, op.getLoc(), reduce.getType(), reduce.getKind(),
                                       mapping.lookup(reduce.getValue()), reduce.getExtent(),
                                       model.getValue(), builder.getStringAttr(describe(reduce)));
    else if (isa<amp::NumelOp>(op))
      result = sweep::NumelOp::create(builder, op.getLoc(), builder.getI64Type(), model);
    else if (auto dim = dyn_cast<amp::DimOp>(op))
      result = sweep::DimOp::create(builder, op.getLoc(), builder.getI64Type(), dim.getIndexAttr(),
                                    model);
    else if (isa<amp::RankOp>(op))
      result = sweep::RankOp::create(builder, op.getLoc(), builder.getI64Type(), model);
    else if (failed(cloneScalarOp(builder, op, mapping)))
      return failure();
    if (result)
      mapping.map(op.getResult(0), result);
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookup(value); });
}
