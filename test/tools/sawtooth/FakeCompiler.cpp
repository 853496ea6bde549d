// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiler library that knows two modules by heart: "sgd" and "fit", by the first word of the
// file. With it the tool is tested where there is no LLVM.
#include "FakeModule.h"
#include "sawtooth-c/Compiler.h"

#include <fstream>
#include <string>

using namespace sawtooth::test;

struct SawtoothCompiled {
  FakeModule module;
  SawtoothArtifact artifact;
};

static void say(const SawtoothCompileOptions *options, const std::string &text) {
  options->diagnostic(text.data(), text.size(), options->diagnosticUser);
}

static std::string firstWord(const char *path) {
  std::string word;
  std::ifstream(path) >> word;
  return word;
}

extern "C" SawtoothCompiled *sawtoothCompileFile(const char *path,
                                                 const SawtoothCompileOptions *options) {
  std::string word = firstWord(path);
  uint64_t batch = options->batch ? options->batch : 8;
  if (word == "sgd" || (word == "fit" && batch <= 16)) {
    auto *compiled = new SawtoothCompiled{word == "sgd" ? fakeSgd() : fakeFit(batch), {}};
    compiled->artifact = compiled->module.artifact();
    return compiled;
  }
  say(options, std::string(path) + ":1:1: error: expected 'sgd' or 'fit', got '" + word + "'");
  return nullptr;
}

extern "C" const SawtoothArtifact *sawtoothCompiledArtifact(const SawtoothCompiled *compiled) {
  return &compiled->artifact;
}
extern "C" void sawtoothCompiledDestroy(SawtoothCompiled *compiled) { delete compiled; }

// It has no linker, so the tool asks for code in this process.
struct SawtoothInput {
  std::string path, target, chip;
  SawtoothCompileOptions options;
};

extern "C" SawtoothInput *sawtoothReadInput(const char *path, const char *, size_t,
                                            const SawtoothCompileOptions *options) {
  auto *input = new SawtoothInput{path, options->target, options->chip, *options};
  input->options.target = input->target.c_str();
  input->options.chip = input->chip.c_str();
  return input;
}
extern "C" void sawtoothInputDestroy(SawtoothInput *input) { delete input; }
extern "C" const char *sawtoothInputDigest(const SawtoothInput *) { return "digest"; }
extern "C" const char *sawtoothInputImportPath(const SawtoothInput *, size_t) { return nullptr; }
extern "C" const char *sawtoothInputImportDigest(const SawtoothInput *, size_t) { return nullptr; }
extern "C" SawtoothCompiled *sawtoothInputLoad(SawtoothInput *input) {
  return sawtoothCompileFile(input->path.c_str(), &input->options);
}
extern "C" int sawtoothInputArtifact(SawtoothInput *input, const char *, const char *,
                                     SawtoothTextCallback *, void *) {
  say(&input->options, "error: no linker");
  return 1;
}
extern "C" int sawtoothHasLinker(const SawtoothCompileOptions *) { return 0; }

extern "C" int sawtoothEmitFile(const char *path, const char *stage,
                                const SawtoothCompileOptions *options, SawtoothTextCallback *output,
                                void *user) {
  SawtoothCompiled *compiled = sawtoothCompileFile(path, options);
  if (!compiled)
    return 1;
  delete compiled;
  std::string text = std::string(stage) + " " + options->target + " " + options->chip + " " +
                     std::to_string(options->batch) + "\n";
  output(text.data(), text.size(), user);
  return 0;
}

extern "C" int sawtoothPrintRules(const char *kind, const char *name,
                                  const SawtoothCompileOptions *, SawtoothTextCallback *output,
                                  void *user) {
  std::string text = std::string(kind ? kind : "all") + " " + (name ? name : "all") + "\n";
  output(text.data(), text.size(), user);
  return 0;
}
