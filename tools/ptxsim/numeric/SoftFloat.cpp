// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "numeric/SoftFloat.h"

#include <immintrin.h>

using namespace ptxsim;

FloatFormat ptxsim::formatOf(Type type) {
  switch (type) {
  case Type::F16:
  case Type::F16x2:
    return halfFormat;
  case Type::BF16:
  case Type::BF16x2:
    return brainFormat;
  case Type::F64:
    return doubleFormat;
  default:
    return singleFormat;
  }
}

uint64_t ptxsim::canonicalNan(FloatFormat format) {
  return (uint64_t(1) << (format.exponentBits + format.fractionBits)) - 1;
}

double ptxsim::widen(FloatFormat format, uint64_t bits) {
  unsigned f = format.fractionBits;
  uint64_t fraction = bits & ((uint64_t(1) << f) - 1);
  unsigned most = (1u << format.exponentBits) - 1, exponent = unsigned(bits >> f) & most;
  bool negative = bits >> (f + format.exponentBits) & 1;
  int bias = int(most >> 1);
  double value;
  if (exponent == most)
    value = fraction ? std::bit_cast<double>(nan64) : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(double(fraction), 1 - bias - int(f));
  else
    value = std::ldexp(double(fraction | uint64_t(1) << f), int(exponent) - bias - int(f));
  return negative ? -value : value;
}

/// magnitude * 2^exponent, plus something below its last bit when `sticky`.
static uint64_t round(FloatFormat format, bool negative, uint64_t magnitude, int exponent,
                      bool sticky, Rounding rounding) {
  unsigned f = format.fractionBits;
  uint64_t sign = uint64_t(negative) << (f + format.exponentBits);
  if (magnitude == 0 && !sticky)
    return sign;
  unsigned most = (1u << format.exponentBits) - 1;
  int bias = int(most >> 1);
  // Exponent of the last kept bit: of the leading bit minus f, but no smaller than subnormals have.
  int top = 63 - std::countl_zero(magnitude);
  int last = std::max(top + exponent - int(f), 1 - bias - int(f));
  int shift = last - exponent;
  uint64_t kept;
  bool half = false, rest = sticky;
  if (shift <= 0) {
    kept = magnitude << -shift;
  } else if (shift > 64) {
    kept = 0;
    rest = true;
  } else {
    kept = shift == 64 ? 0 : magnitude >> shift;
    half = magnitude >> (shift - 1) & 1;
    rest |= (magnitude & ((uint64_t(1) << (shift - 1)) - 1)) != 0;
  }
  bool up = false;
  switch (rounding) {
  case Rounding::Nearest:
    up = half && (rest || (kept & 1));
    break;
  case Rounding::NearestAway:
    up = half;
    break;
  case Rounding::Zero:
    break;
  case Rounding::Down:
    up = negative && (half || rest);
    break;
  case Rounding::Up:
    up = !negative && (half || rest);
    break;
  }
  kept += up;
  // The fraction's carry into the exponent field is the right next exponent by itself.
  uint64_t biased = uint64_t(last + int(f) + bias);
  uint64_t bits = kept >> f ? ((biased - 1) << f) + kept : kept;
  uint64_t infinity = uint64_t(most) << f;
  if (bits >= infinity) {
    bool toInfinity = rounding == Rounding::Nearest || rounding == Rounding::NearestAway ||
                      (rounding == Rounding::Down && negative) ||
                      (rounding == Rounding::Up && !negative);
    bits = toInfinity ? infinity : infinity - 1;
  }
  return sign | bits;
}

uint64_t ptxsim::narrow(FloatFormat format, double value, Rounding rounding) {
  if (value != value)
    return canonicalNan(format);
  uint64_t bits = std::bit_cast<uint64_t>(value);
  bool negative = bits >> 63;
  unsigned exponent = unsigned(bits >> 52) & 0x7ff;
  uint64_t fraction = bits & 0xfffffffffffff;
  if (exponent == 0x7ff)
    return (uint64_t(negative) << (format.fractionBits + format.exponentBits)) |
           ((uint64_t(1) << format.exponentBits) - 1) << format.fractionBits;
  if (exponent)
    fraction |= uint64_t(1) << 52;
  return round(format, negative, fraction, int(exponent ? exponent : 1) - 1075, false, rounding);
}

uint64_t ptxsim::narrowInteger(FloatFormat format, bool negative, uint64_t magnitude,
                               Rounding rounding) {
  return round(format, negative && magnitude, magnitude, 0, false, rounding);
}

float ptxsim::fromHalf(uint16_t bits) {
  // The instruction keeps NaN payloads; PTX wants the canonical one.
  return canonical(_cvtsh_ss(bits));
}

uint16_t ptxsim::toHalf(float value) {
  return value != value ? nan16 : uint16_t(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT));
}
