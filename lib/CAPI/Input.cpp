// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Handles.h"

#include "sawtooth/Compiler/Input.h"
#include "sawtooth/Target/CPU/SharedObject.h"

#include "llvm/Support/FileSystem.h"

using namespace sawtooth;

struct SawtoothInput {
  std::unique_ptr<Input> input;
  std::string digest, linker;
};

SawtoothInput *sawtoothReadInput(const char *path, const char *text, size_t size,
                                 const SawtoothCompileOptions *options) {
  auto input = Input::read(sessionOptions(options), path, {text, size});
  if (!input)
    return nullptr;
  std::string digest = input->digest();
  return new SawtoothInput{std::move(input), std::move(digest),
                           options->linker ? options->linker : ""};
}

void sawtoothInputDestroy(SawtoothInput *input) { delete input; }

const char *sawtoothInputDigest(const SawtoothInput *input) { return input->digest.c_str(); }

const char *sawtoothInputImportPath(const SawtoothInput *input, size_t index) {
  const auto &imports = input->input->imports();
  return index < imports.size() ? imports[index].first.c_str() : nullptr;
}

const char *sawtoothInputImportDigest(const SawtoothInput *input, size_t index) {
  const auto &imports = input->input->imports();
  return index < imports.size() ? imports[index].second.c_str() : nullptr;
}

SawtoothCompiled *sawtoothInputLoad(SawtoothInput *input) {
  std::unique_ptr<LoadedObject> object = input->input->load();
  return object ? new SawtoothCompiled{std::move(object)} : nullptr;
}

int sawtoothInputArtifact(SawtoothInput *input, const char *chips, const char *key,
                          SawtoothTextCallback *output, void *outputUser) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(chips).split(names, ',');
  mlir::FailureOr<std::string> artifact =
      input->input->createArtifact(names, input->linker, key ? key : "");
  if (failed(artifact))
    return 1;
  output(artifact->data(), artifact->size(), outputUser);
  return 0;
}

int sawtoothHasLinker(const SawtoothCompileOptions *options) {
  return llvm::sys::fs::can_execute(chooseLinker(options->linker ? options->linker : ""));
}
