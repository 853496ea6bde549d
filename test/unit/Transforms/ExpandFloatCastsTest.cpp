// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The conversions of expand-float-casts, executed. Expected values come from the definition: the
// nearer of two neighbours, the even one of equally near ones.
#include "Jit.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

using namespace sawtooth::test;

namespace {
using Function = void(const void *, void *, int64_t);

struct Format {
  const char *name;
  int exponentBits, mantissaBits;
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  uint16_t infinity() const { return uint16_t(((1 << exponentBits) - 1) << mantissaBits); }
  uint16_t nan() const { return uint16_t(infinity() | 1 << (mantissaBits - 1)); }
  /// The value of finite bits; of infinity, the number that would stand there.
  double value(uint16_t bits) const {
    int field = bits >> mantissaBits & ((1 << exponentBits) - 1);
    int fraction = bits & ((1 << mantissaBits) - 1);
    double size = std::ldexp(field ? fraction + (1 << mantissaBits) : fraction,
                             std::max(field, 1) - bias() - mantissaBits);
    return bits & 0x8000 ? -size : size;
  }
};
constexpr Format f16{"f16", 5, 10}, bf16{"bf16", 8, 7};

/// What `body` makes of `input` as scalars and in vectors, for two chips: all as `check` says.
template <typename Out, typename In, typename Check>
void compute(const std::vector<In> &input, const std::string &body, const char *from,
             const char *to, Check check) {
  for (const char *chip : {"x86-64-v3", "native"})
    for (int width : {1, 8, 16}) {
      ASSERT_EQ(input.size() % width, 0u);
      std::unique_ptr<Jit> jit = Jit::compile(elementwise("f", body, from, to, width), chip);
      ASSERT_TRUE(jit) << "expected code for " << chip;
      std::vector<Out> output(input.size());
      jit->function<Function>("f")(input.data(), output.data(), int64_t(input.size()));
      int wrong = 0;
      for (size_t i = 0; i < input.size() && wrong < 10; ++i)
        if (Out want = check(input[i], i); output[i] != want) {
          ADD_FAILURE() << from << " to " << to << ", " << chip << ", width " << width << ": of "
                        << std::hexfloat << double(input[i]) << " expected " << std::hex << +want
                        << ", got " << +output[i];
          ++wrong;
        }
    }
}

template <typename Out, typename In, typename Check>
void convert(const std::vector<In> &input, const char *op, const char *from, const char *to,
             Check check) {
  compute<Out>(input, "%y = arith." + std::string(op) + " %x : FROM to TO", from, to, check);
}

/// Every f32 of the case list: all exponents and upper mantissas, lower halves about ties.
std::vector<float> singles() {
  std::vector<float> values;
  for (uint32_t upper = 0; upper < 0x10000; ++upper)
    for (uint32_t lower : {0x0000u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu, 0x0001u, 0x4000u, 0xc000u})
      values.push_back(std::bit_cast<float>(upper << 16 | lower));
  return values;
}

TEST(ExpandFloatCasts, B64_F32ToBF16RoundsEveryExponentToNearestEven) {
  convert<uint16_t>(singles(), "truncf", "f32", "bf16", [](float x, size_t) {
    if (std::isnan(x))
      return bf16.nan();
    uint16_t low = uint16_t(std::bit_cast<uint32_t>(x) >> 16); // toward zero
    if (std::isinf(x))
      return low;
    double below = std::fabs(double(x) - bf16.value(low));
    double above = std::fabs(bf16.value(uint16_t(low + 1)) - double(x));
    bool up = above < below || (above == below && low & 1);
    return uint16_t(low + up);
  });
}

TEST(ExpandFloatCasts, B64_B65_NamedValues) {
  std::vector<float> input{std::bit_cast<float>(0x00080000u),
                           std::bit_cast<float>(0x7f800001u),
                           1.0f,
                           2.0f,
                           0.49990f,
                           std::bit_cast<float>(0xff800001u),
                           3.4028235e38f,
                           -0.0f};
  input.resize(16);
  std::vector<uint16_t> want{0x0008, 0x7fc0, 0x3f80, 0x4000, 0x3f00, 0x7fc0, 0x7f80, 0x8000};
  want.resize(16);
  convert<uint16_t>(input, "truncf", "f32", "bf16", [&](float, size_t i) { return want[i]; });

  std::vector<float> halves(16);
  halves[0] = 0.49990f, halves[1] = 65520.0f, halves[2] = 65519.0f, halves[3] = 0x1p-24f;
  std::vector<uint16_t> wantHalves{0x3800, 0x7c00, 0x7bff, 0x0001};
  wantHalves.resize(16);
  convert<uint16_t>(halves, "truncf", "f32", "f16", [&](float, size_t i) { return wantHalves[i]; });

  std::vector<double> doubles(16);
  doubles[0] = 1.0 + 0x1p-8 + 0x1p-40; // through f32 it would be 0x3f80
  std::vector<uint16_t> wantDoubles{0x3f81};
  wantDoubles.resize(16);
  convert<uint16_t>(doubles, "truncf", "f64", "bf16",
                    [&](double, size_t i) { return wantDoubles[i]; });
}

/// Around every number of the format: itself, and the middle to the next one, below, exact, above.
void checkFromF64(const Format &format) {
  std::vector<double> input;
  std::vector<uint16_t> want;
  auto add = [&](double x, uint16_t bits) { input.push_back(x), want.push_back(bits); };
  for (uint32_t sign : {0u, 0x8000u})
    for (uint32_t size = 0; size < format.infinity(); ++size) {
      uint16_t bits = uint16_t(sign | size), next = uint16_t(bits + 1);
      double x = format.value(bits), y = format.value(next), middle = x + (y - x) / 2;
      add(x, bits);
      add(std::nextafter(middle, x), bits);
      add(middle, size & 1 ? next : bits);
      add(std::nextafter(middle, y), next);
      // Far enough from the tie that f32 sees it, and so close that f32 rounds onto it.
      add(middle - (middle - x) * 0x1p-30, bits);
      add(middle + (y - middle) * 0x1p-30, next);
    }
  add(INFINITY, format.infinity());
  add(-INFINITY, uint16_t(0x8000 | format.infinity()));
  add(std::bit_cast<double>(0x7ff0000000000001ull), format.nan());
  add(-NAN, format.nan());
  add(1e300, format.infinity());
  add(-5e-324, 0x8000);
  add(5e-324, 0x0000);
  while (input.size() % 16)
    add(1.0, uint16_t(format.bias() << format.mantissaBits));
  convert<uint16_t>(input, "truncf", "f64", format.name, [&](double, size_t i) { return want[i]; });
}
TEST(ExpandFloatCasts, B64_F64ToBF16RoundsOnce) { checkFromF64(bf16); }
TEST(ExpandFloatCasts, B64_F64ToF16RoundsOnce) { checkFromF64(f16); }

/// Every bit pattern that is a number widens exactly.
template <typename Wide, typename Bits>
void checkWidening(const Format &format, const char *to) {
  std::vector<uint16_t> input;
  for (uint32_t sign : {0u, 0x8000u})
    for (uint32_t size = 0; size <= format.infinity(); ++size)
      input.push_back(uint16_t(sign | size));
  while (input.size() % 16)
    input.push_back(0);
  convert<Bits>(input, "extf", format.name, to, [&](uint16_t bits, size_t) {
    double value = format.value(bits);
    if ((bits & 0x7fff) == format.infinity())
      value = std::copysign(INFINITY, value);
    return std::bit_cast<Bits>(Wide(value));
  });
}
TEST(ExpandFloatCasts, BF16WidensToF32) { checkWidening<float, uint32_t>(bf16, "f32"); }
TEST(ExpandFloatCasts, BF16WidensToF64) { checkWidening<double, uint64_t>(bf16, "f64"); }
TEST(ExpandFloatCasts, F16WidensToF64) { checkWidening<double, uint64_t>(f16, "f64"); }
/// Squares of bf16 have 16 bits: f64 holds them exactly. Over- and underflow are among them.
TEST(ExpandFloatCasts, ArithmeticOnBF16RoundsOnce) {
  std::vector<uint16_t> input;
  for (uint32_t size = 0; size < bf16.infinity(); ++size)
    input.push_back(uint16_t(size));
  compute<uint16_t>(input, "%y = arith.mulf %x, %x : FROM", "bf16", "bf16",
                    [](uint16_t bits, size_t) {
                      double square = bf16.value(bits) * bf16.value(bits);
                      // The number of bf16 at or below the square, by bisection; then the nearer
                      // neighbour.
                      uint16_t low = 0, high = bf16.infinity();
                      while (high - low > 1) {
                        uint16_t middle = uint16_t((low + high) / 2);
                        (bf16.value(middle) <= square ? low : high) = middle;
                      }
                      double below = square - bf16.value(low), above = bf16.value(high) - square;
                      return above < below || (above == below && low & 1) ? high : low;
                    });
}
TEST(ExpandFloatCasts, IntegersRoundOnce) {
  // 2^24 + 2^16 + 1 is just above a tie of bf16, and on it after rounding to f32.
  std::vector<int32_t> input{(1 << 24) + (1 << 16) + 1, -3, 0, 1 << 30};
  input.resize(16);
  std::vector<uint16_t> want{0x4b81, 0xc040, 0x0000, 0x4e80};
  want.resize(16);
  compute<uint16_t>(input, "%y = arith.sitofp %x : FROM to TO", "i32", "bf16",
                    [&](int32_t, size_t i) { return want[i]; });
}
TEST(ExpandFloatCasts, BF16NaNStaysNaN) {
  std::vector<uint16_t> input(16, 0x7f81);
  std::vector<float> wide(16);
  std::unique_ptr<Jit> jit = Jit::compile(
      elementwise("f", "%y = arith.extf %x : FROM to TO", "bf16", "f32", 16), "x86-64-v3");
  ASSERT_TRUE(jit);
  jit->function<Function>("f")(input.data(), wide.data(), 16);
  EXPECT_TRUE(std::isnan(wide[0]));
}
} // namespace
