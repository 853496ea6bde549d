// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Running a linker or an assembler on files that stand in memory alone.
#ifndef SAWTOOTH_LIB_TARGET_PROCESS_H
#define SAWTOOTH_LIB_TARGET_PROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>

namespace sawtooth {

/// A file in memory that goes with its descriptor.
class MemoryFile {
public:
  MemoryFile();
  explicit MemoryFile(llvm::StringRef content);
  MemoryFile(MemoryFile &&other)
      : descriptor(std::exchange(other.descriptor, -1)), whole(other.whole) {}
  MemoryFile &operator=(MemoryFile &&) = delete;
  ~MemoryFile();

  /// Whether it holds all that it was made of.
  bool ok() const { return whole; }
  int get() const { return descriptor; }
  std::string read() const;

private:
  int descriptor;
  bool whole = true;
};

/// A program's run: what it wrote to its two streams.
struct ProcessOutcome {
  int error = 0; ///< of the operating system, when it did not run at all
  int status = 0;
  std::string output, messages;

  bool succeeded() const;
  /// Why it did not succeed, in one line: its messages, or else how it ended.
  std::string explain() const;
};

/// Runs `program` with `files` as its descriptors from 3 on.
ProcessOutcome runProcess(const std::string &program, llvm::ArrayRef<std::string> arguments,
                          llvm::ArrayRef<MemoryFile> files);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_TARGET_PROCESS_H
