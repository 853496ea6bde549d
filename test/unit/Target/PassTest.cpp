// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes: order of reductions, tails, alignment, flags, NaNs, in every width.
#include "Contract.h"
#include "Harness.h"

#include "gtest/gtest.h"

#include <random>

using namespace sawtooth;
using namespace sawtooth::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Reads one list and reduces it in every way there is.
std::string reductions(const std::string &type) {
  std::string widen = type == "f32" ? "" : "%x = arith.extf %e : " + type + " to f32\n";
  std::string value = type == "f32" ? "%e" : "%x";
  return R"(
    amp.model @model
    sweep.list argument @g : !amp.tensors<@model x )" +
         type + R"(> {label = "g", step = @look}
    sweep.step @look() attributes {cut} {
      %bad, %sum, %low, %high = sweep.pass over @model reads [@g] writes [] [] [
          #sweep.reduction<or over step>, #sweep.reduction<add over step>,
          #sweep.reduction<min over step>, #sweep.reduction<max over step>] {
      ^bb0(%e: )" +
         type + "):\n" + widen + R"(
        %bits = arith.bitcast )" +
         value + R"( : f32 to i32
        %mask = arith.constant 0x7f800000 : i32
        %exponent = arith.andi %bits, %mask : i32
        %b = arith.cmpi eq, %exponent, %mask : i32
        %sq = arith.mulf )" +
         value + ", " + value + R"( : f32
        sweep.leave reduce(%b, %sq, )" +
         value + ", " + value + R"( : i1, f32, f32, f32)
      } : i1, f64, f64, f64
      sweep.scalar @final {
        %true = arith.constant true
        %ok = arith.xori %bad, %true : i1
        sweep.log "sum", %sum last : f64
        sweep.log "low", %low last : f64
        sweep.log "high", %high last : f64
        sweep.outcome %ok []
      }
    }
  )";
}

struct Storage {
  const char *type;
  float (*widen)(uint32_t bits);
};
const Storage storages[] = {
    {"f16", [](uint32_t bits) { return fromHalf(bits); }},
    {"bf16", [](uint32_t bits) { return fromBFloat(bits); }},
    {"f32", [](uint32_t bits) { return floatOf(bits); }},
};

/// Finite bits of a storage type, subnormal ones and zeros of both signs among them.
uint32_t randomBits(const std::string &type, std::mt19937 &random) {
  uint32_t bits = random();
  if (type == "f32") // keep squares finite: exponents from subnormal to 2^30
    return (bits & 0x807fffff) | (random() % 157) << 23;
  if (type == "bf16")
    return (bits & 0x807f) | (random() % 157) << 7;
  return (bits & 0x83ff) | (random() % 31) << 10;
}

class Reductions : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(Reductions, HaveTheContractsOrderForAnySizeAndAlignment) {
  const auto &[chip, which] = GetParam();
  const Storage &storage = storages[which];
  Compiled compiled = compile(reductions(storage.type), chip);
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  std::vector<int64_t> sizes{0,   1,   3,   7,   8,     9,     15,    16,    17,    31,   63, 64,
                             65,  127, 128, 129, 255,   256,   257,   1000,  1023,  0,    5,  4096,
                             100, 511, 33,  2,   16383, 16384, 16385, 32768, 40001, 70000};
  for (size_t offset = 0; offset < 17; ++offset) {
    Machine machine(compiled.artifact, sizes, offset);
    std::mt19937 random(offset);
    std::vector<double> sums, lows, highs;
    for (size_t t = 0; t < sizes.size(); ++t) {
      std::vector<float> values, squares;
      for (int64_t i = 0; i < sizes[t]; ++i) {
        uint32_t bits = randomBits(storage.type, random);
        if (std::string(storage.type) == "f32")
          machine.tensor<uint32_t>("g", t)[i] = bits;
        else
          machine.tensor<uint16_t>("g", t)[i] = bits;
        values.push_back(storage.widen(bits));
        squares.push_back(values.back() * values.back());
      }
      sums.push_back(foldTensor(squares, add, 0.0));
      lows.push_back(foldTensor(values, minimum, infinity));
      highs.push_back(foldTensor(values, maximum, -infinity));
    }
    machine.run();
    EXPECT_TRUE(machine.applied());
    EXPECT_EQ(bitsOf(machine.log<double>("sum")), bitsOf(fold(sums, add, 0.0))) << offset;
    EXPECT_EQ(bitsOf(machine.log<double>("low")), bitsOf(fold(lows, minimum, infinity)));
    EXPECT_EQ(bitsOf(machine.log<double>("high")), bitsOf(fold(highs, maximum, -infinity)));
    EXPECT_TRUE(machine.guardsIntact());
  }
}

TEST_P(Reductions, SeeANonFiniteElementWhereverItStands) {
  const auto &[chip, which] = GetParam();
  const Storage &storage = storages[which];
  Compiled compiled = compile(reductions(storage.type), chip);
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  std::string type = storage.type;
  uint32_t inf = type == "f16" ? 0x7c00 : type == "bf16" ? 0x7f80 : 0x7f800000;
  uint32_t sign = type == "f32" ? 0x80000000 : 0x8000;
  std::vector<int64_t> sizes{1, 0, 77, 16385};
  for (size_t tensor : {0, 2, 3})
    for (int64_t place : {int64_t(0), sizes[tensor] / 2, sizes[tensor] - 1})
      for (uint32_t bits : {inf, inf | sign, inf | 1, inf | sign | (inf >> 1)}) {
        Machine machine(compiled.artifact, sizes, 3);
        if (type == "f32")
          machine.tensor<uint32_t>("g", tensor)[place] = bits;
        else
          machine.tensor<uint16_t>("g", tensor)[place] = bits;
        machine.run();
        EXPECT_FALSE(machine.applied()) << tensor << " " << place << " " << bits;
        bool isNan = std::isnan(storage.widen(bits));
        EXPECT_EQ(std::isnan(machine.log<double>("high")), isNan);
        if (isNan) // canonical in what a step hands out, too
          EXPECT_EQ(bitsOf(machine.log<double>("sum")), 0x7ff8000000000000u);
        else
          EXPECT_EQ(machine.log<double>("sum"), infinity);
      }
}

TEST_P(Reductions, OfNothingAreTheirIdentities) {
  const auto &[chip, which] = GetParam();
  Compiled compiled = compile(reductions(storages[which].type), chip);
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  for (std::vector<int64_t> sizes : {std::vector<int64_t>{}, std::vector<int64_t>{0, 0}}) {
    Machine machine(compiled.artifact, sizes);
    machine.run();
    EXPECT_TRUE(machine.applied());
    EXPECT_EQ(bitsOf(machine.log<double>("sum")), 0u);
    EXPECT_EQ(machine.log<double>("low"), infinity);
    EXPECT_EQ(machine.log<double>("high"), -infinity);
  }
}

TEST_P(Reductions, OverTenThousandTensorsOfOddSizes) {
  const auto &[chip, which] = GetParam();
  const Storage &storage = storages[which];
  Compiled compiled = compile(reductions(storage.type), chip);
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  std::vector<int64_t> sizes;
  for (int64_t t = 0; t < 10000; ++t)
    sizes.push_back(2 * (t * 7919 % 64) + 1);
  Machine machine(compiled.artifact, sizes, 1);
  std::mt19937 random(1);
  std::vector<double> sums;
  for (size_t t = 0; t < sizes.size(); ++t) {
    std::vector<float> squares;
    for (int64_t i = 0; i < sizes[t]; ++i) {
      uint32_t bits = randomBits(storage.type, random);
      if (std::string(storage.type) == "f32")
        machine.tensor<uint32_t>("g", t)[i] = bits;
      else
        machine.tensor<uint16_t>("g", t)[i] = bits;
      squares.push_back(storage.widen(bits) * storage.widen(bits));
    }
    sums.push_back(foldTensor(squares, add, 0.0));
  }
  machine.run();
  EXPECT_EQ(bitsOf(machine.log<double>("sum")), bitsOf(fold(sums, add, 0.0)));
}

INSTANTIATE_TEST_SUITE_P(Cpu, Reductions,
                         ::testing::Combine(::testing::ValuesIn(chips()), ::testing::Range(0, 3)));

class Passes : public ::testing::TestWithParam<std::string> {};

const char *const momentum = R"(
  amp.model @model
  sweep.list state @w : !amp.tensors<@model x f32> {label = "w", init = #amp.required}
  sweep.list state @h : !amp.tensors<@model x f16> {label = "h", copy_of = @w}
  sweep.list state @b : !amp.tensors<@model x bf16> {label = "b", copy_of = @w}
  sweep.list state @m : !amp.tensors<@model x f32> {label = "m", init = 0.0 : f32}
  sweep.list argument @train.g : !amp.tensors<@model x bf16> {label = "g", step = @train}
  sweep.step @train(%lr: f32 {amp.default = 0.1}, %run: i1, %keep: i1) attributes {cut, commits} {
    %go, %all = sweep.scalar @entry { sweep.yield %run, %keep : i1, i1 } : i1, i1
    sweep.pass over @model reads [@train.g, @w, @m] writes [@m, @w, @h, @b] when %go
        flags(%all) [0, -1, -1, -1] [] {
    ^bb0(%g: bf16, %w: f32, %m: f32):
      %x = arith.extf %g : bf16 to f32
      %mu = arith.constant 0.9 : f32
      %0 = arith.mulf %m, %mu : f32
      %1 = arith.addf %0, %x : f32
      %2 = arith.mulf %1, %lr : f32
      %3 = arith.subf %w, %2 : f32
      %half = arith.truncf %3 : f32 to f16
      %brain = arith.truncf %3 : f32 to bf16
      sweep.leave write(%1, %3, %half, %brain : f32, f32, f16, bf16)
    }
    sweep.scalar @final { sweep.outcome %go [] }
  }
)";

struct Momentum {
  Machine machine;
  std::vector<int64_t> sizes;

  Momentum(const Compiled &compiled, std::vector<int64_t> sizes, size_t offset)
      : machine(compiled.artifact, sizes, offset), sizes(sizes) {
    std::mt19937 random(offset);
    for (size_t t = 0; t < sizes.size(); ++t)
      for (int64_t i = 0; i < sizes[t]; ++i) {
        // Every kind of number in every stream: subnormal, infinite, NaN with any payload.
        machine.tensor<uint32_t>("w", t)[i] = random();
        machine.tensor<uint32_t>("m", t)[i] = random();
        machine.tensor<uint16_t>("g", t)[i] = random();
        if (i % 5 == 0)
          machine.tensor<uint32_t>("w", t)[i] = random() & 0x3fffffff;
        if (i % 7 == 0)
          machine.tensor<uint32_t>("m", t)[i] |= 0x7f800000;
        machine.tensor<uint16_t>("h", t)[i] = 0x1234;
        machine.tensor<uint16_t>("b", t)[i] = 0x4321;
      }
  }
};

/// Runs a step on tensors of these sizes that start `offset` elements into a cache line.
void expectMomentum(const Compiled &compiled, const std::vector<int64_t> &sizes, size_t offset) {
  Momentum before(compiled, sizes, offset), after(compiled, sizes, offset);
  after.machine.setArgument("run", true);
  after.machine.setArgument("keep", true);
  after.machine.run();
  EXPECT_TRUE(after.machine.guardsIntact());
  int wrong = 0;
  for (size_t t = 0; t < sizes.size(); ++t)
    for (int64_t i = 0; i < sizes[t] && wrong < 5; ++i) {
      volatile float scaled = before.machine.tensor<float>("m", t)[i] * 0.9f;
      volatile float m = scaled + fromBFloat(before.machine.tensor<uint16_t>("g", t)[i]);
      volatile float step = m * 0.1f;
      volatile float w = before.machine.tensor<float>("w", t)[i] - step;
      wrong += after.machine.tensor<uint32_t>("m", t)[i] != bitsOf(canonical(m));
      wrong += after.machine.tensor<uint32_t>("w", t)[i] != bitsOf(canonical(w));
      wrong += after.machine.tensor<uint16_t>("h", t)[i] != toHalf(w);
      wrong += after.machine.tensor<uint16_t>("b", t)[i] != toBFloat(w);
      EXPECT_EQ(wrong, 0) << "tensor " << t << ", element " << i << ", offset " << offset;
    }
}

TEST_P(Passes, UpdateEveryElementInPlaceForAnySizeAndAlignment) {
  Compiled compiled = compile(momentum, GetParam());
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  for (size_t offset = 0; offset < 17; ++offset)
    expectMomentum(compiled, {1, 0, 7, 8, 9, 16, 31, 32, 33, 100, 0, 255, 16384, 16399, 5}, offset);
}

// From 256 chunks on, copies are written past the caches, where buffers are aligned for that.
TEST_P(Passes, UpdateModelsOfManyChunks) {
  Compiled compiled = compile(momentum, GetParam());
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  std::vector<int64_t> sizes{16384 * 2 + 77};
  for (int64_t size = 1; sizes.size() < 300; size = size * 5 % 397)
    sizes.push_back(size);
  for (size_t offset : {0, 16, 32, 1})
    expectMomentum(compiled, sizes, offset);
}

// Compiled once, used first where every buffer is aligned.
TEST_P(Passes, B39PointersThatAreOnlyElementAligned) {
  Compiled compiled = compile(momentum, GetParam());
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  for (size_t offset : {0, 1, 2, 3}) // 0, 4, 8, 12 bytes for f32; 0, 2, 4, 6 for 16 bits
    expectMomentum(compiled, {1, 3, 4, 5, 127, 1023}, offset);
}

// Tensors are rows of tables: their number changes neither code nor arguments.
TEST_P(Passes, B42AnyNumberOfTensors) {
  Compiled compiled = compile(momentum, GetParam());
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  for (size_t tensors : {1, 36, 37, 200, 5000}) {
    std::vector<int64_t> sizes;
    for (size_t t = 0; t < tensors; ++t)
      sizes.push_back(static_cast<int64_t>(t * 7 % 41 + 1));
    expectMomentum(compiled, sizes, 0);
  }
}

TEST_P(Passes, WriteNothingWhenGatedAndOnlyWhatFlagsAllow) {
  Compiled compiled = compile(momentum, GetParam());
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  std::vector<int64_t> sizes{3, 64, 100};
  for (bool run : {false, true}) {
    Momentum before(compiled, sizes, 1), after(compiled, sizes, 1);
    after.machine.setArgument("run", run);
    after.machine.setArgument("keep", false);
    after.machine.run();
    EXPECT_EQ(after.machine.applied(), run);
    for (size_t t = 0; t < sizes.size(); ++t) {
      auto same = [&](const char *list, size_t bytes) {
        return std::memcmp(before.machine.tensor<char>(list, t),
                           after.machine.tensor<char>(list, t), sizes[t] * bytes) == 0;
      };
      EXPECT_TRUE(same("m", 4));
      EXPECT_TRUE(same("g", 2));
      EXPECT_EQ(same("w", 4), !run);
      EXPECT_EQ(same("h", 2), !run);
    }
  }
}

TEST_P(Passes, B64NarrowEveryF32AsTheReferenceDoes) {
  Compiled compiled = compile(R"(
    amp.model @model
    sweep.list argument @cast.x : !amp.tensors<@model x f32> {label = "x", step = @cast}
    sweep.list state @h : !amp.tensors<@model x f16> {label = "h", init = 0.0 : f32}
    sweep.list state @b : !amp.tensors<@model x bf16> {label = "b", init = 0.0 : f32}
    sweep.step @cast() attributes {cut, commits} {
      sweep.pass over @model reads [@cast.x] writes [@h, @b] [-1, -1] [] {
      ^bb0(%x: f32):
        %h = arith.truncf %x : f32 to f16
        %b = arith.truncf %x : f32 to bf16
        sweep.leave write(%h, %b : f16, bf16)
      }
      sweep.scalar @final { %true = arith.constant true
        sweep.outcome %true [] }
    }
  )",
                              GetParam());
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  std::vector<uint32_t> inputs{bitsOf(0.49990f), bitsOf(65519.0f), bitsOf(65520.0f),
                               0x00080000u,      0x7f800001u,      0xff800001u,
                               0x7fffffffu,      bitsOf(1.0f),     bitsOf(2.0f)};
  for (uint32_t high = 0; high < 0x10000; ++high)
    for (uint32_t low : {0u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu, 0x1000u, 0x0fffu, 0x3000u})
      inputs.push_back(high << 16 | low);
  Machine machine(compiled.artifact, {static_cast<int64_t>(inputs.size())});
  std::memcpy(machine.tensor<uint32_t>("x", 0), inputs.data(), inputs.size() * 4);
  machine.run();
  EXPECT_EQ(machine.tensor<uint16_t>("h", 0)[0], 0x3800);
  EXPECT_EQ(machine.tensor<uint16_t>("b", 0)[0], 0x3f00);
  EXPECT_EQ(machine.tensor<uint16_t>("h", 0)[1], 0x7bff);
  EXPECT_EQ(machine.tensor<uint16_t>("h", 0)[2], 0x7c00);
  EXPECT_EQ(machine.tensor<uint16_t>("b", 0)[3], 0x0008);
  int wrong = 0;
  for (size_t i = 0; i < inputs.size() && wrong < 5; ++i) {
    wrong += machine.tensor<uint16_t>("h", 0)[i] != toHalf(floatOf(inputs[i]));
    wrong += machine.tensor<uint16_t>("b", 0)[i] != toBFloat(floatOf(inputs[i]));
    EXPECT_EQ(wrong, 0) << std::hex << inputs[i] << " gave " << machine.tensor<uint16_t>("h", 0)[i]
                        << " " << machine.tensor<uint16_t>("b", 0)[i];
  }
}

TEST_P(Passes, CanonicalizeNaNsThatAreOnlyPassedOn) {
  Compiled compiled = compile(R"(
    amp.model @model
    sweep.list argument @copy.x : !amp.tensors<@model x f16> {label = "x", step = @copy}
    sweep.list argument @copy.y : !amp.tensors<@model x bf16> {label = "y", step = @copy}
    sweep.list state @h : !amp.tensors<@model x f16> {label = "h", init = 0.0 : f32}
    sweep.list state @b : !amp.tensors<@model x bf16> {label = "b", init = 0.0 : f32}
    sweep.step @copy() attributes {cut, commits} {
      sweep.pass over @model reads [@copy.x, @copy.y] writes [@h, @b] [-1, -1] [] {
      ^bb0(%x: f16, %y: bf16):
        sweep.leave write(%x, %y : f16, bf16)
      }
      sweep.scalar @final { %true = arith.constant true
        sweep.outcome %true [] }
    }
  )",
                              GetParam());
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  Machine machine(compiled.artifact, {65536}, 5);
  for (uint32_t i = 0; i < 65536; ++i)
    machine.tensor<uint16_t>("x", 0)[i] = machine.tensor<uint16_t>("y", 0)[i] = i;
  machine.run();
  for (uint32_t i = 0; i < 65536; ++i) {
    ASSERT_EQ(machine.tensor<uint16_t>("h", 0)[i], (i & 0x7fff) > 0x7c00 ? 0x7e00 : i);
    ASSERT_EQ(machine.tensor<uint16_t>("b", 0)[i], (i & 0x7fff) > 0x7f80 ? 0x7fc0 : i);
  }
}

TEST_P(Passes, B14FastMathInTheInputDeletesNoTest) {
  Compiled compiled = compile(R"(
    amp.model @model
    sweep.list argument @look.g : !amp.tensors<@model x f16> {label = "g", step = @look}
    sweep.step @look(%s: f32 {amp.default = 1.0}) attributes {cut} {
      %bad = sweep.pass over @model reads [@look.g] writes [] [] [#sweep.reduction<or over step>] {
      ^bb0(%g: f16):
        %x = arith.extf %g fastmath<fast> : f16 to f32
        %u = arith.mulf %x, %s fastmath<fast> : f32
        %b = arith.cmpf uno, %u, %u fastmath<fast> : f32
        %zero = arith.subf %u, %u fastmath<fast> : f32
        %c = arith.cmpf une, %zero, %zero fastmath<fast> : f32
        %any = arith.ori %b, %c : i1
        sweep.leave reduce(%any : i1)
      } : i1
      sweep.scalar @final {
        %true = arith.constant true
        %ok = arith.xori %bad, %true : i1
        sweep.outcome %ok []
      }
    }
  )",
                              GetParam());
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  for (uint16_t bits : {0x3c00, 0x7c00, 0xfc00, 0x7e00, 0x7c01}) {
    Machine machine(compiled.artifact, {50});
    machine.tensor<uint16_t>("g", 0)[49] = bits;
    machine.run();
    EXPECT_EQ(machine.applied(), bits == 0x3c00) << bits;
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Passes, ::testing::ValuesIn(chips()));

} // namespace
