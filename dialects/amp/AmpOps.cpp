// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Op definitions. What their verifiers ask stands in Verify*.cpp.
#include "amp/Amp.h"

using namespace mlir;
using namespace sawtooth::amp;

/// The dictionary of an optimizer or scaler, which may be absent. Nothing but a brace begins one:
/// an attribute in general would take the first alias of the next line for its own.
static ParseResult parseSettings(OpAsmParser &parser, DictionaryAttr &settings) {
  NamedAttrList list;
  if (parser.parseOptionalAttrDict(list))
    return failure();
  settings = list.getDictionary(parser.getContext());
  return success();
}

static void printSettings(OpAsmPrinter &printer, Operation *op, DictionaryAttr settings) {
  // Empty ones are printed only where the op's own attributes would be taken for them.
  if (!settings.empty() || !op->getDiscardableAttrs().empty())
    printer << ' ' << settings;
}

#define GET_OP_CLASSES
#include "amp/AmpOps.cpp.inc"
