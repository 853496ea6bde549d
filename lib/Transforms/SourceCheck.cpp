// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Transforms/SourceCheck.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir;
using namespace sawtooth;

LogicalResult sawtooth::checkSource(StringRef text, StringRef path, MLIRContext *context) {
  if (text.starts_with("ML\xefR"))
    return emitError(FileLineColLoc::get(context, path, 0, 0),
                     "expected the text of a module, got MLIR bytecode");
  unsigned depth = 0, line = 1;
  size_t lineStart = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '\n':
      ++line;
      lineStart = i + 1;
      break;
    case '"': // strings end with their line at the latest
      while (i + 1 < text.size() && text[i + 1] != '"' && text[i + 1] != '\n')
        i += text[i + 1] == '\\' ? 2 : 1;
      ++i;
      if (i < text.size() && text[i] == '\n')
        --i;
      break;
    case '/':
      if (text.substr(i).starts_with("//"))
        i = text.find('\n', i) - 1; // the last line may have no end: that is the text's end, too
      break;
    case '<':
      if (text.substr(i).starts_with("<=")) // in an integer set
        break;
      [[fallthrough]];
    case '(':
    case '[':
    case '{':
      if (++depth > maximumNesting)
        return emitError(FileLineColLoc::get(context, path, line, i - lineStart + 1),
                         "expected brackets to nest at most ")
               << maximumNesting << " deep, got more";
      break;
    case '>':
      // Of an arrow, or in an integer set.
      if (i > 0 && (text[i - 1] == '-' || text.substr(i).starts_with(">=")))
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth -= depth > 0;
      break;
    default:
      break;
    }
  }
  return success();
}
