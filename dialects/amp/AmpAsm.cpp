// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parsing and printing of the ops whose syntax a declarative format cannot say.
#include "amp/Amp.h"
#include "amp/StepSyntax.h"

using namespace mlir;
using namespace sawtooth::amp;

//===------------------------------------------------------------------------------------------===//
// Helpers
//===------------------------------------------------------------------------------------------===//

/// ["*.bias" = 0.0, "*" = 0.01] (the bracket is already consumed when `open` is true).
static ParseResult parsePatterns(OpAsmParser &parser, PatternsAttr &result) {
  SmallVector<StringAttr> globs;
  SmallVector<Attribute> values;
  auto parseOne = [&]() -> ParseResult {
    std::string glob;
    if (parser.parseString(&glob) || parser.parseEqual() ||
        parser.parseAttribute(values.emplace_back()))
      return failure();
    globs.push_back(parser.getBuilder().getStringAttr(glob));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  result = PatternsAttr::get(parser.getContext(), globs, values);
  return success();
}

static void printPatterns(OpAsmPrinter &printer, PatternsAttr patterns) {
  printer << '[';
  llvm::interleaveComma(llvm::zip(patterns.getGlobs(), patterns.getValues()), printer,
                        [&](auto pair) {
                          printer.printString(std::get<0>(pair).getValue());
                          printer << " = " << std::get<1>(pair);
                        });
  printer << ']';
}

static ParseResult parseModelRef(OpAsmParser &parser, FlatSymbolRefAttr &model) {
  return parser.parseAttribute(model);
}

//===------------------------------------------------------------------------------------------===//
// amp.state @w : TYPE (= INIT)? (copy_of @x)? (scaled_by [@s])?
//===------------------------------------------------------------------------------------------===//

ParseResult StateOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  Type type;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.addAttribute(getTypeAttrName(result.name), TypeAttr::get(type));
  if (succeeded(parser.parseOptionalEqual())) {
    Attribute init;
    if (succeeded(parser.parseOptionalKeyword("required"))) {
      init = RequiredAttr::get(parser.getContext());
    } else if (succeeded(parser.parseOptionalKeyword("cast"))) {
      FlatSymbolRefAttr source;
      if (parser.parseAttribute(source))
        return failure();
      init = CastAttr::get(parser.getContext(), source);
    } else if (succeeded(parser.parseOptionalLSquare())) {
      SmallVector<StringAttr> globs;
      SmallVector<Attribute> values;
      do {
        std::string glob;
        if (parser.parseString(&glob) || parser.parseEqual() ||
            parser.parseAttribute(values.emplace_back()))
          return failure();
        globs.push_back(parser.getBuilder().getStringAttr(glob));
      } while (succeeded(parser.parseOptionalComma()));
      if (parser.parseRSquare())
        return failure();
      init = PatternsAttr::get(parser.getContext(), globs, values);
    } else {
      Type elementType = type;
      if (auto tensors = dyn_cast<TensorsType>(type))
        elementType = tensors.getElementType();
      if (parser.parseAttribute(init, elementType))
        return failure();
    }
    result.addAttribute(getInitAttrName(result.name), init);
  }
  if (succeeded(parser.parseOptionalKeyword("copy_of"))) {
    FlatSymbolRefAttr source;
    if (parser.parseAttribute(source, getCopyOfAttrName(result.name), result.attributes))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("scaled_by"))) {
    ArrayAttr units;
    if (parser.parseAttribute(units, getScaledByAttrName(result.name), result.attributes))
      return failure();
  }
  return parser.parseOptionalAttrDict(result.attributes);
}

void StateOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " : " << getType();
  if (Attribute init = getInitAttr()) {
    printer << " = ";
    if (isa<RequiredAttr>(init))
      printer << "required";
    else if (auto cast = dyn_cast<CastAttr>(init))
      printer << "cast " << cast.getSource();
    else if (auto patterns = dyn_cast<PatternsAttr>(init))
      printPatterns(printer, patterns);
    else
      printer.printAttributeWithoutType(init);
  }
  if (getCopyOfAttr())
    printer << " copy_of " << getCopyOfAttr();
  if (getScaledByAttr())
    printer << " scaled_by " << getScaledByAttr();
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getSymNameAttrName(), getTypeAttrName(), getInitAttrName(),
                                 getCopyOfAttrName(), getScaledByAttrName()});
}

//===------------------------------------------------------------------------------------------===//
// amp.per_tensor @decay : f64 over @model ["*" = 0.01]
//===------------------------------------------------------------------------------------------===//

ParseResult PerTensorOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  Type type;
  FlatSymbolRefAttr model;
  PatternsAttr patterns;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      parser.parseColonType(type) || parser.parseKeyword("over") || parseModelRef(parser, model) ||
      parsePatterns(parser, patterns))
    return failure();
  result.addAttribute(getTypeAttrName(result.name), TypeAttr::get(type));
  result.addAttribute(getModelAttrName(result.name), model);
  result.addAttribute(getPatternsAttrName(result.name), patterns);
  return parser.parseOptionalAttrDict(result.attributes);
}

void PerTensorOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " : " << getType() << " over " << getModelAttr() << ' ';
  printPatterns(printer, getPatterns());
  printer.printOptionalAttrDict((*this)->getAttrs(), {getSymNameAttrName(), getTypeAttrName(),
                                                      getModelAttrName(), getPatternsAttrName()});
}

//===------------------------------------------------------------------------------------------===//
// amp.step @train(%g: TYPE {ATTRS}, …) { … }
//===------------------------------------------------------------------------------------------===//

ParseResult StepOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseStep(parser, result);
}

void StepOp::print(OpAsmPrinter &printer) { printStep(printer, *this); }

std::string StepOp::getArgumentName(unsigned index) {
  if (auto name = getArgAttrOfType<StringAttr>(index, kNameAttr))
    return name.str();
  return "arg" + std::to_string(index);
}

void StepOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    if (argument.getArgNumber() < getFunctionType().getNumInputs())
      setName(argument, getArgumentName(argument.getArgNumber()));
}

//===------------------------------------------------------------------------------------------===//
// %w1, %o1 = amp.apply @opt(%w, %c) hyper(lr = %lr : f64) : (!w, !w) -> (!w, !amp.next<@opt>)
//===------------------------------------------------------------------------------------------===//

ParseResult ApplyOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  FlatSymbolRefAttr optimizer;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, hyper;
  SmallVector<Type> hyperTypes;
  SmallVector<Attribute> names;
  if (parser.parseAttribute(optimizer, getOptimizerAttrName(result.name), result.attributes) ||
      parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren))
    return failure();
  auto parseHyper = [&]() -> ParseResult {
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual() ||
        parser.parseOperand(hyper.emplace_back()))
      return failure();
    // Step arithmetic is f64: the type is written only where it is another.
    Type type = builder.getF64Type();
    if (succeeded(parser.parseOptionalColon()) && parser.parseType(type))
      return failure();
    hyperTypes.push_back(type);
    names.push_back(builder.getStringAttr(name));
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("hyper")) &&
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseHyper))
    return failure();
  FunctionType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(inputs, type.getInputs(), loc, result.operands) ||
      parser.resolveOperands(hyper, hyperTypes, loc, result.operands))
    return failure();
  result.addAttribute(getHyperNamesAttrName(result.name), builder.getArrayAttr(names));
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      static_cast<int32_t>(inputs.size()), static_cast<int32_t>(hyper.size())};
  result.addTypes(type.getResults());
  result.addTypes(NextType::get(builder.getContext(), optimizer));
  return success();
}

void ApplyOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOptimizerAttr() << '(' << getInputs() << ')';
  if (!getHyper().empty()) {
    printer << " hyper(";
    llvm::interleaveComma(llvm::zip(getHyperNames(), getHyper()), printer, [&](auto pair) {
      printer << cast<StringAttr>(std::get<0>(pair)).getValue() << " = " << std::get<1>(pair);
      if (!std::get<1>(pair).getType().isF64())
        printer << " : " << std::get<1>(pair).getType();
    });
    printer << ')';
  }
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getOptimizerAttrName(), getHyperNamesAttrName(), getOperandSegmentSizesAttrName()});
  printer << " : (" << getInputs().getTypes() << ") -> (" << getResults().getTypes() << ')';
}

//===------------------------------------------------------------------------------------------===//
// amp.pack {"fc.weight" = %dw : tensor<64x10xf16>, …} : !g
//===------------------------------------------------------------------------------------------===//

ParseResult PackOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::UnresolvedOperand> tensors;
  SmallVector<Type> types;
  SmallVector<Attribute> names;
  auto parseOne = [&]() -> ParseResult {
    std::string name;
    if (parser.parseString(&name) || parser.parseEqual() ||
        parser.parseOperand(tensors.emplace_back()) || parser.parseColonType(types.emplace_back()))
      return failure();
    names.push_back(builder.getStringAttr(name));
    return success();
  };
  Type type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Braces, parseOne) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(tensors, types, loc, result.operands))
    return failure();
  result.addAttribute(getNamesAttrName(result.name), builder.getArrayAttr(names));
  result.addTypes(type);
  return success();
}

void PackOp::print(OpAsmPrinter &printer) {
  printer << " {";
  llvm::interleaveComma(llvm::zip(getNames(), getTensors()), printer, [&](auto pair) {
    printer.printAttribute(std::get<0>(pair));
    printer << " = " << std::get<1>(pair) << " : " << std::get<1>(pair).getType();
  });
  printer << '}';
  printer.printOptionalAttrDict((*this)->getAttrs(), {getNamesAttrName()});
  printer << " : " << getResult().getType();
}

//===------------------------------------------------------------------------------------------===//
// amp.commit %w1 to @w, %o1 to @opt when %ok : !w, !amp.next<@opt>
//===------------------------------------------------------------------------------------------===//

ParseResult CommitOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::UnresolvedOperand> values, flag;
  SmallVector<Attribute> states;
  auto parseOne = [&]() -> ParseResult {
    FlatSymbolRefAttr state;
    if (parser.parseOperand(values.emplace_back()) || parser.parseKeyword("to") ||
        parser.parseAttribute(state))
      return failure();
    states.push_back(state);
    return success();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(parseOne))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("when")) && parser.parseOperand(flag.emplace_back()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("always")))
    result.addAttribute(getAlwaysAttrName(result.name), builder.getUnitAttr());
  SmallVector<Type> types;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonTypeList(types) ||
      parser.resolveOperands(values, types, loc, result.operands) ||
      (!flag.empty() && parser.resolveOperand(flag.front(), builder.getI1Type(), result.operands)))
    return failure();
  result.addAttribute(getStatesAttrName(result.name), builder.getArrayAttr(states));
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      static_cast<int32_t>(values.size()), static_cast<int32_t>(flag.size())};
  return success();
}

void CommitOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  llvm::interleaveComma(llvm::zip(getValues(), getStates()), printer, [&](auto pair) {
    printer << std::get<0>(pair) << " to " << std::get<1>(pair);
  });
  if (getFlag())
    printer << " when " << getFlag();
  if (getAlways())
    printer << " always";
  printer.printOptionalAttrDict((*this)->getAttrs(), {getStatesAttrName(), getAlwaysAttrName(),
                                                      getOperandSegmentSizesAttrName()});
  printer << " : " << getValues().getTypes();
}
