// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler, loaded when something has to be compiled and not before.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_COMPILERLIBRARY_H
#define SAWTOOTH_TOOLS_SAWTOOTH_COMPILERLIBRARY_H

#include "Arguments.h"
#include "sawtooth-c/Compiler.h"
#include "sawtooth/runtime/Artifact.h"

#include <memory>
#include <string>

namespace sawtooth::tool {

/// libSawtoothCompiler.so from the folder `lib` beside the tool's own.
class CompilerLibrary {
public:
  /// `NotFound` with the path that was tried.
  static runtime::Result<CompilerLibrary> load();

  decltype(&sawtoothCompileFile) compileFile = nullptr;
  decltype(&sawtoothCompiledArtifact) compiledArtifact = nullptr;
  decltype(&sawtoothCompiledDestroy) compiledDestroy = nullptr;
  decltype(&sawtoothEmitFile) emitFile = nullptr;
  decltype(&sawtoothPrintRules) printRules = nullptr;
};

/// The options as the compiler takes them; its diagnostics go to stderr. Refers to `options`.
SawtoothCompileOptions compileOptions(const TargetOptions &options);

/// A module in this process: its code is unloaded with it.
class CompiledModule {
public:
  /// `Invalid` with an empty message when the compiler has said what is wrong.
  static runtime::Result<std::unique_ptr<CompiledModule>>
  compile(const CompilerLibrary &library, const std::string &path, const TargetOptions &options);
  ~CompiledModule();

  const runtime::Artifact &artifact() const { return *read; }
  const runtime::Plan &plan() const { return read->plan; }

private:
  explicit CompiledModule(const CompilerLibrary &library) : library(library) {}

  CompilerLibrary library;
  SawtoothCompiled *handle = nullptr;
  std::unique_ptr<runtime::Artifact> read;
};

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_COMPILERLIBRARY_H
