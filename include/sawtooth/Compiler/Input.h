// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A module on its way from text to code: read and linked once, then asked for what is wanted of it.
#ifndef SAWTOOTH_COMPILER_INPUT_H
#define SAWTOOTH_COMPILER_INPUT_H

#include "sawtooth/Compiler/Session.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sawtooth {

class Input {
public:
  /// Parses `text`, which stands in `path`, and links what it names. Null after diagnostics.
  static std::unique_ptr<Input> read(SessionOptions options, llvm::StringRef path,
                                     llvm::StringRef text);
  /// The same for the bytes of a file.
  static std::unique_ptr<Input> open(SessionOptions options, llvm::StringRef path);
  ~Input();

  /// XXH3-128, in hexadecimal, of the linked module in canonical form: layout, comments, the order
  /// of attributes, locations and names of SSA values do not matter.
  std::string digest() const;

  /// Imported files: path as it was opened, digest of the bytes that were parsed.
  const std::vector<std::pair<std::string, std::string>> &imports() const;

  /// What it is after `stage`: text, or bytes of an object file.
  mlir::FailureOr<std::string> emit(Stage stage);

  /// The code for the chip of the options, in this process; null after diagnostics.
  std::unique_ptr<LoadedObject> load();

  /// An artifact file (docs/artifact.md) with code for `chips`, in any order. `linker` as
  /// chooseLinker() takes it. `key`, if not empty, becomes the note of that name.
  mlir::FailureOr<std::string> createArtifact(llvm::ArrayRef<llvm::StringRef> chips,
                                              llvm::StringRef linker, llvm::StringRef key);

private:
  struct State;
  explicit Input(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace sawtooth

#endif // SAWTOOTH_COMPILER_INPUT_H
