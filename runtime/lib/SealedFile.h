// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes in memory that nobody can change any more and that dlopen can take.
#ifndef SAWTOOTH_RUNTIME_LIB_SEALEDFILE_H
#define SAWTOOTH_RUNTIME_LIB_SEALEDFILE_H

#include "Descriptor.h"
#include "sawtooth/runtime/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace sawtooth::runtime {

/// An anonymous file in memory, sealed against writing. No folder sees it, and a checksum that held
/// once holds for good.
class SealedFile {
public:
  /// Copies all of a regular file.
  static Result<std::shared_ptr<const SealedFile>> copy(int descriptor);
  static Result<std::shared_ptr<const SealedFile>> copy(std::span<const std::byte> bytes);
  ~SealedFile();
  SealedFile(const SealedFile &) = delete;
  SealedFile &operator=(const SealedFile &) = delete;

  std::span<const std::byte> bytes() const { return mapped; }
  /// A path that opens it, for this process, while it lives.
  std::string path() const;

private:
  SealedFile() = default;
  Status create();
  Status append(std::span<const std::byte> piece);
  Status seal();

  Descriptor file;
  std::span<const std::byte> mapped;
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_LIB_SEALEDFILE_H
