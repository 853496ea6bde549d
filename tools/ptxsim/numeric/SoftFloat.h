// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between formats with every rounding, on bits. A double holds all smaller formats
// exactly, so it is the common ground.

#ifndef PTXSIM_NUMERIC_SOFTFLOAT_H
#define PTXSIM_NUMERIC_SOFTFLOAT_H

#include "syntax/Type.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace ptxsim {

/// rn: nearest, ties to even; rna: ties away from zero; rz, rm, rp: toward zero, -inf, +inf.
enum class Rounding : uint8_t { Nearest, NearestAway, Zero, Down, Up };

struct FloatFormat {
  unsigned exponentBits, fractionBits;
};
constexpr FloatFormat halfFormat{5, 10}, brainFormat{8, 7}, singleFormat{8, 23},
    doubleFormat{11, 52};
FloatFormat formatOf(Type type);

/// NaN results (PTX ISA, "Floating-Point Instructions"): 0x7fffffff for f32, 0x7fff for halves. The
/// manual fixes none for f64; this one is the quiet default.
constexpr uint32_t nan32 = 0x7fffffff;
constexpr uint16_t nan16 = 0x7fff;
constexpr uint64_t nan64 = 0x7fffffffffffffff;

/// Exact value of a bit pattern.
double widen(FloatFormat format, uint64_t bits);
/// `value` in the format. NaN becomes the canonical one, overflow follows the rounding.
uint64_t narrow(FloatFormat format, double value, Rounding rounding);
/// An integer in the format.
uint64_t narrowInteger(FloatFormat format, bool negative, uint64_t magnitude, Rounding rounding);
uint64_t canonicalNan(FloatFormat format);

/// a + b with the inexact result's last bit set: rounding once more to a format with at least two
/// bits less gives the correctly rounded sum (Boldo and Melquiond, "Emulation of FMA and correctly
/// rounded sums: proved algorithms using rounding to odd").
inline double addToOdd(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  double fromB = sum - a, error = (a - (sum - fromB)) + (b - fromB);
  if (error == 0)
    return sum;
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  // The exact sum lies on the other side of zero from here: step there before setting the bit.
  if ((error > 0) != (sum > 0) && !(bits & 1))
    --bits;
  return std::bit_cast<double>(bits | 1);
}

/// a * b + c rounded once, for factors of at most 11 significant bits, whose product is exact.
inline double fmaToOdd(double a, double b, double c) { return addToOdd(a * b, c); }

inline float canonical(float value) {
  return std::bit_cast<uint32_t>(value) << 1 > 0xff000000u ? std::bit_cast<float>(nan32) : value;
}
inline double canonical(double value) {
  return value != value ? std::bit_cast<double>(nan64) : value;
}
/// Subnormals to zero of their sign.
inline float flush(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<float>(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

inline float fromBrain(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }
inline uint16_t toBrain(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t rounded = uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  return bits << 1 > 0xff000000u ? nan16 : rounded;
}
float fromHalf(uint16_t bits);
uint16_t toHalf(float value);

} // namespace ptxsim

#endif
