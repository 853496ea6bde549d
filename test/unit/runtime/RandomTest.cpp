// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Random.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace sawtooth::runtime;

namespace {

// The known answers that come with Random123, the generator's own library (kat_vectors).
TEST(Random, PhiloxKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The construction as Random.h states it, step by step.
TEST(Random, StreamIsKeyedAsDocumented) {
  uint64_t seed = 0x123456789abcdef0u, hash = 0xfedcba9876543210u, step = 0x100000002u;
  PhiloxWords key = philox({0x76543210, 0xfedcba98, 7, 0}, {0x9abcdef0, 0x12345678});
  uint64_t element = (1ull << 36) + 6; // block 2^34 + 1, word 2
  PhiloxWords words = philox({1, 4, 2, 1}, {key[0], key[1]});
  RandomStream stream(seed, 7, step, hash);
  EXPECT_EQ(stream.word(element), words[2]);
  EXPECT_EQ(stream.uniform(element), (words[2] >> 8) * 0x1p-23 - 1);
  double radius = std::sqrt(-2 * std::log((words[2] + 1.0) * 0x1p-32));
  double angle = 2 * M_PI * (words[3] * 0x1p-32);
  EXPECT_NEAR(stream.normal(element), radius * std::cos(angle), 1e-14);
  EXPECT_NEAR(stream.normal(element + 1), radius * std::sin(angle), 1e-14);
}

TEST(Random, OwnLogarithmAgreesWithTheLibrary) {
  for (int i = 1; i <= 100000; ++i) {
    double x = i * 1e-5;
    ASSERT_NEAR(logExact(x), std::log(x), 4e-16 * std::fmax(1, std::fabs(std::log(x)))) << x;
  }
  EXPECT_NEAR(logExact(0x1p-32), -32 * std::log(2.0), 1e-14);
  EXPECT_EQ(logExact(1.0), 0.0);
}

TEST(Random, OwnCosineAndSineAgreeWithTheLibrary) {
  for (int i = 0; i < 100000; ++i) {
    double turns = i * 1e-5;
    auto [cosine, sine] = cosSinTurns(turns);
    ASSERT_NEAR(cosine, std::cos(2 * M_PI * turns), 1e-15) << turns;
    ASSERT_NEAR(sine, std::sin(2 * M_PI * turns), 1e-15) << turns;
  }
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  RandomStream stream(1, 0, 0, 42);
  const int count = 200000;
  double sumU = 0, sumU2 = 0, sumN = 0, sumN2 = 0, sumN4 = 0, least = 1, most = -1;
  for (int i = 0; i < count; ++i) {
    double u = stream.uniform(i), n = stream.normal(i);
    sumU += u;
    sumU2 += u * u;
    sumN += n;
    sumN2 += n * n;
    sumN4 += n * n * n * n;
    least = std::fmin(least, u);
    most = std::fmax(most, u);
  }
  // Five standard errors of each estimate.
  double error = 5 / std::sqrt(double(count));
  EXPECT_NEAR(sumU / count, 0, error * std::sqrt(1.0 / 3));
  EXPECT_NEAR(sumU2 / count, 1.0 / 3, error * std::sqrt(4.0 / 45));
  EXPECT_NEAR(sumN / count, 0, error);
  EXPECT_NEAR(sumN2 / count, 1, error * std::sqrt(2.0));
  EXPECT_NEAR(sumN4 / count, 3, error * std::sqrt(96.0));
  EXPECT_GE(least, -1);
  EXPECT_LT(most, 1);
}

} // namespace
