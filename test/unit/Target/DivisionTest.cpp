// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Square roots divided by what all elements share: the same bits as a division, whatever it is
// compiled to.
#include "Contract.h"
#include "Harness.h"

#include <gtest/gtest.h>

#include <random>

using namespace sawtooth;
using namespace sawtooth::test;

namespace {

class Divisions : public ::testing::TestWithParam<std::string> {};

/// Four divisions, from which on roots are divided by multiplying.
const char *const quotients = R"(
  amp.model @model
  sweep.list argument @train.x : !amp.tensors<@model x f32> {label = "x", step = @train}
  sweep.list state @y : !amp.tensors<@model x f32> {label = "y", init = 0.0 : f32}
  sweep.list state @z : !amp.tensors<@model x f32> {label = "z", init = 0.0 : f32}
  sweep.step @train(%d: f32, %e: f32) attributes {cut, commits} {
    sweep.pass over @model reads [@train.x] writes [@y, @z] [-1, -1] [] {
    ^bb0(%x: f32):
      %root = math.sqrt %x : f32
      %0 = arith.divf %root, %d : f32
      %1 = arith.divf %root, %e : f32
      %2 = arith.divf %1, %d : f32
      sweep.leave write(%0, %2 : f32, f32)
    }
    sweep.scalar @final { %true = arith.constant true
      sweep.outcome %true [] }
  }
)";

} // namespace

TEST_P(Divisions, OfRootsByWhatAllElementsShareAreExact) {
  Compiled compiled = compile(quotients, GetParam());
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  std::string assembly = emit(quotients, GetParam(), OutputKind::Assembly);
  ASSERT_NE(assembly.find("vfnmadd"), std::string::npos) << "expected the way without a division";

  // Zeros of both signs, subnormal, infinite, NaN and negative numbers, and then any.
  std::mt19937 random(1);
  std::vector<uint32_t> inputs{0,          0x80000000, 1,          2,          0x007fffff,
                               0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
                               0x7f800001, 0xbf800000, 0x3f800000};
  while (inputs.size() < 100000)
    inputs.push_back(random() & 0x7fffffff);
  std::vector<uint32_t> divisors{bitsOf(1.0f),       bitsOf(3.0f),
                                 bitsOf(0x1p-20f),   bitsOf(0x1p20f),
                                 bitsOf(0x1p-21f),   bitsOf(0x1p21f),
                                 bitsOf(1e-30f),     bitsOf(1e30f),
                                 bitsOf(-2.0f),      0,
                                 0x80000000,         0x7f800000,
                                 0x7fc00000,         0x3fffffff,
                                 0x3f7fffff,         bitsOf(0.999999f),
                                 bitsOf(0.0316228f), 1};
  for (int i = 0; i < 20; ++i)
    divisors.push_back(0x3c000000 + random() % 0x04000000);

  for (size_t i = 0; i < divisors.size(); ++i) {
    float d = floatOf(divisors[i]), e = floatOf(divisors[(i * 7 + 3) % divisors.size()]);
    Machine machine(compiled.artifact, {static_cast<int64_t>(inputs.size())});
    std::memcpy(machine.tensor<uint32_t>("x", 0), inputs.data(), inputs.size() * 4);
    machine.setArgument("d", d);
    machine.setArgument("e", e);
    machine.run();
    int wrong = 0;
    for (size_t k = 0; k < inputs.size() && wrong < 3; ++k) {
      volatile float root = std::sqrt(floatOf(inputs[k]));
      volatile float y = root / d, other = root / e;
      volatile float z = other / d;
      wrong += machine.tensor<uint32_t>("y", 0)[k] != bitsOf(canonical(y));
      wrong += machine.tensor<uint32_t>("z", 0)[k] != bitsOf(canonical(z));
      EXPECT_EQ(wrong, 0) << "sqrt(" << floatOf(inputs[k]) << ") / " << d << ", / " << e << " / "
                          << d;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Divisions, ::testing::ValuesIn(chips()));
