// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out tables that point into each other in one piece of device memory. Where that lies is
// known only when its size is, so pointers are written last.
#ifndef SAWTOOTH_RUNTIME_LIB_CUDA_TABLEWRITER_H
#define SAWTOOTH_RUNTIME_LIB_CUDA_TABLEWRITER_H

#include "sawtooth/runtime/cuda/Types.h"

#include <cstring>
#include <span>
#include <vector>

namespace sawtooth::runtime::cuda {

class TableWriter {
public:
  /// A place for `bytes` zeros on a boundary of its own; returns its offset. Even an empty place is
  /// one: a kernel may compute an address that it never uses.
  uint64_t reserve(uint64_t bytes) {
    uint64_t at = bytes_.size();
    bytes_.resize((at + bytes + line) / line * line);
    return at;
  }
  template <typename T>
  uint64_t add(std::span<const T> values) {
    uint64_t at = reserve(values.size_bytes());
    if (!values.empty())
      std::memcpy(&bytes_[at], values.data(), values.size_bytes());
    return at;
  }
  /// Writes the 8 bytes at `at`.
  void set(uint64_t at, uint64_t value) { std::memcpy(&bytes_[at], &value, sizeof(value)); }
  /// The 8 bytes at `at` become the address of the place at `target`.
  void point(uint64_t at, uint64_t target) { pointers.push_back({at, target}); }

  uint64_t size() const { return bytes_.size(); }
  /// All of it, for memory that begins at `base`.
  const std::vector<std::byte> &finish(CUdeviceptr base) {
    for (auto [at, target] : pointers)
      set(at, base + target);
    return bytes_;
  }

private:
  // Sectors of a GPU have 32 bytes, its lines 128.
  static constexpr uint64_t line = 128;
  std::vector<std::byte> bytes_;
  std::vector<std::pair<uint64_t, uint64_t>> pointers;
};

} // namespace sawtooth::runtime::cuda

#endif // SAWTOOTH_RUNTIME_LIB_CUDA_TABLEWRITER_H
