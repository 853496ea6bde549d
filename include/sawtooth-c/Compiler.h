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
  const char *target; // "cpu", "nvptx"
  const char *chip;   // "native", "x86-64-v3", "x86-64-v4"; "sm_75" to "sm_121"
  uint64_t batch;     // what `?` of tensor arguments becomes; 0: the module's default
  SawtoothTextCallback *diagnostic;
  void *diagnosticUser;
  const char *linker; // an ld.lld for artifacts; null: the one that lies beside LLVM
  const char *ptxas;  // CUDA's, for cubins in artifacts and at stage "cubin"; null: none are made
} SawtoothCompileOptions;

// Compiles the module in `path` and loads it into this process. Null on failure, which has then
// been said to `diagnostic`. The artifact lives until the handle is destroyed.
SawtoothCompiled *sawtoothCompileFile(const char *path, const SawtoothCompileOptions *options);
const SawtoothArtifact *sawtoothCompiledArtifact(const SawtoothCompiled *compiled);
void sawtoothCompiledDestroy(SawtoothCompiled *compiled);

// A module that was read and linked, but not compiled yet: what a cache wants to know comes first.
typedef struct SawtoothInput SawtoothInput;

// Reads the module in `text`, which stands in `path`. Imports count from the folder of `path`. Null
// on failure, which has then been said to `diagnostic`. Copies what `options` points to.
SawtoothInput *sawtoothReadInput(const char *path, const char *text, size_t size,
                                 const SawtoothCompileOptions *options);
void sawtoothInputDestroy(SawtoothInput *input);

// XXH3-128, in hexadecimal, of the linked module in canonical form: layout, comments, the order of
// attributes, locations and names of values do not matter. Lives as long as the input.
const char *sawtoothInputDigest(const SawtoothInput *input);

// The imported files: path, relative to the folder of the input's own unless it was imported by an
// absolute one, and digest of the bytes that were parsed. Null beyond the last.
const char *sawtoothInputImportPath(const SawtoothInput *input, size_t index);
const char *sawtoothInputImportDigest(const SawtoothInput *input, size_t index);

// As sawtoothCompileFile.
SawtoothCompiled *sawtoothInputLoad(SawtoothInput *input);

// Hands an artifact file (docs/artifact.md) to `output`, in one call. `chips`: names with commas
// between. `key`: a line that the artifact carries as its note "key", or null. Returns 0, or 1
// after diagnostics.
int sawtoothInputArtifact(SawtoothInput *input, const char *chips, const char *key,
                          SawtoothTextCallback *output, void *outputUser);

// Whether the linker that these options choose is there: without it there are no artifacts.
int sawtoothHasLinker(const SawtoothCompileOptions *options);

// Compiles up to `stage` ("amp", "sweep", "kernel", "llvm", "asm", "obj"; for a GPU the last two
// are "ptx" and "cubin" as well; "verify" for diagnostics alone) and hands the result to `output`.
// Returns 0, or 1 after diagnostics.
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
