// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Generated loops against loops written by hand: same bits, whatever the sizes, maps and types.
#include "ForwardHarness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

using namespace sawtooth::test;
using Half = _Float16;

/// Values of all magnitudes, so that another order of additions gives other bits.
template <typename T>
static std::vector<T> wild(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T &value : values) {
    float magnitude = std::ldexp(float(random() % 2048), int(random() % 16) - 12);
    value = T(random() % 2 ? magnitude : -magnitude);
  }
  return values;
}

static const std::string maps = R"(
#ik = affine_map<(i, j, k) -> (i, k)>
#ki = affine_map<(i, j, k) -> (k, i)>
#kj = affine_map<(i, j, k) -> (k, j)>
#ij3 = affine_map<(i, j, k) -> (i, j)>
#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>
#zero = affine_map<(i) -> (0)>
)";

/// out[i, j] = start + the sum over k of a(i, k) * b(k, j), in ascending k.
static std::vector<float> product(size_t rows, size_t columns, size_t depth, float start,
                                  const std::function<float(size_t, size_t)> &a,
                                  const std::function<float(size_t, size_t)> &b) {
  std::vector<float> out(rows * columns);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) {
      float sum = start;
      for (size_t k = 0; k < depth; ++k) {
        float term = a(i, k) * b(k, j);
        sum = sum + term;
      }
      out[i * columns + j] = sum;
    }
  return out;
}

TEST(ForwardToKernel, ProductOfOddSizes) {
  // Several units; columns leave a remainder for every width.
  const size_t rows = 41, columns = 77, depth = 33;
  std::vector<Half> x = wild<Half>(rows * depth, 1), w = wild<Half>(depth * columns, 2);
  ForwardFunction function{maps,
                           R"(
    %c = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<41x77xf32>
    %z = linalg.fill ins(%c : f32) outs(%e : tensor<41x77xf32>) -> tensor<41x77xf32>
    %p = linalg.generic {indexing_maps = [#ik, #kj, #ij3],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%0, %1 : tensor<41x33xf16>, tensor<33x77xf16>) outs(%z : tensor<41x77xf32>) {
    ^bb0(%a: f16, %b: f16, %s: f32):
      %wa = arith.extf %a : f16 to f32
      %wb = arith.extf %b : f16 to f32
      %m = arith.mulf %wa, %wb : f32
      %n = arith.addf %s, %m : f32
      linalg.yield %n : f32
    } -> tensor<41x77xf32>
    return %p : tensor<41x77xf32>
  )",
                           {{"41x33xf16"}, {"33x77xf16"}},
                           {{"41x77xf32"}}};
  auto outputs = runForward(function, {bytesOf(x), bytesOf(w)});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(valuesOf<float>(outputs[0]),
            product(
                rows, columns, depth, 0.0f,
                [&](size_t i, size_t k) { return float(x[i * depth + k]); },
                [&](size_t k, size_t j) { return float(w[k * columns + j]); }));
}

TEST(ForwardToKernel, TurnedOperandAndColumnSums) {
  // What a weight's and a bias's gradient are: xT . d, onto -0.5, and the sum of d's rows.
  const size_t batch = 19, rows = 21, columns = 37;
  std::vector<float> x = wild<float>(batch * rows, 3), d = wild<float>(batch * columns, 4);
  ForwardFunction function{maps,
                           R"(
    %c = arith.constant -0.5 : f32
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<21x37xf32>
    %z = linalg.fill ins(%c : f32) outs(%e : tensor<21x37xf32>) -> tensor<21x37xf32>
    %p = linalg.generic {indexing_maps = [#ki, #kj, #ij3],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%0, %1 : tensor<19x21xf32>, tensor<19x37xf32>) outs(%z : tensor<21x37xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %m = arith.mulf %a, %b : f32
      %n = arith.addf %s, %m : f32
      linalg.yield %n : f32
    } -> tensor<21x37xf32>
    %e1 = tensor.empty() : tensor<37xf32>
    %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<37xf32>) -> tensor<37xf32>
    %q = linalg.generic {indexing_maps = [#ji, #i], iterator_types = ["parallel", "reduction"]}
        ins(%1 : tensor<19x37xf32>) outs(%z1 : tensor<37xf32>) {
    ^bb0(%a: f32, %s: f32):
      %n = arith.addf %s, %a : f32
      linalg.yield %n : f32
    } -> tensor<37xf32>
    return %p, %q : tensor<21x37xf32>, tensor<37xf32>
  )",
                           {{"19x21xf32"}, {"19x37xf32"}},
                           {{"21x37xf32"}, {"37xf32"}}};
  auto outputs = runForward(function, {bytesOf(x), bytesOf(d)});
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(valuesOf<float>(outputs[0]),
            product(
                rows, columns, batch, -0.5f, [&](size_t i, size_t k) { return x[k * rows + i]; },
                [&](size_t k, size_t j) { return d[k * columns + j]; }));
  std::vector<float> sums(columns, 0.0f);
  for (size_t k = 0; k < batch; ++k)
    for (size_t j = 0; j < columns; ++j)
      sums[j] = sums[j] + d[k * columns + j];
  EXPECT_EQ(valuesOf<float>(outputs[1]), sums);
}

TEST(ForwardToKernel, ChainsOfLoopsThroughTheArena) {
  // max(x + bias, 0) in f16, then each row's sum and, from its largest element, the first place.
  const size_t rows = 23, columns = 45;
  std::vector<float> x = wild<float>(rows * columns, 5);
  std::vector<Half> bias = wild<Half>(columns, 6);
  ForwardFunction function{maps,
                           R"(
    %c = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %none = arith.constant 1000000.0 : f32
    %eh = tensor.empty() : tensor<23x45xf16>
    %h = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%0, %1 : tensor<23x45xf32>, tensor<45xf16>) outs(%eh : tensor<23x45xf16>) {
    ^bb0(%a: f32, %b: f16, %o: f16):
      %wb = arith.extf %b : f16 to f32
      %s = arith.addf %a, %wb : f32
      %m = arith.maximumf %s, %c : f32
      %r = arith.truncf %m : f32 to f16
      linalg.yield %r : f16
    } -> tensor<23x45xf16>
    %er = tensor.empty() : tensor<23xf32>
    %z = linalg.fill ins(%c : f32) outs(%er : tensor<23xf32>) -> tensor<23xf32>
    %sum = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
        ins(%h : tensor<23x45xf16>) outs(%z : tensor<23xf32>) {
    ^bb0(%a: f16, %s: f32):
      %wa = arith.extf %a : f16 to f32
      %n = arith.addf %s, %wa : f32
      linalg.yield %n : f32
    } -> tensor<23xf32>
    %l = linalg.fill ins(%least : f32) outs(%er : tensor<23xf32>) -> tensor<23xf32>
    %max = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
        ins(%h : tensor<23x45xf16>) outs(%l : tensor<23xf32>) {
    ^bb0(%a: f16, %s: f32):
      %wa = arith.extf %a : f16 to f32
      %n = arith.maximumf %s, %wa : f32
      linalg.yield %n : f32
    } -> tensor<23xf32>
    %p = linalg.fill ins(%none : f32) outs(%er : tensor<23xf32>) -> tensor<23xf32>
    %place = linalg.generic {indexing_maps = [#ij, #i, #i],
        iterator_types = ["parallel", "reduction"]}
        ins(%h, %max : tensor<23x45xf16>, tensor<23xf32>) outs(%p : tensor<23xf32>) {
    ^bb0(%a: f16, %m: f32, %s: f32):
      %j = linalg.index 1 : index
      %n = arith.index_cast %j : index to i32
      %f = arith.sitofp %n : i32 to f32
      %wa = arith.extf %a : f16 to f32
      %hit = arith.cmpf oeq, %wa, %m : f32
      %here = arith.select %hit, %f, %none : f32
      %least1 = arith.minimumf %s, %here : f32
      linalg.yield %least1 : f32
    } -> tensor<23xf32>
    return %sum, %place : tensor<23xf32>, tensor<23xf32>
  )",
                           {{"23x45xf32"}, {"45xf16"}},
                           {{"23xf32"}, {"23xf32"}}};
  auto outputs = runForward(function, {bytesOf(x), bytesOf(bias)});
  ASSERT_EQ(outputs.size(), 2u);
  std::vector<float> sums(rows, 0.0f), places(rows, 1000000.0f);
  for (size_t i = 0; i < rows; ++i) {
    std::vector<float> h(columns);
    for (size_t j = 0; j < columns; ++j) {
      h[j] = float(Half(std::max(x[i * columns + j] + float(bias[j]), 0.0f)));
      sums[i] = sums[i] + h[j];
    }
    places[i] = float(std::max_element(h.begin(), h.end()) - h.begin());
  }
  EXPECT_EQ(valuesOf<float>(outputs[0]), sums);
  EXPECT_EQ(valuesOf<float>(outputs[1]), places);
}

TEST(ForwardToKernel, TwoReductionsTwoResultsAndAStart) {
  // Ascending in both reduced dimensions, the outer one first; the second result is turned, and the
  // first starts from an argument.
  const size_t a = 3, b = 5, c = 18, d = 4;
  std::vector<float> x = wild<float>(a * b * c * d, 7), start = wild<float>(a * c, 8);
  ForwardFunction function{R"(
#x = affine_map<(i, j, r, s) -> (i, r, j, s)>
#p = affine_map<(i, j, r, s) -> (i, j)>
#q = affine_map<(i, j, r, s) -> (j, i)>
)",
                           R"(
    %one = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<18x3xf32>
    %f = linalg.fill ins(%one : f32) outs(%e : tensor<18x3xf32>) -> tensor<18x3xf32>
    %p:2 = linalg.generic {indexing_maps = [#x, #p, #q],
        iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%0 : tensor<3x5x18x4xf32>) outs(%1, %f : tensor<3x18xf32>, tensor<18x3xf32>) {
    ^bb0(%v: f32, %s: f32, %t: f32):
      %n = arith.addf %s, %v : f32
      %h = arith.mulf %t, %v : f32
      %m = arith.addf %h, %one : f32
      linalg.yield %n, %m : f32, f32
    } -> (tensor<3x18xf32>, tensor<18x3xf32>)
    return %p#0, %p#1 : tensor<3x18xf32>, tensor<18x3xf32>
  )",
                           {{"3x5x18x4xf32"}, {"3x18xf32"}},
                           {{"3x18xf32"}, {"18x3xf32"}}};
  auto outputs = runForward(function, {bytesOf(x), bytesOf(start)});
  ASSERT_EQ(outputs.size(), 2u);
  std::vector<float> sums = start, chains(c * a);
  for (size_t i = 0; i < a; ++i)
    for (size_t j = 0; j < c; ++j) {
      float chain = 1.0f;
      for (size_t r = 0; r < b; ++r)
        for (size_t s = 0; s < d; ++s) {
          float value = x[((i * b + r) * c + j) * d + s];
          sums[i * c + j] = sums[i * c + j] + value;
          float scaled = chain * value;
          chain = scaled + 1.0f;
        }
      chains[j * a + i] = chain;
    }
  EXPECT_EQ(valuesOf<float>(outputs[0]), sums);
  EXPECT_EQ(bytesOf(chains), outputs[1]);
}

TEST(ForwardToKernel, LongLinesOfEveryType) {
  // One dimension, divided into units; f64 and both integers come in, a scalar's place is fixed.
  const size_t size = 40007;
  std::vector<double> x(size);
  std::vector<int32_t> n(size);
  std::vector<int64_t> m(size);
  std::vector<float> k{0.0f, 3.0f};
  for (size_t i = 0; i < size; ++i) {
    x[i] = std::ldexp(1.0 + i, -int(i % 40));
    n[i] = int32_t(i) * 3 - 60000;
    m[i] = int64_t(i) << 20;
  }
  ForwardFunction function{maps + "#second = affine_map<(i) -> (1)>\n",
                           R"(
    %e = tensor.empty() : tensor<40007xf32>
    %y = linalg.generic {indexing_maps = [#one, #one, #one, #second, #one],
        iterator_types = ["parallel"]}
        ins(%0, %1, %2, %3 : tensor<40007xf64>, tensor<40007xi32>, tensor<40007xi64>, tensor<2xf32>)
        outs(%e : tensor<40007xf32>) {
    ^bb0(%a: f64, %b: i32, %c: i64, %k: f32, %o: f32):
      %bf = arith.sitofp %b : i32 to f64
      %cf = arith.sitofp %c : i64 to f64
      %s = arith.addf %a, %bf : f64
      %t = arith.subf %s, %cf : f64
      %u = arith.truncf %t : f64 to f32
      %v = arith.divf %u, %k : f32
      linalg.yield %v : f32
    } -> tensor<40007xf32>
    return %y : tensor<40007xf32>
  )",
                           {{"40007xf64"}, {"40007xi32"}, {"40007xi64"}, {"2xf32"}},
                           {{"40007xf32"}}};
  auto outputs = runForward(function, {bytesOf(x), bytesOf(n), bytesOf(m), bytesOf(k)});
  ASSERT_EQ(outputs.size(), 1u);
  std::vector<float> expected(size);
  for (size_t i = 0; i < size; ++i)
    expected[i] = float((x[i] + double(n[i])) - double(m[i])) / 3.0f;
  EXPECT_EQ(valuesOf<float>(outputs[0]), expected);
}

TEST(ForwardToKernel, ReshapesShareTheirBuffer) {
  std::vector<float> x = wild<float>(40 * 12, 9);
  ForwardFunction function{maps,
                           R"(
    %w = tensor.expand_shape %0 [[0, 1]] output_shape [40, 12] : tensor<480xf32>
        into tensor<40x12xf32>
    %e = tensor.empty() : tensor<12x40xf32>
    %t = linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%w : tensor<40x12xf32>) outs(%e : tensor<12x40xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<12x40xf32>
    %f = tensor.collapse_shape %t [[0, 1]] : tensor<12x40xf32> into tensor<480xf32>
    return %f : tensor<480xf32>
  )",
                           {{"480xf32"}},
                           {{"480xf32"}}};
  auto outputs = runForward(function, {bytesOf(x)});
  ASSERT_EQ(outputs.size(), 1u);
  std::vector<float> expected;
  for (size_t j = 0; j < 12; ++j)
    for (size_t i = 0; i < 40; ++i)
      expected.push_back(x[i * 12 + j]);
  EXPECT_EQ(valuesOf<float>(outputs[0]), expected);
}

TEST(ForwardToKernel, SumsOfNothing) {
  ForwardFunction function{maps,
                           R"(
    %c = arith.constant 7.0 : f32
    %e = tensor.empty() : tensor<3xf32>
    %z = linalg.fill ins(%c : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
    %s = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
        ins(%0 : tensor<3x0xf32>) outs(%z : tensor<3xf32>) {
    ^bb0(%a: f32, %s: f32):
      %n = arith.addf %s, %a : f32
      linalg.yield %n : f32
    } -> tensor<3xf32>
    %f = tensor.empty() : tensor<0x3xf32>
    %t = linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%0 : tensor<3x0xf32>) outs(%f : tensor<0x3xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<0x3xf32>
    return %s, %t : tensor<3xf32>, tensor<0x3xf32>
  )",
                           {{"3x0xf32"}},
                           {{"3xf32"}, {"0x3xf32"}}};
  auto outputs = runForward(function, {Bytes()});
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(valuesOf<float>(outputs[0]), (std::vector<float>{7.0f, 7.0f, 7.0f}));
  EXPECT_TRUE(outputs[1].empty());
}

TEST(ForwardToKernel, NaNsAreStoredInOneForm) {
  // Quiet ones with payloads and signs, in every lane of vectors and rest alike.
  const size_t size = 83;
  std::vector<uint32_t> x(size);
  for (size_t i = 0; i < size; ++i)
    x[i] = i % 3 == 0 ? 0x3f800000u : (i % 3 == 1 ? 0xffc00000u : 0x7fc00001u) + uint32_t(i << 8);
  auto copy = [](const std::string &element) {
    return R"(
    %e)" + element +
           R"( = tensor.empty() : tensor<83x)" + element + R"(>
    %)" + element +
           R"( = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
        ins(%0 : tensor<83xf32>) outs(%e)" +
           element + R"( : tensor<83x)" + element + R"(>) {
    ^bb0(%a: f32, %o: )" +
           element + R"():
      )" + (element == "f32" ? "" : "%r = arith.truncf %a : f32 to " + element) +
           R"(
      linalg.yield %)" +
           (element == "f32" ? "a" : "r") + " : " + element + R"(
    } -> tensor<83x)" +
           element + ">\n";
  };
  ForwardFunction function{maps,
                           copy("f32") + copy("f16") + copy("bf16") +
                               "    return %f32, %f16, %bf16 : tensor<83xf32>, tensor<83xf16>, "
                               "tensor<83xbf16>\n",
                           {{"83xf32"}},
                           {{"83xf32"}, {"83xf16"}, {"83xbf16"}}};
  auto outputs = runForward(function, {bytesOf(x)});
  ASSERT_EQ(outputs.size(), 3u);
  std::vector<uint32_t> singles = valuesOf<uint32_t>(outputs[0]);
  std::vector<uint16_t> halves = valuesOf<uint16_t>(outputs[1]),
                        brains = valuesOf<uint16_t>(outputs[2]);
  for (size_t i = 0; i < size; ++i) {
    bool isNumber = i % 3 == 0;
    EXPECT_EQ(singles[i], isNumber ? x[i] : 0x7fc00000u) << i;
    EXPECT_EQ(isNumber, halves[i] != 0x7e00) << i;
    EXPECT_EQ(isNumber, brains[i] != 0x7fc0) << i;
  }
}
