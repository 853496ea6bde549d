// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parsing and printing of amp.rule: amp.rule @adamw optimizer params(…) state(…) inputs(…) { … }
#include "amp/Amp.h"

using namespace mlir;
using namespace sawtooth::amp;

ParseResult RuleOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  StringRef kindKeyword;
  SMLoc kindLoc = parser.getCurrentLocation();
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes))
    return failure();
  kindLoc = parser.getCurrentLocation();
  if (parser.parseKeyword(&kindKeyword))
    return failure();
  std::optional<RuleKind> kind = symbolizeRuleKind(kindKeyword);
  if (!kind)
    return parser.emitError(kindLoc, "expected 'optimizer' or 'policy', got '")
           << kindKeyword << "'";
  result.addAttribute(getKindAttrName(result.name), RuleKindAttr::get(builder.getContext(), *kind));

  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Attribute> params, states, inputs;
  auto parseAlias = [&](StringAttr &alias) -> ParseResult {
    if (failed(parser.parseOptionalKeyword("as")))
      return success();
    std::string text;
    if (parser.parseString(&text))
      return failure();
    alias = builder.getStringAttr(text);
    return success();
  };
  auto parseConstant = [&](Type type, TypedAttr &value) -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    Attribute attr;
    if (parser.parseAttribute(attr, type))
      return failure();
    value = dyn_cast<TypedAttr>(attr);
    if (!value || value.getType() != type)
      return parser.emitError(loc, "expected a constant of type ") << type;
    return success();
  };
  auto parseParam = [&]() -> ParseResult {
    bool isStatic = succeeded(parser.parseOptionalKeyword("static"));
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseColonType(argument.type))
      return failure();
    TypedAttr value;
    StringAttr alias;
    if (succeeded(parser.parseOptionalEqual()) && parseConstant(argument.type, value))
      return failure();
    if (parseAlias(alias))
      return failure();
    params.push_back(ParamAttr::get(builder.getContext(),
                                    builder.getStringAttr(argument.ssaName.name.drop_front()),
                                    argument.type, value, alias, isStatic));
    return success();
  };
  auto parseState = [&]() -> ParseResult {
    Role role = Role::None;
    StringRef roleKeyword;
    SMLoc loc = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalKeyword(&roleKeyword))) {
      std::optional<Role> parsed = symbolizeRole(roleKeyword);
      if (!parsed)
        return parser.emitError(loc, "expected 'scale', 'skipped', 'consecutive_skips' or "
                                     "'stuck', got '")
               << roleKeyword << "'";
      role = *parsed;
    }
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseColonType(argument.type))
      return failure();
    Extent extent = *kind == RuleKind::Policy ? Extent::Step : Extent::Element;
    if (succeeded(parser.parseOptionalKeyword("per"))) {
      SMLoc extentLoc = parser.getCurrentLocation();
      StringRef extentKeyword;
      if (parser.parseKeyword(&extentKeyword))
        return failure();
      std::optional<Extent> parsed = symbolizeExtent(extentKeyword);
      if (!parsed)
        return parser.emitError(extentLoc, "expected 'step', 'tensor' or 'element', got '")
               << extentKeyword << "'";
      extent = *parsed;
    }
    TypedAttr value;
    StringAttr alias;
    if (parser.parseEqual() || parseConstant(argument.type, value) || parseAlias(alias))
      return failure();
    states.push_back(FieldAttr::get(builder.getContext(),
                                    builder.getStringAttr(argument.ssaName.name.drop_front()),
                                    argument.type, extent, value, alias, role));
    return success();
  };
  auto parseInput = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseColonType(argument.type))
      return failure();
    inputs.push_back(builder.getStringAttr(argument.ssaName.name.drop_front()));
    return success();
  };
  using Delimiter = OpAsmParser::Delimiter;
  if (succeeded(parser.parseOptionalKeyword("params")) &&
      parser.parseCommaSeparatedList(Delimiter::Paren, parseParam))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("state")) &&
      parser.parseCommaSeparatedList(Delimiter::Paren, parseState))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("inputs")) &&
      parser.parseCommaSeparatedList(Delimiter::Paren, parseInput))
    return failure();
  result.addAttribute(getParamsAttrName(result.name), builder.getArrayAttr(params));
  result.addAttribute(getStatesAttrName(result.name), builder.getArrayAttr(states));
  result.addAttribute(getInputsAttrName(result.name), builder.getArrayAttr(inputs));
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  return parser.parseRegion(*result.addRegion(), arguments);
}

void RuleOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << ' ' << stringifyRuleKind(getKind());
  auto printAlias = [&](StringAttr alias) {
    if (alias)
      printer << " as " << alias;
  };
  if (!getParams().empty()) {
    printer << " params(";
    llvm::interleaveComma(llvm::zip(getParams(), getParamArguments()), printer, [&](auto pair) {
      auto param = cast<ParamAttr>(std::get<0>(pair));
      if (param.getIsStatic())
        printer << "static ";
      printer << std::get<1>(pair) << ": " << param.getType();
      if (param.getDefaultValue()) {
        printer << " = ";
        printer.printAttributeWithoutType(param.getDefaultValue());
      }
      printAlias(param.getAlias());
    });
    printer << ')';
  }
  if (!getStates().empty()) {
    printer << " state(";
    llvm::interleaveComma(llvm::zip(getStates(), getStateArguments()), printer, [&](auto pair) {
      auto field = cast<FieldAttr>(std::get<0>(pair));
      if (field.getRole() != Role::None)
        printer << stringifyRole(field.getRole()) << ' ';
      printer << std::get<1>(pair) << ": " << field.getType();
      Extent usual = getKind() == RuleKind::Policy ? Extent::Step : Extent::Element;
      if (field.getExtent() != usual)
        printer << " per " << stringifyExtent(field.getExtent());
      printer << " = ";
      printer.printAttributeWithoutType(field.getInitial());
      printAlias(field.getAlias());
    });
    printer << ')';
  }
  if (!getInputs().empty()) {
    printer << " inputs(";
    llvm::interleaveComma(getInputArguments(), printer, [&](BlockArgument argument) {
      printer << argument << ": " << argument.getType();
    });
    printer << ')';
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getSymNameAttrName(), getKindAttrName(), getParamsAttrName(),
                            getStatesAttrName(), getInputsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ArrayRef<BlockArgument> RuleOp::getParamArguments() {
  return getBody().getArguments().take_front(getParams().size());
}
ArrayRef<BlockArgument> RuleOp::getStateArguments() {
  return getBody().getArguments().slice(getParams().size(), getStates().size());
}
ArrayRef<BlockArgument> RuleOp::getInputArguments() {
  return getBody().getArguments().drop_front(getParams().size() + getStates().size());
}

void RuleOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  // The attributes may be wrong in generic form; the verifier says so later.
  unsigned index = 0;
  auto setNext = [&](StringRef name) {
    if (index < region.getNumArguments())
      setName(region.getArgument(index++), name);
  };
  for (Attribute param : getParams())
    setNext(cast<ParamAttr>(param).getName().getValue());
  for (Attribute field : getStates())
    setNext(cast<FieldAttr>(field).getName().getValue());
  for (Attribute input : getInputs())
    setNext(cast<StringAttr>(input).getValue());
}
