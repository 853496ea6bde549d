// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The expansions of expand-math, executed: the same bits as scalar and as vector code, for the
// oldest chip and for this one, and within the documented error of exact values (math_table.txt).
#include "Jit.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

using namespace sawtooth::test;

namespace {
struct Row {
  uint64_t x, y, result;
  double rest; // exact value - result, in ulps of the exact value
};

/// The rows of one function, padded to whole vectors with copies of the first.
std::vector<Row> rows(const std::string &function) {
  const char *other = std::getenv("SAWTOOTH_MATH_TABLE"); // a larger one, made by the script
  std::ifstream file(other && *other ? other : MATH_TABLE);
  std::vector<Row> table;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, rest = "0";
    Row row{};
    words >> name >> std::hex >> row.x;
    if (name != function)
      continue;
    if (name.starts_with("pow"))
      words >> row.y;
    words >> row.result >> rest;
    row.rest = std::stod(rest);
    table.push_back(row);
  }
  while (table.size() % 8)
    table.push_back(table.front());
  return table;
}

using Function = void(const void *, void *, int64_t);

/// Runs @f of `body` over `input` as scalars and vectors of 4 and 8, for two chips, and holds all
/// to the same bits.
template <typename Out, typename In>
std::vector<Out> run(const std::string &body, const std::vector<In> &input, const char *from,
                     const char *to) {
  std::vector<Out> first;
  for (const char *chip : {"x86-64-v3", "native"}) {
    for (int width : {1, 4, 8}) {
      std::unique_ptr<Jit> jit = Jit::compile(elementwise("f", body, from, to, width), chip);
      if (!jit) {
        ADD_FAILURE() << "expected code for " << chip;
        return {};
      }
      std::vector<Out> output(input.size());
      jit->function<Function>("f")(input.data(), output.data(), int64_t(input.size()));
      if (first.empty())
        first = output;
      for (size_t i = 0; i < output.size(); ++i)
        EXPECT_EQ(std::bit_cast<Out>(first[i]), output[i])
            << "element " << i << ", " << chip << ", width " << width;
    }
  }
  return first;
}

bool isNaN(uint64_t bits) { return std::isnan(std::bit_cast<double>(bits)); }

/// How far `got` is from the exact value, in ulps of the latter.
double error(uint64_t got, const Row &row) {
  double result = std::bit_cast<double>(row.result), value = std::bit_cast<double>(got);
  if (got == row.result)
    return std::fabs(row.rest);
  if (std::isinf(result) || std::isinf(value))
    return INFINITY;
  // The ulp is that of the exact value, which may lie just below the power of two it rounds to.
  int exponent = std::max(std::ilogb(result) - 52, -1074);
  bool below = std::fabs(std::frexp(result, &exponent)) == 0.5 && row.rest * result < 0;
  exponent = std::max(exponent - 53 - (below ? 1 : 0), -1074);
  return std::fabs(std::ldexp(value - result, -exponent) - row.rest);
}

double check(const std::vector<Row> &table, const std::vector<uint64_t> &got, double normal,
             double subnormal) {
  double worst = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    const Row &row = table[i];
    double result = std::fabs(std::bit_cast<double>(row.result));
    double limit = result < 0x1p-1022 ? subnormal : normal;
    if (isNaN(row.result) || row.rest == 0.0) { // special or exact: the sign of zero, the one NaN
      if (isNaN(row.result) || result == 0.0 || std::isinf(result))
        EXPECT_EQ(got[i], row.result) << "at " << std::hex << row.x << ' ' << row.y;
      if (isNaN(row.result))
        continue;
    }
    double ulps = error(got[i], row);
    EXPECT_LE(ulps, limit) << "at " << std::hex << row.x << ' ' << row.y << ", got " << got[i]
                           << ", expected " << row.result;
    worst = std::max(worst, ulps);
  }
  return worst;
}

struct Case {
  const char *name;
  double normal, subnormal; // documented errors in ulp
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }
class ExpandMath : public testing::TestWithParam<Case> {};

TEST_P(ExpandMath, IsWithinItsDocumentedError) {
  Case c = GetParam();
  std::vector<Row> table = rows(c.name);
  ASSERT_GT(table.size(), 250u);
  std::vector<uint64_t> input;
  for (const Row &row : table)
    input.push_back(row.x);
  std::string body = "%y = math." + std::string(c.name) + " %x : FROM";
  std::vector<uint64_t> got = run<uint64_t>(body, input, "f64", "f64");
  ASSERT_EQ(got.size(), input.size());
  RecordProperty("ulps", std::to_string(check(table, got, c.normal, c.subnormal)));
}

TEST_P(ExpandMath, RoundsToF32Once) {
  std::vector<Row> table = rows(GetParam().name + std::string("32"));
  ASSERT_GT(table.size(), 80u);
  std::vector<uint32_t> input;
  for (const Row &row : table)
    input.push_back(uint32_t(row.x));
  std::string body = "%y = math." + std::string(GetParam().name) + " %x : FROM";
  std::vector<uint32_t> got = run<uint32_t>(body, input, "f32", "f32");
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], uint32_t(table[i].result)) << "at " << std::hex << table[i].x;
}

INSTANTIATE_TEST_SUITE_P(Functions, ExpandMath,
                         testing::Values(Case{"exp", 0.8, 0.9}, Case{"log", 0.51, 0.51},
                                         Case{"tanh", 0.8, 0.8}, Case{"erf", 1.5, 1.5},
                                         Case{"cos", 0.8, 0.8}),
                         [](const auto &info) { return info.param.name; });

/// Rows of (x, y) and a body that has both.
template <typename Y>
std::vector<uint64_t> runPairs(const std::string &op, const std::vector<Row> &table,
                               const std::string &type, const char *chip) {
  std::string text =
      "func.func @f(%in: !llvm.ptr, %out: !llvm.ptr, %n: i64) {\n"
      "  %zero = arith.constant 0 : i64\n  %one = arith.constant 1 : i64\n"
      "  scf.for %i = %zero to %n step %one : i64 {\n"
      "    %p = llvm.getelementptr %in[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x i64>\n"
      "    %s = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, i64\n"
      "    %q = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64\n"
      "    %x = llvm.load %p : !llvm.ptr -> f64\n    %e = llvm.load %s : !llvm.ptr -> " +
      type + "\n    %y = " + op +
      " %x, %e : f64\n    llvm.store %y, %q : f64, !llvm.ptr\n  }\n  return\n}\n";
  std::unique_ptr<Jit> jit = Jit::compile(text, chip);
  if (!jit) {
    ADD_FAILURE() << "expected code for " << chip;
    return {};
  }
  std::vector<uint64_t> input, output(table.size());
  for (const Row &row : table) {
    input.push_back(row.x);
    input.push_back(row.y);
  }
  jit->function<Function>("f")(input.data(), output.data(), int64_t(table.size()));
  return output;
}

TEST(ExpandPow, IsWithinItsDocumentedErrorAndHasTheSpecialCases) {
  std::vector<Row> table = rows("pow");
  ASSERT_GT(table.size(), 600u);
  std::vector<uint64_t> got = runPairs<double>("math.powf", table, "f64", "x86-64-v3");
  ASSERT_EQ(got.size(), table.size());
  EXPECT_EQ(got, runPairs<double>("math.powf", table, "f64", "native"));
  RecordProperty("ulps", std::to_string(check(table, got, 0.8, 0.9)));
}

TEST(ExpandPow, IsTheSameInVectors) {
  // x^(x/4 - 3) by lanes: the scalar of it has been held to the table above.
  std::vector<double> input;
  for (int i = 0; i < 64; ++i)
    input.push_back(i * 0.37 + 0.01);
  run<uint64_t>("%s = arith.mulf %x, %x : FROM\n%y = math.powf %x, %s : FROM", input, "f64", "f64");
}

TEST(ExpandPowi, MultipliesFromTheLeastSignificantBitUp) {
  std::vector<Row> table = rows("powi");
  ASSERT_GT(table.size(), 250u);
  for (const char *chip : {"x86-64-v3", "native"}) {
    std::vector<uint64_t> got = runPairs<int64_t>("amp.powi", table, "i64", chip);
    ASSERT_EQ(got.size(), table.size());
    for (size_t i = 0; i < table.size(); ++i)
      EXPECT_EQ(got[i], table[i].result) << std::hex << table[i].x << " to the power " << std::dec
                                         << int64_t(table[i].y) << ", " << chip;
  }
}
} // namespace
