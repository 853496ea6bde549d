// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One compilation from a file to code in this process, or to text. The room that embeds the
// compiler: it owns the targets, takes every option as a value and hands out every message.
#ifndef SAWTOOTH_COMPILER_SESSION_H
#define SAWTOOTH_COMPILER_SESSION_H

#include "sawtooth/Pipelines/Pipelines.h"
#include "sawtooth/Target/CPU/CPU.h"

#include <functional>
#include <memory>
#include <string>

namespace sawtooth {

struct SessionOptions {
  std::string target = "cpu";
  std::string chip = "native";
  uint64_t batch = 0; // what `?` of tensor arguments becomes; 0: the module's default
  std::string ptxas;  // makes cubins; "": none are made
  /// One diagnostic a call, with its notes, as MLIR prints it.
  std::function<void(llvm::StringRef)> diagnostic;
};

class Session {
public:
  explicit Session(SessionOptions options) : options(std::move(options)) {}

  /// Compiles the module in `path` and loads it into this process; null after diagnostics.
  std::unique_ptr<LoadedObject> compileFile(llvm::StringRef path);

  /// Compiles up to `stage`, or, without one, as far as there may be diagnostics.
  mlir::FailureOr<std::string> emitFile(llvm::StringRef path, std::optional<Stage> stage);

private:
  SessionOptions options;
};

} // namespace sawtooth

#endif // SAWTOOTH_COMPILER_SESSION_H
