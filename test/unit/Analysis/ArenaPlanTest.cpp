// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Analysis/ArenaPlan.h"

#include <gtest/gtest.h>

#include <random>

using namespace sawtooth;

static bool overlap(uint64_t a, uint64_t aBytes, uint64_t b, uint64_t bBytes) {
  return a < b + bBytes && b < a + aBytes;
}

/// What every plan must hold: places are aligned, inside, and apart while both live.
static void check(llvm::ArrayRef<ArenaRequest> requests, const ArenaPlan &plan) {
  ASSERT_EQ(plan.offsets.size(), requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % 64, 0u);
    EXPECT_LE(plan.offsets[i] + requests[i].bytes, plan.bytes);
    for (size_t j = 0; j < i; ++j) {
      bool together =
          requests[i].first <= requests[j].last && requests[j].first <= requests[i].last;
      if (together) {
        EXPECT_FALSE(
            overlap(plan.offsets[i], requests[i].bytes, plan.offsets[j], requests[j].bytes))
            << i << " and " << j;
      }
    }
  }
}

TEST(ArenaPlan, NothingTakesNoRoom) {
  EXPECT_EQ(planArena({}).bytes, 0u);
  ArenaPlan plan = planArena({{0, 0, 5}, {0, 2, 3}});
  EXPECT_EQ(plan.bytes, 0u);
  EXPECT_EQ(plan.offsets.size(), 2u);
}

TEST(ArenaPlan, ReusesWhatIsDead) {
  // A chain: each buffer is read by the action that writes the next.
  llvm::SmallVector<ArenaRequest> chain{{1000, 0, 1}, {1000, 1, 2}, {1000, 2, 3}, {1000, 3, 4}};
  ArenaPlan plan = planArena(chain);
  check(chain, plan);
  EXPECT_EQ(plan.bytes, 1024u + 1000u); // two at a time
}

TEST(ArenaPlan, KeepsApartWhatMeetsInOneAction) {
  // The last reader of the first is the writer of the second: it may not overwrite what it reads.
  ArenaPlan plan = planArena({{64, 0, 1}, {64, 1, 1}});
  EXPECT_EQ(plan.bytes, 128u);
  // One action later it may.
  EXPECT_EQ(planArena({{64, 0, 1}, {64, 2, 2}}).bytes, 64u);
}

TEST(ArenaPlan, FillsGaps) {
  // The small one fits between: at 0 while the large ones live above it or not at all.
  llvm::SmallVector<ArenaRequest> requests{{256, 0, 1}, {512, 1, 2}, {128, 2, 3}};
  ArenaPlan plan = planArena(requests);
  check(requests, plan);
  EXPECT_EQ(plan.bytes, 768u);
  EXPECT_EQ(plan.offsets[2], 512u); // where the first was
}

TEST(ArenaPlan, DoesNotDependOnTheOrderOfEqualLives) {
  // Sizes alone decide; the offsets are the same for every run and machine.
  ArenaPlan plan = planArena({{100, 0, 9}, {200, 0, 9}, {100, 0, 9}});
  EXPECT_EQ(plan.offsets, (llvm::SmallVector<uint64_t>{256, 0, 384}));
}

TEST(ArenaPlan, SizesBeyond32Bits) {
  llvm::SmallVector<ArenaRequest> requests{
      {uint64_t(5) << 32, 0, 1}, {uint64_t(5) << 32, 1, 2}, {64, 0, 2}};
  ArenaPlan plan = planArena(requests);
  check(requests, plan);
  EXPECT_EQ(plan.bytes, (uint64_t(10) << 32) + 64);
}

TEST(ArenaPlan, RandomLives) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    llvm::SmallVector<ArenaRequest> requests;
    uint64_t sum = 0;
    for (unsigned i = 0; i < 30; ++i) {
      unsigned first = random() % 20;
      unsigned last = first + random() % 6;
      requests.push_back({random() % 5000, first, last});
      sum += (requests.back().bytes + 63) / 64 * 64;
    }
    ArenaPlan plan = planArena(requests);
    check(requests, plan);
    // Never below what lives at once, never above all together.
    uint64_t most = 0;
    for (unsigned action = 0; action < 26; ++action) {
      uint64_t live = 0;
      for (const ArenaRequest &request : requests)
        if (request.first <= action && action <= request.last)
          live += request.bytes;
      most = std::max(most, live);
    }
    EXPECT_GE(plan.bytes, most);
    EXPECT_LE(plan.bytes, sum);
  }
}
