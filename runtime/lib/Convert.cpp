// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Convert.h"

#include <bit>
#include <cstring>
#include <limits>

namespace sawtooth::runtime {

namespace {

// An IEEE-like format of 1 + exponent + mantissa bits.
template <int exponentBits, int mantissaBits>
struct Format {
  static constexpr uint64_t infinity = ((1ull << exponentBits) - 1) << mantissaBits;
  static constexpr uint64_t canonicalNan = infinity | 1ull << (mantissaBits - 1);
  static constexpr int signShift = exponentBits + mantissaBits;
  static constexpr int minExponent = 2 - (1 << (exponentBits - 1)); // of a normal number

  static uint64_t widen(uint64_t bits) {
    uint64_t sign = (bits >> signShift) << 63;
    uint64_t magnitude = bits & ((1ull << signShift) - 1);
    if (magnitude > infinity)
      return 0x7ff8000000000000u;
    if (magnitude == infinity)
      return sign | 0x7ff0000000000000u;
    if (magnitude == 0)
      return sign;
    uint64_t exponent = magnitude >> mantissaBits;
    uint64_t mantissa = magnitude & ((1ull << mantissaBits) - 1);
    int64_t unbiased = static_cast<int64_t>(exponent) - 1 + minExponent;
    if (exponent == 0) {
      // Subnormal: shift the leading one to where a normal number has its implicit one.
      int shift = std::countl_zero(mantissa) - (63 - mantissaBits);
      mantissa = (mantissa << shift) & ((1ull << mantissaBits) - 1);
      unbiased = minExponent - shift;
    }
    return sign | static_cast<uint64_t>(unbiased + 1023) << 52 | mantissa << (52 - mantissaBits);
  }

  static uint64_t narrow(uint64_t bits) {
    uint64_t sign = (bits >> 63) << signShift;
    uint64_t magnitude = bits & ~(1ull << 63);
    if (magnitude > 0x7ff0000000000000u)
      return canonicalNan;
    if (magnitude == 0x7ff0000000000000u)
      return sign | infinity;
    // A subnormal f64 lies far below half the least number of any narrower type.
    if (magnitude < 0x0010000000000000u)
      return sign;
    int exponent = static_cast<int>(magnitude >> 52) - 1023;
    uint64_t significand = (magnitude & 0x000fffffffffffffu) | 0x0010000000000000u;
    int below = exponent < minExponent ? minExponent - exponent : 0;
    int shift = 52 - mantissaBits + below;
    if (shift > 53)
      return sign;
    uint64_t kept = significand >> shift;
    uint64_t rest = significand & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    // The implicit one of a normal number, and a carry out of the mantissa, add to the exponent.
    uint64_t result =
        below ? kept : (static_cast<uint64_t>(exponent - minExponent) << mantissaBits) + kept;
    return sign | (result > infinity ? infinity : result);
  }
};

using F16 = Format<5, 10>;
using Bf16 = Format<8, 7>;
using F32 = Format<8, 23>;

} // namespace

uint64_t f16ToF64Bits(uint16_t bits) { return F16::widen(bits); }
uint64_t bf16ToF64Bits(uint16_t bits) { return Bf16::widen(bits); }
uint64_t f32ToF64Bits(uint32_t bits) { return F32::widen(bits); }
uint16_t f64BitsToF16(uint64_t bits) { return static_cast<uint16_t>(F16::narrow(bits)); }
uint16_t f64BitsToBf16(uint64_t bits) { return static_cast<uint16_t>(Bf16::narrow(bits)); }
uint32_t f64BitsToF32(uint64_t bits) { return static_cast<uint32_t>(F32::narrow(bits)); }

uint64_t typeBytes(SawtoothType type) {
  switch (type) {
  case SAWTOOTH_F16:
  case SAWTOOTH_BF16:
    return 2;
  case SAWTOOTH_F32:
  case SAWTOOTH_I32:
    return 4;
  case SAWTOOTH_F64:
  case SAWTOOTH_I64:
    return 8;
  case SAWTOOTH_I1:
    return 1;
  }
  return 0;
}

const char *typeName(SawtoothType type) {
  switch (type) {
  case SAWTOOTH_F16:
    return "f16";
  case SAWTOOTH_BF16:
    return "bf16";
  case SAWTOOTH_F32:
    return "f32";
  case SAWTOOTH_F64:
    return "f64";
  case SAWTOOTH_I1:
    return "i1";
  case SAWTOOTH_I32:
    return "i32";
  case SAWTOOTH_I64:
    return "i64";
  }
  return "unknown type";
}

bool isFloat(SawtoothType type) { return type <= SAWTOOTH_F64; }

template <typename T>
static T loadAt(const void *buffer, uint64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(buffer) + index * sizeof(T), sizeof(T));
  return value;
}
template <typename T>
static void storeAt(void *buffer, uint64_t index, T value) {
  std::memcpy(static_cast<char *>(buffer) + index * sizeof(T), &value, sizeof(T));
}

uint64_t loadFloat(SawtoothType type, const void *buffer, uint64_t index) {
  switch (type) {
  case SAWTOOTH_F16:
    return f16ToF64Bits(loadAt<uint16_t>(buffer, index));
  case SAWTOOTH_BF16:
    return bf16ToF64Bits(loadAt<uint16_t>(buffer, index));
  case SAWTOOTH_F32:
    return f32ToF64Bits(loadAt<uint32_t>(buffer, index));
  default:
    return loadAt<uint64_t>(buffer, index);
  }
}

void storeFloat(SawtoothType type, void *buffer, uint64_t index, uint64_t f64Bits) {
  switch (type) {
  case SAWTOOTH_F16:
    return storeAt(buffer, index, f64BitsToF16(f64Bits));
  case SAWTOOTH_BF16:
    return storeAt(buffer, index, f64BitsToBf16(f64Bits));
  case SAWTOOTH_F32:
    return storeAt(buffer, index, f64BitsToF32(f64Bits));
  default:
    return storeAt(buffer, index, f64Bits);
  }
}

double slotToDouble(SawtoothType type, uint64_t slot) {
  if (isFloat(type))
    return std::bit_cast<double>(loadFloat(type, &slot, 0));
  return static_cast<double>(slotToInteger(type, slot));
}

int64_t slotToInteger(SawtoothType type, uint64_t slot) {
  switch (type) {
  case SAWTOOTH_I1:
    return slot & 0xff ? 1 : 0;
  case SAWTOOTH_I32:
    return static_cast<int32_t>(static_cast<uint32_t>(slot));
  default:
    return static_cast<int64_t>(slot);
  }
}

uint64_t doubleToSlot(SawtoothType type, double value) {
  uint64_t slot = 0;
  storeFloat(type, &slot, 0, std::bit_cast<uint64_t>(value));
  return slot;
}

bool integerToSlot(SawtoothType type, int64_t value, uint64_t &slot) {
  if (type == SAWTOOTH_I1 && value != 0 && value != 1)
    return false;
  if (type == SAWTOOTH_I32 &&
      (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()))
    return false;
  slot = type == SAWTOOTH_I32 ? static_cast<uint32_t>(value) : static_cast<uint64_t>(value);
  return true;
}

} // namespace sawtooth::runtime
