// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sweep/Sweep.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::sweep;

#define GET_OP_CLASSES
#include "sweep/SweepOps.cpp.inc"

ParseResult StepOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true,
                               /*allowAttrs=*/true) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> types;
  SmallVector<Attribute> attrs;
  for (OpAsmParser::Argument &argument : arguments) {
    types.push_back(argument.type);
    NamedAttrList list(argument.attrs);
    if (!list.get(amp::kNameAttr))
      list.set(amp::kNameAttr, builder.getStringAttr(argument.ssaName.name.drop_front()));
    attrs.push_back(list.getDictionary(builder.getContext()));
  }
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(builder.getFunctionType(types, {})));
  if (!attrs.empty())
    result.addAttribute(getArgAttrsAttrName(result.name), builder.getArrayAttr(attrs));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty()) {
    body->emplaceBlock();
    for (OpAsmParser::Argument &argument : arguments)
      body->addArgument(argument.type, result.location);
  }
  return success();
}

void StepOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(getBody().getArguments(), printer, [&](BlockArgument argument) {
    SmallVector<NamedAttribute> attrs;
    if (getArgAttrsAttr())
      for (NamedAttribute attr : cast<DictionaryAttr>((*getArgAttrs())[argument.getArgNumber()]))
        if (attr.getName() != amp::kNameAttr)
          attrs.push_back(attr);
    printer.printRegionArgument(argument, attrs);
  });
  printer << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getSymNameAttrName(), getFunctionTypeAttrName(),
                                            getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

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
template <typename OpTy> static LogicalResult foldFlag(OpTy op, PatternRewriter &rewriter) {
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
