// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompilerLibrary.h"

#include "Output.h"

#include <climits>
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

std::string ownFolder() {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  if (length <= 0 || length == sizeof(path))
    return ".";
  std::string whole(path, static_cast<size_t>(length));
  return whole.substr(0, whole.rfind('/'));
}

std::string CompilerLibrary::path() { return ownFolder() + "/../lib/libSawtoothCompiler.so"; }

Result<CompilerLibrary> CompilerLibrary::load() {
  // Left open until the process ends: LLVM does not like to be unloaded.
  void *handle = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status::error(StatusCode::NotFound,
                         std::string("cannot load the compiler library: ") + dlerror());
  CompilerLibrary library;
  bool complete = true;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    complete &= function != nullptr;
  };
  find(library.readInput, "sawtoothReadInput");
  find(library.inputDestroy, "sawtoothInputDestroy");
  find(library.inputDigest, "sawtoothInputDigest");
  find(library.inputImportPath, "sawtoothInputImportPath");
  find(library.inputImportDigest, "sawtoothInputImportDigest");
  find(library.inputLoad, "sawtoothInputLoad");
  find(library.inputArtifact, "sawtoothInputArtifact");
  find(library.hasLinker, "sawtoothHasLinker");
  find(library.compiledArtifact, "sawtoothCompiledArtifact");
  find(library.compiledDestroy, "sawtoothCompiledDestroy");
  find(library.emitFile, "sawtoothEmitFile");
  find(library.printRules, "sawtoothPrintRules");
  if (!complete)
    return Status::error(StatusCode::Unsupported, path() + " is of another version of sawtooth");
  return library;
}

static void printDiagnostic(const char *text, size_t size, void *) {
  std::fwrite(text, 1, size, stderr);
  if (size && text[size - 1] != '\n')
    std::fputc('\n', stderr);
}

SawtoothCompileOptions compileOptions(const TargetOptions &options) {
  auto orNull = [](const std::string &text) { return text.empty() ? nullptr : text.c_str(); };
  return {options.target.empty() ? "cpu" : options.target.c_str(),
          options.chip.c_str(),
          options.batch.value_or(0),
          &printDiagnostic,
          nullptr,
          orNull(options.linker),
          orNull(options.ptxas)};
}

} // namespace sawtooth::tool
