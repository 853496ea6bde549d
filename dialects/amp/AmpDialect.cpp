// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amp/Amp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sawtooth::amp;

#include "amp/AmpDialect.cpp.inc"
#include "amp/AmpEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "amp/AmpTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "amp/AmpAttrs.cpp.inc"

void AmpDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "amp/AmpTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "amp/AmpAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "amp/AmpOps.cpp.inc"
      >();
}

//===------------------------------------------------------------------------------------------===//
// !amp.tensors<@model x f16>, !amp.tensors<@model x i64 per tensor>
//===------------------------------------------------------------------------------------------===//

Type TensorsType::parse(AsmParser &parser) {
  FlatSymbolRefAttr model;
  Type elementType;
  bool perTensor = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseAttribute(model) || parser.parseKeyword("x"))
    return {};
  SMLoc elementLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLParen()))
    return parser.emitError(elementLoc, "expected one element type, got a set of them: lists of "
                                        "several element types are not supported yet"),
           Type();
  if (parser.parseType(elementType))
    return {};
  if (succeeded(parser.parseOptionalKeyword("per"))) {
    if (parser.parseKeyword("tensor"))
      return {};
    perTensor = true;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TensorsType>(loc, parser.getContext(), model, elementType, perTensor);
}

void TensorsType::print(AsmPrinter &printer) const {
  printer << '<' << getModel() << " x " << getElementType();
  if (getPerTensor())
    printer << " per tensor";
  printer << '>';
}

LogicalResult TensorsType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                  FlatSymbolRefAttr, Type elementType, bool perTensor) {
  if (elementType.isF16() || elementType.isBF16() || elementType.isF32())
    return success();
  if (perTensor && (elementType.isF64() || elementType.isInteger(64)))
    return success();
  return emitError() << "expected a list of f16, bf16 or f32" << (perTensor ? ", f64 or i64" : "")
                     << ", got " << elementType;
}

//===------------------------------------------------------------------------------------------===//
// Attributes
//===------------------------------------------------------------------------------------------===//

Attribute NormalAttr::parse(AsmParser &parser, Type) {
  FloatAttr std;
  if (parser.parseLess() || parser.parseKeyword("std") || parser.parseEqual() ||
      parser.parseAttribute(std, parser.getBuilder().getF64Type()) || parser.parseGreater())
    return {};
  return get(parser.getContext(), std);
}

void NormalAttr::print(AsmPrinter &printer) const {
  printer << "<std = ";
  printer.printAttributeWithoutType(getStd());
  printer << '>';
}

Attribute PatternsAttr::parse(AsmParser &parser, Type) {
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
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseOne))
    return {};
  return get(parser.getContext(), globs, values);
}

void PatternsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(llvm::zip(getGlobs(), getValues()), printer, [&](auto pair) {
    printer.printString(std::get<0>(pair).getValue());
    printer << " = " << std::get<1>(pair);
  });
  printer << '>';
}
