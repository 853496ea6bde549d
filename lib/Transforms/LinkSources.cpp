// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LinkSources.h"
#include "sawtooth/Transforms/SourceCheck.h"

#include "amp/Builtins.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::amp;

/// The file that `loc` points into, "" when it says none.
static StringRef getFile(Location loc) {
  StringRef file;
  loc->walk([&](Location inner) {
    auto position = dyn_cast<FileLineColRange>(inner);
    if (!position)
      return WalkResult::advance();
    file = position.getFilename().getValue();
    return WalkResult::interrupt();
  });
  return file;
}

/// What amp.rule says itself, and "layer" for a function.
static StringRef getKind(Operation *definition) {
  if (auto rule = dyn_cast<RuleOp>(definition))
    return stringifyRuleKind(rule.getKind());
  return "layer";
}

LogicalResult LinkSources::collect(ModuleOp file) {
  for (Operation &op : file.getOps()) {
    if (auto import = dyn_cast<ImportOp>(op)) {
      if (failed(addImport(import)))
        return failure();
      continue;
    }
    if (!isa<RuleOp, func::FuncOp>(op))
      return op.emitOpError("is not imported: expected amp.rule, func.func or amp.import in a file "
                            "of definitions");
    auto [it, inserted] = imported.try_emplace(SymbolTable::getSymbolName(&op).getValue(), &op);
    if (!inserted) {
      InFlightDiagnostic diag = op.emitOpError("is the second imported definition of @")
                                << it->first();
      diag.attachNote(it->second->getLoc()) << "the first is here";
      return diag;
    }
  }
  return success();
}

LogicalResult LinkSources::addImport(ImportOp import) {
  SmallString<128> path(import.getPath()), written = path;
  if (!llvm::sys::path::is_absolute(path)) {
    StringRef file = getFile(import.getLoc());
    auto inFolderOf = [&](StringRef file) {
      SmallString<128> folder(llvm::sys::path::parent_path(file));
      llvm::sys::path::append(folder, import.getPath());
      return folder;
    };
    path = inFolderOf(file);
    written = inFolderOf(writtenPaths.lookup(file));
  }
  // The same file may be reached twice, or reach itself.
  SmallString<128> realPath;
  if (std::error_code error = llvm::sys::fs::real_path(path, realPath))
    return import.emitOpError("cannot read '") << path << "': " << error.message();
  if (!seen.try_emplace(realPath, true).second)
    return success();
  if (llvm::sys::fs::is_directory(realPath))
    return import.emitOpError("cannot read '") << path << "': is a directory";
  if (!llvm::sys::fs::is_regular_file(realPath))
    return import.emitOpError("cannot read '") << path << "': is no regular file";
  // What is hashed and what is parsed are the same bytes, whoever writes to the file meanwhile.
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return import.emitOpError("cannot read '") << path << "': " << buffer.getError().message();
  StringRef text = (*buffer)->getBuffer();
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(text));
  writtenPaths[path] = written.str();
  filesRead.emplace_back(written.str(),
                         llvm::utohexstr(hash.high64, /*LowerCase=*/true, /*Width=*/16) +
                             llvm::utohexstr(hash.low64, /*LowerCase=*/true, /*Width=*/16));
  OwningOpRef<ModuleOp> file;
  if (succeeded(checkSource(text, path, context)))
    file = parseSourceString<ModuleOp>(text, ParserConfig(context), path);
  if (!file)
    return import.emitOpError("cannot use '") << path << "': it does not parse";
  return collect(files.emplace_back(std::move(file)).get());
}

Operation *LinkSources::lookup(StringRef name) {
  if (Operation *op = imported.lookup(name))
    return op;
  const Builtin *entry = findBuiltin(name);
  if (!entry)
    return nullptr;
  ModuleOp &file = builtin[entry->path];
  if (!file) {
    OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(entry->text, ParserConfig(context),
                                                               ("<built-in>/" + entry->path).str());
    if (!parsed)
      return nullptr;
    file = files.emplace_back(std::move(parsed)).get();
  }
  return SymbolTable::lookupSymbolIn(file, name);
}

SmallVector<std::string> LinkSources::getNames(StringRef kind) const {
  SmallVector<std::string> names;
  for (const auto &entry : imported)
    if (getKind(entry.second) == kind)
      names.push_back(entry.first().str());
  for (const Builtin &entry : getBuiltins())
    if (entry.kind == kind && !imported.contains(entry.symbol))
      names.push_back(entry.symbol.str());
  llvm::sort(names);
  return names;
}
