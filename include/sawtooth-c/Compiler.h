// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as a C library: libSawtoothCompiler.so. Everything it needs comes in through
// options; it reads no environment variable and no command line. Thread-compatible: one call at a
// time for each SawtoothCompiled.
#ifndef SAWTOOTH_C_COMPILER_H
#define SAWTOOTH_C_COMPILER_H

#include "sawtooth/runtime/Abi.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SawtoothCompiled SawtoothCompiled;

// Receives text: a diagnostic (one a call, as MLIR prints it, with file:line:column), or output.
typedef void SawtoothTextCallback(const char *text, size_t size, void *user);

typedef struct SawtoothCompileOptions {
  const char *target;  // "cpu"
  const char *chip;    // "native", "x86-64-v3", "x86-64-v4"
  uint64_t batch;      // what `?` of tensor arguments becomes; 0: the module's default
  SawtoothTextCallback *diagnostic;
  void *diagnosticUser;
} SawtoothCompileOptions;

// Compiles the module in `path` and loads it into this process. Null on failure, which has then
// been said to `diagnostic`. The artifact lives until the handle is destroyed.
SawtoothCompiled *sawtoothCompileFile(const char *path, const SawtoothCompileOptions *options);
const SawtoothArtifact *sawtoothCompiledArtifact(const SawtoothCompiled *compiled);
void sawtoothCompiledDestroy(SawtoothCompiled *compiled);

// Compiles up to `stage` ("amp", "sweep", "kernel", "llvm", "asm", "obj", or "verify" for
// diagnostics alone) and hands the result to `output`. Returns 0, or 1 after diagnostics.
int sawtoothEmitFile(const char *path, const char *stage, const SawtoothCompileOptions *options,
                     SawtoothTextCallback *output, void *outputUser);

// The built-in rules of `kind` ("optimizer", "policy", "layer", or null for all), or the one of
// `name` in full, as text for people. Returns 0, or 1 after a diagnostic.
int sawtoothPrintRules(const char *kind, const char *name, const SawtoothCompileOptions *options,
                       SawtoothTextCallback *output, void *outputUser);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // SAWTOOTH_C_COMPILER_H
