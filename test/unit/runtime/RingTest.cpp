// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Ring.h"

#include <gtest/gtest.h>
#include <thread>

using namespace sawtooth::runtime;

namespace {

TEST(Ring, KeepsOrderAndPadsRows) {
  StatusRing ring(3, 2); // room for 4: the next power of two
  EXPECT_EQ(ring.capacity(), 4u);
  std::vector<uint64_t> row;
  EXPECT_FALSE(ring.pop(row));
  uint64_t one[] = {1}, two[] = {2, 22};
  EXPECT_TRUE(ring.push(one));
  EXPECT_TRUE(ring.push(two));
  ASSERT_TRUE(ring.pop(row));
  EXPECT_EQ(row, (std::vector<uint64_t>{1, 0}));
  ASSERT_TRUE(ring.pop(row));
  EXPECT_EQ(row, (std::vector<uint64_t>{2, 22}));
}

TEST(Ring, CountsWhatItDrops) {
  StatusRing ring(2, 1);
  for (uint64_t i = 0; i < 5; ++i)
    EXPECT_EQ(ring.push({&i, 1}), i < 2);
  EXPECT_EQ(ring.dropped(), 3u);
  std::vector<uint64_t> row;
  ASSERT_TRUE(ring.pop(row));
  EXPECT_EQ(row[0], 0u); // the old rows stay, the new ones are dropped
  uint64_t next = 9;
  EXPECT_TRUE(ring.push({&next, 1}));
  ASSERT_TRUE(ring.pop(row));
  ASSERT_TRUE(ring.pop(row));
  EXPECT_EQ(row[0], 9u);
}

TEST(Ring, OneWriterOneReader) {
  StatusRing ring(8, 3);
  const uint64_t rows = 200000;
  uint64_t lastSeen = 0, seen = 0;
  bool torn = false, ordered = true;
  std::atomic<bool> done{false};
  std::thread reader([&] {
    std::vector<uint64_t> row;
    for (bool last = false; !last;) {
      last = done.load(std::memory_order_acquire);
      while (ring.pop(row)) {
        torn |= row[1] != row[0] * 3 || row[2] != ~row[0];
        ordered &= seen == 0 || row[0] > lastSeen;
        lastSeen = row[0];
        ++seen;
      }
    }
  });
  for (uint64_t i = 0; i < rows; ++i) {
    uint64_t row[] = {i, i * 3, ~i};
    ring.push(row);
  }
  done.store(true, std::memory_order_release);
  reader.join();
  EXPECT_FALSE(torn);
  EXPECT_TRUE(ordered);
  EXPECT_EQ(seen + ring.dropped(), rows);
}

} // namespace
