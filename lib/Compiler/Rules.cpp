// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Compiler/Rules.h"

#include "amp/Amp.h"
#include "amp/Builtins.h"
#include "amp/Names.h"
#include "sawtooth/InitAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::amp;

//===------------------------------------------------------------------------------------------===//
// What the comments say
//===------------------------------------------------------------------------------------------===//

/// The lines of comment right above the definition of `builtin`, without their slashes; or, where
/// there are none, the first comment of the file after its licence.
static SmallVector<StringRef> getComment(const Builtin &builtin) {
  SmallVector<StringRef> lines, block, first;
  builtin.text.split(lines, '\n');
  std::string name = ("@" + builtin.symbol).str();
  for (StringRef line : lines) {
    if (line.consume_front("//")) {
      line.consume_front(" ");
      block.push_back(line);
      continue;
    }
    bool definesIt = line.starts_with("amp.rule ") || line.starts_with("func.func ");
    size_t at = line.find(name);
    StringRef after = at == StringRef::npos ? "x" : line.substr(at + name.size(), 1);
    bool endsThere = after.empty() || !(llvm::isAlnum(after[0]) || after[0] == '_');
    if (definesIt && endsThere)
      return block.empty() ? first : block;
    // The licence is the first block.
    if (!block.empty() && first.empty() && !block.front().starts_with("Part of"))
      first = block;
    block.clear();
  }
  return first;
}

/// The first sentence of a comment: up to a full stop behind a word and before a capital letter.
static std::string getSummary(ArrayRef<StringRef> comment) {
  std::string text;
  for (StringRef line : comment) {
    if (line.empty())
      break;
    text += (text.empty() ? "" : " ") + line.str();
  }
  // "et al. 2015" ends no sentence, and neither does "x . w".
  size_t stop = text.find(". ");
  while (stop != std::string::npos &&
         (stop == 0 || text[stop - 1] == ' ' || !llvm::isUpper(text[stop + 2])))
    stop = text.find(". ", stop + 1);
  return stop == std::string::npos ? text : text.substr(0, stop + 1);
}

//===------------------------------------------------------------------------------------------===//
// What the definitions say
//===------------------------------------------------------------------------------------------===//

/// A constant without its type, a float in as few digits as give it back.
static std::string format(TypedAttr value) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    char digits[32];
    double wide = number.getValueAsDouble();
    std::to_chars_result end = value.getType().isF32()
                                   ? std::to_chars(digits, std::end(digits), float(wide))
                                   : std::to_chars(digits, std::end(digits), wide);
    return std::string(digits, end.ptr);
  }
  std::string text;
  llvm::raw_string_ostream(text) << cast<IntegerAttr>(value).getValue();
  if (value.getType().isInteger(1))
    text = cast<IntegerAttr>(value).getValue().isZero() ? "false" : "true";
  return text;
}

static std::string format(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Rows of left-aligned cells, two spaces in and two between.
static void printTable(llvm::raw_ostream &os, ArrayRef<SmallVector<std::string>> rows) {
  SmallVector<size_t> widths;
  for (const auto &row : rows)
    for (auto [i, cell] : llvm::enumerate(row)) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], cell.size());
    }
  for (const auto &row : rows) {
    std::string line;
    for (auto [cell, width] : llvm::zip_first(row, widths))
      line += "  " + cell + std::string(width - cell.size(), ' ');
    os << StringRef(line).rtrim() << '\n';
  }
}

static std::string getName(StringAttr name, StringAttr alias) {
  return alias && alias != name ? (name.getValue() + " (\"" + alias.getValue() + "\")").str()
                                : name.str();
}

/// "lr, beta1 = 0.9; static amsgrad = false; state m, v, t"
static std::string getSignature(RuleOp rule) {
  std::string run, chosen, state;
  auto add = [](std::string &list, const Twine &item) {
    list += (list.empty() ? "" : ", ") + item.str();
  };
  for (ParamAttr param : rule.getParams().getAsRange<ParamAttr>())
    add(param.getIsStatic() ? chosen : run,
        param.getName().getValue() +
            (param.getDefaultValue() ? " = " + format(param.getDefaultValue()) : std::string()));
  for (FieldAttr field : rule.getStates().getAsRange<FieldAttr>())
    add(state, field.getName().getValue());
  std::string text = run;
  if (!chosen.empty())
    text += (text.empty() ? "static " : "; static ") + chosen;
  if (!state.empty())
    text += (text.empty() ? "state " : "; state ") + state;
  return text;
}

static void printRule(llvm::raw_ostream &os, RuleOp rule) {
  SmallVector<SmallVector<std::string>> params, states;
  for (ParamAttr param : rule.getParams().getAsRange<ParamAttr>())
    params.push_back({getName(param.getName(), param.getAlias()), format(param.getType()),
                      param.getDefaultValue() ? "= " + format(param.getDefaultValue()) : "required",
                      param.getIsStatic() ? "static" : ""});
  for (FieldAttr field : rule.getStates().getAsRange<FieldAttr>())
    states.push_back(
        {getName(field.getName(), field.getAlias()), format(field.getType()),
         ("per " + stringifyExtent(field.getExtent())).str(), "= " + format(field.getInitial()),
         field.getRole() == Role::None ? std::string()
                                       : ("role " + stringifyRole(field.getRole())).str()});
  if (!params.empty())
    os << "\nparameters:\n";
  printTable(os, params);
  if (!states.empty())
    os << "\nstate:\n";
  printTable(os, states);
  os << "\ninputs:\n  ";
  llvm::interleaveComma(rule.getInputs().getAsRange<StringAttr>(), os,
                        [&](StringAttr input) { os << input.getValue(); });
  os << '\n';
}

static std::string getSignature(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream(text) << function.getFunctionType();
  return text;
}

//===------------------------------------------------------------------------------------------===//
// Both
//===------------------------------------------------------------------------------------------===//

namespace {

/// The built-in files, parsed once each.
class Library {
public:
  Library() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  Operation *find(const Builtin &builtin) {
    OwningOpRef<ModuleOp> &file = files[builtin.path];
    if (!file)
      file = parseSourceString<ModuleOp>(builtin.text, ParserConfig(&context),
                                         ("<built-in>/" + builtin.path).str());
    return file ? SymbolTable::lookupSymbolIn(*file, builtin.symbol) : nullptr;
  }

private:
  MLIRContext context;
  llvm::StringMap<OwningOpRef<ModuleOp>> files;
};

} // namespace

static void printShort(llvm::raw_ostream &os, const Builtin &builtin, Operation *definition) {
  os << builtin.kind << ' ' << builtin.symbol << '\n';
  os << "  " << getSummary(getComment(builtin)) << '\n';
  std::string signature;
  if (auto rule = dyn_cast<RuleOp>(definition))
    signature = getSignature(rule);
  else if (auto function = dyn_cast<func::FuncOp>(definition))
    signature = getSignature(function);
  if (!signature.empty())
    os << "  " << signature << '\n';
}

static void printFull(llvm::raw_ostream &os, const Builtin &builtin, Operation *definition) {
  os << builtin.kind << ' ' << builtin.symbol << " (" << builtin.path << ")\n\n";
  for (StringRef line : getComment(builtin))
    os << (line.empty() ? "" : "  ") << line << '\n';
  if (auto rule = dyn_cast<RuleOp>(definition))
    printRule(os, rule);
  else if (auto function = dyn_cast<func::FuncOp>(definition))
    os << "\ntype:\n  " << getSignature(function) << '\n';
}

/// "…, got 'adamv'; did you mean 'adam'? there is adam, adamw"
static llvm::Error getUnknown(StringRef what, StringRef got, ArrayRef<std::string> choices) {
  std::string text = ("expected " + what + ", got '" + got + "'").str();
  if (StringRef nearest = findNearest(got, choices); !nearest.empty())
    text += ("; did you mean '" + nearest + "'?").str();
  else
    text += ";";
  return llvm::createStringError(text + " there is " + llvm::join(choices, ", "));
}

llvm::Expected<std::string> sawtooth::describeRules(StringRef kind, StringRef name) {
  SmallVector<std::string> kinds, names;
  for (const Builtin &builtin : getBuiltins()) {
    if (builtin.kind == "helper")
      continue;
    if (!llvm::is_contained(kinds, builtin.kind))
      kinds.push_back(builtin.kind.str());
    if (kind.empty() || builtin.kind == kind)
      names.push_back(builtin.symbol.str());
  }
  if (!kind.empty() && !llvm::is_contained(kinds, kind))
    return getUnknown("a kind of rule that is built in", kind, kinds);
  if (!name.empty() && !llvm::is_contained(names, name))
    return getUnknown("the name of a built-in rule", name, names);
  Library library;
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Builtin &builtin : getBuiltins()) {
    if (!llvm::is_contained(names, builtin.symbol) || (!name.empty() && builtin.symbol != name))
      continue;
    Operation *definition = library.find(builtin);
    if (!definition)
      return llvm::createStringError("cannot read the built-in file " + builtin.path);
    if (name.empty())
      printShort(os, builtin, definition);
    else
      printFull(os, builtin, definition);
  }
  return text;
}
