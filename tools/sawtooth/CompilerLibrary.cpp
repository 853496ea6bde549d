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

// The folder of this executable; no environment variable can lead elsewhere.
static std::string ownFolder() {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  if (length <= 0 || length == sizeof(path))
    return ".";
  std::string whole(path, static_cast<size_t>(length));
  return whole.substr(0, whole.rfind('/'));
}

Result<CompilerLibrary> CompilerLibrary::load() {
  std::string path = ownFolder() + "/../lib/libSawtoothCompiler.so";
  // Left open until the process ends: LLVM does not like to be unloaded.
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status::error(StatusCode::NotFound,
                         std::string("cannot load the compiler library: ") + dlerror());
  CompilerLibrary library;
  bool complete = true;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    complete &= function != nullptr;
  };
  find(library.compileFile, "sawtoothCompileFile");
  find(library.compiledArtifact, "sawtoothCompiledArtifact");
  find(library.compiledDestroy, "sawtoothCompiledDestroy");
  find(library.emitFile, "sawtoothEmitFile");
  find(library.printRules, "sawtoothPrintRules");
  if (!complete)
    return Status::error(StatusCode::Unsupported, path + " is of another version of sawtooth");
  return library;
}

static void printDiagnostic(const char *text, size_t size, void *) {
  std::fwrite(text, 1, size, stderr);
  if (size && text[size - 1] != '\n')
    std::fputc('\n', stderr);
}

SawtoothCompileOptions compileOptions(const TargetOptions &options) {
  return {options.target.c_str(), options.chip.c_str(), options.batch.value_or(0), &printDiagnostic,
          nullptr};
}

Result<std::unique_ptr<CompiledModule>> CompiledModule::compile(const CompilerLibrary &library,
                                                                const std::string &path,
                                                                const TargetOptions &options) {
  std::unique_ptr<CompiledModule> module(new CompiledModule(library));
  SawtoothCompileOptions raw = compileOptions(options);
  module->handle = library.compileFile(path.c_str(), &raw);
  if (!module->handle)
    return Status::error(StatusCode::Invalid, "");
  Result<Artifact> artifact = Artifact::read(library.compiledArtifact(module->handle));
  if (!artifact.ok())
    return artifact.status().of(path);
  module->read = std::make_unique<Artifact>(std::move(*artifact));
  return module;
}

CompiledModule::~CompiledModule() {
  if (handle)
    library.compiledDestroy(handle);
}

} // namespace sawtooth::tool
