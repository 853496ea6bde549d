// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contract.h"

#include <algorithm>
#include <limits>

using namespace sawtooth::test;

float sawtooth::test::fromHalf(uint16_t bits) {
  float sign = bits & 0x8000 ? -1.0f : 1.0f;
  int exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0x1f)
    return fraction ? floatOf(0x7fc00000) : sign * std::numeric_limits<float>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

/// |value| as a multiple of 2^exponent, rounded to nearest even: exact in f64 for f32 operands.
static double roundTo(double magnitude, int exponent) {
  return std::nearbyint(std::ldexp(magnitude, -exponent));
}

uint16_t sawtooth::test::toHalf(float value) {
  if (std::isnan(value))
    return 0x7e00;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(static_cast<double>(value));
  if (magnitude >= 65520.0) // half way from 65504 to the next power of two
    return sign | 0x7c00;
  int exponent;
  std::frexp(magnitude, &exponent);
  int unit = magnitude < 0x1p-14 ? -24 : exponent - 11;
  double units = roundTo(magnitude, unit);
  // A carry into the next binade is a carry into the exponent's bits.
  int biased = unit == -24 && units < 1024 ? 0 : unit + 25;
  double bits = biased == 0 ? units : (biased << 10) + (units - 1024);
  return sign | static_cast<uint16_t>(bits);
}

float sawtooth::test::fromBFloat(uint16_t bits) { return floatOf(uint32_t(bits) << 16); }

uint16_t sawtooth::test::toBFloat(float value) {
  if (std::isnan(value))
    return 0x7fc0;
  // Of the two neighbours the nearer one, or the even one.
  uint32_t bits = bitsOf(value), low = bits & 0xffff, high = bits >> 16;
  if (low > 0x8000 || (low == 0x8000 && (high & 1)))
    ++high;
  return static_cast<uint16_t>(high);
}

float sawtooth::test::canonical(float value) {
  return std::isnan(value) ? floatOf(0x7fc00000) : value;
}

double sawtooth::test::add(double a, double b) { return a + b; }
double sawtooth::test::minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
double sawtooth::test::maximum(double a, double b) { return -minimum(-a, -b); }

/// Lanes that fold by halving; `Lane` is what they are rounded to.
template <typename Lane>
static double foldLanes(std::vector<Lane> lanes, const Combine &combine) {
  for (size_t half = lanes.size() / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i)
      lanes[i] = static_cast<Lane>(combine(lanes[i], lanes[i + half]));
  return lanes[0];
}

double sawtooth::test::fold(const std::vector<double> &values, const Combine &combine,
                            double identity) {
  std::vector<double> lanes(256, identity);
  for (size_t i = 0; i < values.size(); ++i)
    lanes[i % 256] = combine(lanes[i % 256], values[i]);
  return foldLanes(lanes, combine);
}

double sawtooth::test::foldTensor(const std::vector<float> &terms, const Combine &combine,
                                  double identity) {
  std::vector<double> chunks;
  for (size_t begin = 0; begin < terms.size(); begin += 16384) {
    // The f64 sum of two f32 is rounded once more to f32; that is the f32 sum (2 * 24 + 2 <= 53).
    std::vector<float> lanes(256, static_cast<float>(identity));
    size_t end = std::min(terms.size(), begin + 16384);
    for (size_t i = begin; i < end; ++i) {
      float &lane = lanes[(i - begin) % 256];
      lane = static_cast<float>(combine(lane, terms[i]));
    }
    chunks.push_back(foldLanes(lanes, combine));
  }
  return fold(chunks, combine, identity);
}
