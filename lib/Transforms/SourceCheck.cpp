// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Transforms/SourceCheck.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace sawtooth;

namespace {

/// Walks over a text and keeps count of what the parser would recurse for.
class SourceScan {
public:
  SourceScan(StringRef text, StringRef path, MLIRContext *context)
      : text(text), path(path), context(context) {}

  LogicalResult run() {
    for (; at < text.size(); ++at) {
      if (affineDepth > 0 && at - affineStart > maximumAffineLength)
        return complain() << "expected affine maps and sets of at most " << maximumAffineLength
                          << " characters, got more";
      bool isWord = !llvm::isSpace(text[at]) && !startsWith("//");
      if (failed(visit()))
        return failure();
      if (isWord)
        last = at;
    }
    return success();
  }

private:
  InFlightDiagnostic complain() {
    return emitError(FileLineColLoc::get(context, path, line, at - lineStart + 1));
  }
  bool startsWith(StringRef word) const { return text.substr(at).starts_with(word); }

  LogicalResult visit() {
    switch (text[at]) {
    case '\n':
      ++line;
      lineStart = at + 1;
      if (defined && depth == 0 && isEndOfAlias())
        defined = nullptr;
      return success();
    case '"':
      skipString();
      return success();
    case '/':
      if (startsWith("//"))
        at = text.find('\n', at) - 1; // the last line may have no end: that is the text's end, too
      return success();
    case '#':
    case '!':
      return visitAlias();
    case '<':
      if (startsWith("<=")) // in an integer set
        return success();
      if (affineDepth == 0 && (text.take_front(at).ends_with("affine_map") ||
                               text.take_front(at).ends_with("affine_set"))) {
        affineDepth = depth + 1;
        affineStart = at;
      }
      [[fallthrough]];
    case '(':
    case '[':
    case '{':
      ++depth;
      return reach(depth);
    case '>':
      // Of an arrow, or in an integer set.
      if ((at > 0 && text[at - 1] == '-') || startsWith(">="))
        return success();
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth -= depth > 0;
      if (depth < affineDepth)
        affineDepth = 0;
      return success();
    default:
      return success();
    }
  }

  /// Strings end with their line at the latest.
  void skipString() {
    while (at + 1 < text.size() && text[at + 1] != '"' && text[at + 1] != '\n')
      at += text[at + 1] == '\\' ? 2 : 1;
    ++at;
    if (at < text.size() && text[at] == '\n')
      --at;
  }

  /// An alias is as deep as what it stands for.
  LogicalResult visitAlias() {
    auto isOfName = [](char c) { return llvm::isAlnum(c) || StringRef("$._-").contains(c); };
    StringRef name = text.substr(at, 1 + text.substr(at + 1).take_while(isOfName).size());
    StringRef rest = text.substr(at + name.size()).ltrim();
    at += name.size() - 1;
    if (depth == 0 && rest.starts_with("=") && !rest.starts_with("==")) {
      defined = &aliases[name];
      return success();
    }
    auto known = aliases.find(name);
    return known == aliases.end() ? success() : reach(depth + known->second);
  }

  /// Whether a definition, outside of its brackets, ends at the end of a line.
  bool isEndOfAlias() const {
    StringRef before = text.take_front(last + 1), after = text.substr(at).ltrim();
    bool goesOn = before.ends_with(":") || before.ends_with("=") || before.ends_with("->");
    return !goesOn &&
           (after.empty() || llvm::isAlpha(after[0]) || StringRef("%\"#!@}_").contains(after[0]));
  }

  LogicalResult reach(size_t total) {
    if (total > maximumNesting)
      return complain() << "expected brackets to nest at most " << maximumNesting
                        << " deep, aliases included, got more";
    if (defined)
      *defined = std::max(*defined, total);
    return success();
  }

  StringRef text, path;
  MLIRContext *context;
  size_t at = 0, lineStart = 0, depth = 0;
  unsigned line = 1;
  size_t affineDepth = 0, affineStart = 0; // inside of a map or set: its bracket's depth, its start
  llvm::StringMap<size_t> aliases;         // how deep each is
  size_t *defined = nullptr;               // the one that is being defined
  size_t last = 0;                         // where the last word before `at` ends
};

} // namespace

LogicalResult sawtooth::checkSource(StringRef text, StringRef path, MLIRContext *context) {
  if (text.starts_with("ML\xefR"))
    return emitError(FileLineColLoc::get(context, path, 0, 0),
                     "expected the text of a module, got MLIR bytecode");
  return SourceScan(text, path, context).run();
}
