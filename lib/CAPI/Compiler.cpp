// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Handles.h"

#include "sawtooth/Compiler/Rules.h"

using namespace sawtooth;

SessionOptions sawtooth::sessionOptions(const SawtoothCompileOptions *options) {
  SessionOptions out;
  if (options->target)
    out.target = options->target;
  if (options->chip)
    out.chip = options->chip;
  out.batch = options->batch;
  if (options->ptxas)
    out.ptxas = options->ptxas;
  if (options->diagnostic)
    out.diagnostic = [callback = options->diagnostic, user = options->diagnosticUser](
                         llvm::StringRef text) { callback(text.data(), text.size(), user); };
  return out;
}

SawtoothCompiled *sawtoothCompileFile(const char *path, const SawtoothCompileOptions *options) {
  std::unique_ptr<LoadedObject> object = Session(sessionOptions(options)).compileFile(path);
  return object ? new SawtoothCompiled{std::move(object)} : nullptr;
}

const SawtoothArtifact *sawtoothCompiledArtifact(const SawtoothCompiled *compiled) {
  return compiled->object->getArtifact();
}

void sawtoothCompiledDestroy(SawtoothCompiled *compiled) { delete compiled; }

int sawtoothEmitFile(const char *path, const char *stage, const SawtoothCompileOptions *options,
                     SawtoothTextCallback *output, void *outputUser) {
  std::optional<Stage> last = parseStage(stage);
  if (!last && llvm::StringRef(stage) != "verify") {
    std::string text =
        std::string("error: expected a stage, got '") + stage +
        "'; there are amp, sweep, kernel, llvm, asm or ptx, obj or cubin, and verify\n";
    if (options->diagnostic)
      options->diagnostic(text.data(), text.size(), options->diagnosticUser);
    return 1;
  }
  mlir::FailureOr<std::string> text = Session(sessionOptions(options)).emitFile(path, last);
  if (failed(text))
    return 1;
  if (last)
    output(text->data(), text->size(), outputUser);
  return 0;
}

int sawtoothPrintRules(const char *kind, const char *name, const SawtoothCompileOptions *options,
                       SawtoothTextCallback *output, void *outputUser) {
  llvm::Expected<std::string> text = describeRules(kind ? kind : "", name ? name : "");
  if (text) {
    output(text->data(), text->size(), outputUser);
    return 0;
  }
  std::string message = "error: " + llvm::toString(text.takeError()) + "\n";
  if (options->diagnostic)
    options->diagnostic(message.data(), message.size(), options->diagnosticUser);
  return 1;
}
