// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Random.h"

#include <bit>
#include <cmath>

namespace sawtooth::runtime {

PhiloxWords philox(PhiloxWords counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = uint64_t(0xD2511F53) * counter[0];
    uint64_t product1 = uint64_t(0xCD9E8D57) * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9; // the golden ratio and sqrt(3) - 1, in 32 bits
    key[1] += 0xBB67AE85;
  }
  return counter;
}

static uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
static uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

RandomStream::RandomStream(uint64_t seed, uint32_t stream, uint64_t step, uint64_t nameHash)
    : step(step) {
  PhiloxWords words = philox({low(nameHash), high(nameHash), stream, 0}, {low(seed), high(seed)});
  key = {words[0], words[1]};
}

PhiloxWords RandomStream::block(uint64_t index) const {
  return philox({low(index), high(index), low(step), high(step)}, key);
}

double RandomStream::uniform(uint64_t element) const {
  return static_cast<double>(word(element) >> 8) * 0x1p-23 - 1.0;
}

double RandomStream::normal(uint64_t element) const {
  PhiloxWords words = block(element / 4);
  unsigned pair = element % 4 / 2 * 2;
  double u = (static_cast<double>(words[pair]) + 1.0) * 0x1p-32;
  double radius = std::sqrt(-2.0 * logExact(u));
  return radius * cosSinTurns(static_cast<double>(words[pair + 1]) * 0x1p-32)[element % 2];
}

double logExact(double x) {
  uint64_t bits = std::bit_cast<uint64_t>(x);
  int64_t exponent = static_cast<int64_t>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    ++exponent;
  }
  // ln m = 2 atanh(s) with s = (m - 1) / (m + 1), |s| < 0.172: the eleventh term is below 2^-54.
  double s = (mantissa - 1.0) / (mantissa + 1.0), square = s * s, sum = 0.0;
  for (int k = 23; k >= 3; k -= 2)
    sum = (sum + 1.0 / k) * square;
  return static_cast<double>(exponent) * 0.6931471805599453 + 2.0 * (s + s * sum);
}

std::array<double, 2> cosSinTurns(double turns) {
  // Within an eighth of a turn of one of four axes; the subtraction is exact.
  int quarter = static_cast<int>(turns * 4.0 + 0.5);
  double angle = (turns - quarter * 0.25) * 6.283185307179586;
  double square = angle * angle, cosine = 1.0, sine = 1.0;
  // Taylor's sums in Horner's form, for |angle| <= pi/4.
  for (int k = 18; k >= 2; k -= 2) {
    cosine = 1.0 - cosine * square / (k * (k - 1));
    sine = 1.0 - sine * square / (k * (k + 1));
  }
  sine *= angle;
  switch (quarter & 3) {
  case 0:
    return {cosine, sine};
  case 1:
    return {-sine, cosine};
  case 2:
    return {-cosine, -sine};
  default:
    return {sine, -cosine};
  }
}

} // namespace sawtooth::runtime
