// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/Bound.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

using namespace sawtooth::bench;

namespace {

/// Tensors of one list, each between guard bytes, every byte known beforehand.
struct List {
  std::vector<std::vector<unsigned char>> memory;
  std::vector<size_t> begin, size;
  unsigned char factor; // of byte i: what it holds is i * factor + 3

  /// Each tensor starts `offset` bytes behind a multiple of 64.
  List(const std::vector<int64_t> &numel, uint32_t bytes, size_t offset, unsigned char factor)
      : factor(factor) {
    for (int64_t count : numel) {
      size.push_back(static_cast<size_t>(count) * bytes);
      std::vector<unsigned char> &buffer = memory.emplace_back(size.back() + 256);
      for (size_t i = 0; i < buffer.size(); ++i)
        buffer[i] = before(i);
      size_t address = reinterpret_cast<uintptr_t>(buffer.data());
      begin.push_back((address + 127) / 64 * 64 - address + offset);
    }
  }
  unsigned char before(size_t i) const { return static_cast<unsigned char>(i * factor + 3); }

  Stream stream(uint32_t bytes, bool read, bool written) {
    Stream stream{{}, bytes, read, written};
    for (size_t t = 0; t < memory.size(); ++t)
      stream.tensor.push_back(reinterpret_cast<char *>(memory[t].data() + begin[t]));
    return stream;
  }
  /// The bytes that differ from what they were: within tensors, and outside.
  std::pair<size_t, size_t> changes() const {
    size_t inside = 0, outside = 0;
    for (size_t t = 0; t < memory.size(); ++t)
      for (size_t i = 0; i < memory[t].size(); ++i)
        (i >= begin[t] && i < begin[t] + size[t] ? inside : outside) += memory[t][i] != before(i);
    return {inside, outside};
  }
};

} // namespace

TEST(Bound, WritesAllOfWhatIsOnlyWrittenAndKeepsTheRest) {
  // Whole units, tails, several pieces a share and several shares a tensor.
  const std::vector<int64_t> numel{1, 31, 32, 33, 1000, 0, 16384, 40000, 7};
  size_t elements = 0;
  for (int64_t count : numel)
    elements += static_cast<size_t>(count);
  for (size_t offset : {0u, 2u, 4u, 32u})
    for (Stores stores : {Stores::Cached, Stores::PastCaches})
      for (unsigned threads : {1u, 3u}) {
        // What is read is all the same: what is written then differs from what was there.
        List read(numel, 2, offset, 0), updated(numel, 4, offset, 5), written(numel, 2, offset, 7);
        StreamLoop loop({numel,
                         {read.stream(2, true, false), updated.stream(4, true, true),
                          written.stream(2, false, true)}});
        loop.run(threads, stores);
        using Changes = std::pair<size_t, size_t>;
        EXPECT_EQ(read.changes(), Changes(0, 0));
        EXPECT_EQ(updated.changes(), Changes(0, 0));
        auto [inside, outside] = written.changes();
        EXPECT_EQ(outside, 0u);
        // A byte may be written with what it was.
        EXPECT_GT(inside, 2 * elements * 95 / 100);
      }
}
