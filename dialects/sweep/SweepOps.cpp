// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sweep/Sweep.h"

#include "amp/StepSyntax.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::sweep;

#define GET_OP_CLASSES
#include "sweep/SweepOps.cpp.inc"

ParseResult StepOp::parse(OpAsmParser &parser, OperationState &result) {
  return amp::parseStep(parser, result);
}

void StepOp::print(OpAsmPrinter &printer) { amp::printStep(printer, *this); }

void StepOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    if (auto name = getArgAttrOfType<StringAttr>(argument.getArgNumber(), amp::kNameAttr))
      setName(argument, name);
}

void YieldOp::build(OpBuilder &, OperationState &) {}

void LeaveOp::build(OpBuilder &builder, OperationState &state) {
  build(builder, state, ValueRange(), ValueRange());
}

/// A constant flag is none: the write happens always, or never.
template <typename OpTy>
static LogicalResult foldFlag(OpTy op, PatternRewriter &rewriter) {
  if (!op.getFlag())
    return failure();
  if (matchPattern(op.getFlag(), m_One())) {
    rewriter.modifyOpInPlace(op, [&] { op.getFlagMutable().clear(); });
    return success();
  }
  if (!matchPattern(op.getFlag(), m_Zero()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  return foldFlag(op, rewriter);
}

LogicalResult SetOp::canonicalize(SetOp op, PatternRewriter &rewriter) {
  if (succeeded(foldFlag(op, rewriter)))
    return success();
  // The value at entry is there already.
  auto get = op.getValue().getDefiningOp<GetOp>();
  if (!get || get.getFieldAttr() != op.getFieldAttr())
    return failure();
  rewriter.eraseOp(op);
  return success();
}
