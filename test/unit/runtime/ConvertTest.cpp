// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Convert.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using namespace sawtooth::runtime;

namespace {

double f64(uint64_t bits) { return std::bit_cast<double>(bits); }
uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }

// The value of a small float by its definition: an independent road from that of the code.
double byDefinition(uint32_t bits, int exponentBits, int mantissaBits) {
  int exponent = (bits >> mantissaBits) & ((1 << exponentBits) - 1);
  int mantissa = bits & ((1 << mantissaBits) - 1);
  double sign = bits >> (exponentBits + mantissaBits) ? -1 : 1;
  int bias = (1 << (exponentBits - 1)) - 1;
  if (exponent == (1 << exponentBits) - 1)
    return mantissa ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  return sign * std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits);
}

TEST(Convert, WidensEveryF16AndBf16) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double f16 = byDefinition(bits, 5, 10), bf16 = byDefinition(bits, 8, 7);
    uint64_t wideF16 = f16ToF64Bits(uint16_t(bits)), wideBf16 = bf16ToF64Bits(uint16_t(bits));
    if (std::isnan(f16))
      EXPECT_EQ(wideF16, 0x7ff8000000000000u);
    else
      EXPECT_EQ(wideF16, bitsOf(f16)) << std::hex << bits;
    if (std::isnan(bf16))
      EXPECT_EQ(wideBf16, 0x7ff8000000000000u);
    else
      EXPECT_EQ(wideBf16, bitsOf(bf16)) << std::hex << bits;
  }
}

// For each pair of neighbours of the narrow type: both, the point half-way, and what lies just
// below and above it, of both signs. The half-way point goes to the even neighbour.
template <typename Narrow>
void checkBoundaries(int exponentBits, int mantissaBits, Narrow narrow) {
  uint32_t infinity = ((1u << exponentBits) - 1) << mantissaBits;
  uint32_t sign = 1u << (exponentBits + mantissaBits);
  for (uint32_t low = 0; low < infinity; ++low) {
    uint32_t high = low + 1, even = low & 1 ? high : low;
    double a = byDefinition(low, exponentBits, mantissaBits);
    // Beyond the largest number the grid goes on by its last step.
    double step = low + 1 == infinity ? a - byDefinition(low - 1, exponentBits, mantissaBits)
                                      : byDefinition(high, exponentBits, mantissaBits) - a;
    double half = a + step / 2;
    for (uint32_t s : {0u, sign}) {
      double factor = s ? -1 : 1;
      ASSERT_EQ(narrow(bitsOf(factor * a)), low | s);
      ASSERT_EQ(narrow(bitsOf(factor * half)), even | s) << half;
      ASSERT_EQ(narrow(bitsOf(factor * std::nextafter(half, 0))), low | s) << half;
      ASSERT_EQ(narrow(bitsOf(factor * std::nextafter(half, INFINITY))), high | s) << half;
    }
  }
  ASSERT_EQ(narrow(bitsOf(INFINITY)), infinity);
  ASSERT_EQ(narrow(bitsOf(-INFINITY)), infinity | sign);
  ASSERT_EQ(narrow(bitsOf(1e300)), infinity);
  ASSERT_EQ(narrow(bitsOf(5e-324)), 0u);
  ASSERT_EQ(narrow(bitsOf(-5e-324)), sign);
}

TEST(Convert, NarrowsToF16AtEveryBoundary) {
  checkBoundaries(5, 10, [](uint64_t bits) { return f64BitsToF16(bits); });
}
TEST(Convert, NarrowsToBf16AtEveryBoundary) {
  checkBoundaries(8, 7, [](uint64_t bits) { return f64BitsToBf16(bits); });
}

TEST(Convert, F32AgreesWithTheMachine) {
  // Every exponent with telling mantissas, and what lies around the halves between f32 numbers.
  for (uint32_t high = 0; high < 0x10000; ++high)
    for (uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      uint32_t bits = high << 16 | low;
      float value = std::bit_cast<float>(bits);
      if (std::isnan(value))
        continue;
      ASSERT_EQ(f32ToF64Bits(bits), bitsOf(double(value)));
      double half = double(value) + (double(std::nextafterf(value, INFINITY)) - value) / 2;
      for (double x : {half, std::nextafter(half, -INFINITY), std::nextafter(half, INFINITY)})
        if (std::isfinite(x))
          ASSERT_EQ(f64BitsToF32(bitsOf(x)), std::bit_cast<uint32_t>(float(x))) << x;
    }
}

TEST(Convert, NaNsAreCanonical) {
  for (uint64_t nan : {0x7ff0000000000001u, 0xfff8000000000000u, 0xffffffffffffffffu}) {
    EXPECT_EQ(f64BitsToF16(nan), 0x7e00);
    EXPECT_EQ(f64BitsToBf16(nan), 0x7fc0);
    EXPECT_EQ(f64BitsToF32(nan), 0x7fc00000u);
  }
  EXPECT_EQ(f32ToF64Bits(0xff800001u), 0x7ff8000000000000u);
}

// B64, B65: values of public bug reports.
TEST(Convert, B64B65Values) {
  auto f16 = [](double value) { return f64BitsToF16(bitsOf(value)); };
  auto bf16 = [](double value) { return f64BitsToBf16(bitsOf(value)); };
  EXPECT_EQ(f16(0.49990f), 0x3800);
  EXPECT_EQ(bf16(0.49990f), 0x3f00);
  EXPECT_EQ(f16(65519), 0x7bff);
  EXPECT_EQ(f16(65520), 0x7c00);
  EXPECT_EQ(bf16(0x1.01p0 + 0x1p-40), 0x3f81); // by way of f32 it would be 0x3f80
  EXPECT_EQ(f64BitsToBf16(f32ToF64Bits(0x00080000)), 0x0008);
}

TEST(Convert, SlotsHoldValues) {
  EXPECT_EQ(doubleToSlot(SAWTOOTH_F32, 1.5), 0x3fc00000u);
  EXPECT_EQ(slotToDouble(SAWTOOTH_F32, 0x3fc00000u), 1.5);
  EXPECT_EQ(slotToInteger(SAWTOOTH_I32, 0xffffffffu), -1);
  uint64_t slot = 0;
  EXPECT_TRUE(integerToSlot(SAWTOOTH_I32, -1, slot));
  EXPECT_EQ(slot, 0xffffffffu);
  EXPECT_FALSE(integerToSlot(SAWTOOTH_I32, 1ll << 31, slot));
  EXPECT_FALSE(integerToSlot(SAWTOOTH_I1, 2, slot));
  EXPECT_TRUE(integerToSlot(SAWTOOTH_I64, -5, slot));
  EXPECT_EQ(slotToInteger(SAWTOOTH_I64, slot), -5);
  EXPECT_EQ(f64(bitsOf(slotToDouble(SAWTOOTH_I64, slot))), -5.0);
}

} // namespace
