// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Compiler/Session.h"

#include "sawtooth/Compiler/Input.h"

using namespace mlir;
using namespace sawtooth;

std::unique_ptr<LoadedObject> Session::compileFile(StringRef path) {
  std::unique_ptr<Input> input = Input::open(options, path);
  return input ? input->load() : nullptr;
}

FailureOr<std::string> Session::emitFile(StringRef path, std::optional<Stage> stage) {
  std::unique_ptr<Input> input = Input::open(options, path);
  if (!input)
    return failure();
  FailureOr<std::string> output = input->emit(stage.value_or(Stage::Kernel));
  if (succeeded(output) && !stage)
    return std::string();
  return output;
}
