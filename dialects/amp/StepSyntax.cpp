// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amp/StepSyntax.h"

#include "amp/Amp.h"

using namespace mlir;
using namespace sawtooth::amp;

// Attributes of both ops, as of every function.
static constexpr llvm::StringLiteral typeName = "function_type", argumentsName = "arg_attrs",
                                     resultsName = "res_attrs";

ParseResult sawtooth::amp::parseStep(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), result.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true,
                               /*allowAttrs=*/true) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> types;
  SmallVector<Attribute> attrs;
  for (OpAsmParser::Argument &argument : arguments) {
    types.push_back(argument.type);
    NamedAttrList list(argument.attrs);
    if (!list.get(kNameAttr))
      list.set(kNameAttr, builder.getStringAttr(argument.ssaName.name.drop_front()));
    attrs.push_back(list.getDictionary(builder.getContext()));
  }
  result.addAttribute(typeName, TypeAttr::get(builder.getFunctionType(types, {})));
  if (!attrs.empty())
    result.addAttribute(argumentsName, builder.getArrayAttr(attrs));
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

void sawtooth::amp::printStep(OpAsmPrinter &printer, FunctionOpInterface step) {
  printer << ' ';
  printer.printSymbolName(step.getName());
  printer << '(';
  llvm::interleaveComma(step.getArguments(), printer, [&](BlockArgument argument) {
    SmallVector<NamedAttribute> attrs;
    for (NamedAttribute attr : step.getArgAttrs(argument.getArgNumber()))
      if (attr.getName() != kNameAttr)
        attrs.push_back(attr);
    printer.printRegionArgument(argument, attrs);
  });
  printer << ')';
  printer.printOptionalAttrDictWithKeyword(
      step->getAttrs(), {SymbolTable::getSymbolAttrName(), typeName, argumentsName, resultsName});
  printer << ' ';
  printer.printRegion(step.getFunctionBody(), /*printEntryBlockArgs=*/false);
}
