// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler, loaded when something has to be compiled and not before.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_COMPILERLIBRARY_H
#define SAWTOOTH_TOOLS_SAWTOOTH_COMPILERLIBRARY_H

#include "Arguments.h"
#include "sawtooth-c/Compiler.h"
#include "sawtooth/runtime/Status.h"

#include <string>

namespace sawtooth::tool {

/// libSawtoothCompiler.so from the folder `lib` beside the tool's own.
class CompilerLibrary {
public:
  static std::string path();
  /// `NotFound` with the path that was tried.
  static runtime::Result<CompilerLibrary> load();

  decltype(&sawtoothReadInput) readInput = nullptr;
  decltype(&sawtoothInputDestroy) inputDestroy = nullptr;
  decltype(&sawtoothInputDigest) inputDigest = nullptr;
  decltype(&sawtoothInputImportPath) inputImportPath = nullptr;
  decltype(&sawtoothInputImportDigest) inputImportDigest = nullptr;
  decltype(&sawtoothInputLoad) inputLoad = nullptr;
  decltype(&sawtoothInputArtifact) inputArtifact = nullptr;
  decltype(&sawtoothHasLinker) hasLinker = nullptr;
  decltype(&sawtoothCompiledArtifact) compiledArtifact = nullptr;
  decltype(&sawtoothCompiledDestroy) compiledDestroy = nullptr;
  decltype(&sawtoothEmitFile) emitFile = nullptr;
  decltype(&sawtoothPrintRules) printRules = nullptr;
};

/// The folder of this executable; no environment variable can lead elsewhere.
std::string ownFolder();

/// The options as the compiler takes them; its diagnostics go to stderr. Refers to `options`.
SawtoothCompileOptions compileOptions(const TargetOptions &options);

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_COMPILERLIBRARY_H
