// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing files in the safetensors format
// (https://github.com/huggingface/safetensors#format): an 8-byte little-endian header length, a
// JSON object {NAME: {"dtype", "shape", "data_offsets"}} with optional "__metadata__" of strings,
// then the data without gaps. As strict as the format's own implementation.
#ifndef SAWTOOTH_RUNTIME_SAFETENSORS_H
#define SAWTOOTH_RUNTIME_SAFETENSORS_H

#include "sawtooth/runtime/Abi.h"
#include "sawtooth/runtime/Status.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sawtooth::runtime {

/// "F16" for f16, "BOOL" for i1, …
const char *dtypeName(SawtoothType type);

struct TensorEntry {
  std::string name;
  std::string dtype;                // as the file spells it
  std::optional<SawtoothType> type; // when it is one of ours
  std::vector<int64_t> dims;
  const std::byte *data; // any alignment
  uint64_t bytes;
};

/// A file, mapped and checked as a whole before anybody sees a tensor of it. Read-only.
class TensorFile {
public:
  /// `Io` when it cannot be read, `Corrupt` for whatever the format forbids; both name the file.
  static Result<std::shared_ptr<const TensorFile>> open(const std::string &path);

  TensorFile(const TensorFile &) = delete;
  ~TensorFile();

  const std::string &path() const { return filePath; }
  /// In byte order of their names.
  std::span<const TensorEntry> tensors() const { return entries; }
  const TensorEntry *find(std::string_view name) const;
  const std::map<std::string, std::string> &metadata() const { return texts; }

private:
  TensorFile() = default;
  Status parse();

  std::string filePath;
  const std::byte *memory = nullptr;
  uint64_t size = 0;
  std::vector<TensorEntry> entries;
  std::map<std::string, std::string> texts;
};

/// A tensor to write, in one piece.
struct TensorSource {
  std::string name;
  SawtoothType type;
  std::vector<int64_t> dims;
  const void *data;
};

/// Writes under a temporary name, syncs and renames: whoever reads `path` sees the old file or the
/// new one. The same tensors and metadata give the same bytes: wide elements first, then by name,
/// so every tensor lies at a multiple of its element size.
Status writeTensorFile(const std::string &path, std::vector<TensorSource> tensors,
                       const std::map<std::string, std::string> &metadata);

/// Replaces `path` by `pieces`, end to end, in the same way. Refuses what is not a regular file.
Status replaceFile(const std::string &path, std::span<const std::span<const std::byte>> pieces);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_SAFETENSORS_H
