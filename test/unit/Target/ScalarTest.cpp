// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scalar programs: folds of partials, values per tensor, fields of the step and of tensors.
#include "Contract.h"
#include "Harness.h"

#include "gtest/gtest.h"

#include <random>

using namespace sawtooth;
using namespace sawtooth::test;

namespace {

class Scalars : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Cpu, Scalars, ::testing::ValuesIn(chips()));

const char *const trust = R"(
  amp.model @model
  sweep.list state @w : !amp.tensors<@model x f32> {label = "w", init = #amp.required}
  sweep.field state @count : i64 {model = @model, init = 0 : i64}
  sweep.field state @last : f64 {init = 2.5 : f64}
  sweep.field state @narrow : f32 {init = 1.0 : f32}
  sweep.step @train(%limit: f64 {amp.default = 10.0}) attributes {cut, commits} {
    %sq, %low, %any = sweep.pass over @model reads [@w] writes [] [] [
        #sweep.reduction<add over tensor>, #sweep.reduction<min over tensor>,
        #sweep.reduction<or over tensor>] {
    ^bb0(%w: f32):
      %s = arith.mulf %w, %w : f32
      %zero = arith.constant 0.0 : f32
      %neg = arith.cmpf olt, %w, %zero : f32
      sweep.leave reduce(%s, %w, %neg : f32, f32, i1)
    } : !sweep.per_tensor<@model x f64>, !sweep.per_tensor<@model x f64>,
        !sweep.per_tensor<@model x i1>
    %ratio, %total, %smallest, %negative = sweep.scalar @mid {
      %r, %n = sweep.each over @model(%sq) : (!sweep.per_tensor<@model x f64>)
          -> (!sweep.per_tensor<@model x f32>, !sweep.per_tensor<@model x f64>) {
      ^bb0(%s: f64):
        %root = math.sqrt %s : f64
        %count = sweep.get @count : i64
        %numel = sweep.numel of @model
        %sum = arith.addi %count, %numel : i64
        %f = arith.sitofp %sum : i64 to f64
        %q = arith.divf %root, %f : f64
        %narrow = arith.truncf %q : f64 to f32
        sweep.yield %narrow, %root : f32, f64
      }
      %t = sweep.fold add %n : !sweep.per_tensor<@model x f64> -> f64
      %m = sweep.fold min %low : !sweep.per_tensor<@model x f64> -> f64
      %o = sweep.fold or %any : !sweep.per_tensor<@model x i1> -> i1
      sweep.yield %r, %t, %m, %o : !sweep.per_tensor<@model x f32>, f64, f64, i1
    } : !sweep.per_tensor<@model x f32>, f64, f64, i1
    sweep.pass over @model reads [@w] writes [@w]
        tensors(%ratio : !sweep.per_tensor<@model x f32>) [-1] [] {
    ^bb0(%w: f32, %r: f32):
      %n = sweep.numel of @model
      %f = arith.sitofp %n : i64 to f32
      %0 = arith.mulf %w, %r : f32
      %1 = arith.addf %0, %f : f32
      sweep.leave write(%1 : f32)
    }
    sweep.scalar @final {
      %ok = arith.cmpf olt, %total, %limit : f64
      // Written first in the text: reads see the value at entry nonetheless.
      sweep.set %total to @last when %ok : f64
      %before = sweep.get @last : f64
      %n = sweep.get @narrow : f32
      %inf = arith.constant 0x7f800000 : f32
      %nan = arith.subf %inf, %inf : f32
      %x = arith.select %ok, %n, %nan : f32
      sweep.set %x to @narrow : f32
      sweep.each over @model() : () -> () {
        %c = sweep.get @count : i64
        %one = arith.constant 1 : i64
        %d = arith.addi %c, %one : i64
        sweep.set %d to @count when %ok : i64
      }
      sweep.log "before", %before last : f64
      sweep.log "smallest", %smallest last : f64
      sweep.log "negative", %negative last : i1
      %bits = arith.extui %negative : i1 to i64
      sweep.outcome %ok causes %bits ["negative"]
    }
  }
)";

TEST_P(Scalars, FoldPerTensorAndSetFieldsUnderFlags) {
  Compiled compiled = compile(trust, GetParam());
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  std::vector<int64_t> sizes{5, 20000, 1, 300, 33};
  for (double limit : {1e30, 0.0}) {
    Machine machine(compiled.artifact, sizes, 2);
    std::mt19937 random(7);
    std::vector<std::vector<float>> before;
    std::vector<double> roots, lows;
    bool negative = false;
    for (size_t t = 0; t < sizes.size(); ++t) {
      std::vector<float> values, squares;
      for (int64_t i = 0; i < sizes[t]; ++i) {
        float value = std::ldexp(static_cast<float>(random() % 65536) - 100.0f, -12);
        machine.tensor<float>("w", t)[i] = value;
        values.push_back(value);
        squares.push_back(value * value);
        negative |= value < 0;
      }
      machine.field<int64_t>("count", t) = 3 * t;
      roots.push_back(std::sqrt(foldTensor(squares, add, 0.0)));
      lows.push_back(foldTensor(values, minimum, INFINITY));
      before.push_back(values);
    }
    machine.setArgument("limit", limit);
    machine.run();
    double total = fold(roots, add, 0.0);
    bool ok = total < limit;
    EXPECT_EQ(machine.applied(), ok);
    EXPECT_EQ(machine.causes(), uint64_t(negative));
    EXPECT_EQ(machine.log<double>("before"), 2.5);
    EXPECT_EQ(bitsOf(machine.field<double>("last")), bitsOf(ok ? total : 2.5));
    EXPECT_EQ(bitsOf(machine.log<double>("smallest")), bitsOf(fold(lows, minimum, INFINITY)));
    EXPECT_EQ(machine.log<uint8_t>("negative"), negative);
    EXPECT_EQ(bitsOf(machine.field<float>("narrow")), ok ? bitsOf(1.0f) : 0x7fc00000u);
    for (size_t t = 0; t < sizes.size(); ++t) {
      EXPECT_EQ(machine.field<int64_t>("count", t), int64_t(3 * t + ok));
      auto ratio = static_cast<float>(roots[t] / static_cast<double>(int64_t(3 * t) + sizes[t]));
      for (int64_t i = 0; i < sizes[t]; ++i) {
        volatile float product = before[t][i] * ratio;
        volatile float expected = product + static_cast<float>(sizes[t]);
        ASSERT_EQ(bitsOf(machine.tensor<float>("w", t)[i]), bitsOf(expected)) << t << " " << i;
      }
    }
  }
}

TEST_P(Scalars, FoldMoreChunksThanLanes) {
  Compiled compiled = compile(R"(
    amp.model @model
    sweep.list argument @look.g : !amp.tensors<@model x f32> {label = "g", step = @look}
    sweep.step @look() attributes {cut} {
      %sum = sweep.pass over @model reads [@look.g] writes [] [] [#sweep.reduction<add over step>] {
      ^bb0(%g: f32):
        sweep.leave reduce(%g : f32)
      } : f64
      sweep.scalar @final {
        %true = arith.constant true
        sweep.log "sum", %sum last : f64
        sweep.outcome %true []
      }
    }
  )",
                              GetParam());
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  // 300 chunks of one tensor, between others.
  std::vector<int64_t> sizes{17, 299 * 16384 + 5, 40000};
  Machine machine(compiled.artifact, sizes, 1);
  std::mt19937 random(3);
  std::vector<double> sums;
  for (size_t t = 0; t < sizes.size(); ++t) {
    std::vector<float> values;
    for (int64_t i = 0; i < sizes[t]; ++i) {
      values.push_back(std::ldexp(static_cast<float>(random()), -20) - 2048.0f);
      machine.tensor<float>("g", t)[i] = values.back();
    }
    sums.push_back(foldTensor(values, add, 0.0));
  }
  machine.run();
  EXPECT_EQ(bitsOf(machine.log<double>("sum")), bitsOf(fold(sums, add, 0.0)));
}

TEST_P(Scalars, OfAGatedPassSeeZerosWhenItDidNotRun) {
  Compiled compiled = compile(R"(
    amp.model @model
    sweep.list state @w : !amp.tensors<@model x f32> {label = "w", init = #amp.required}
    sweep.step @look(%run: i1) attributes {cut} {
      %go = sweep.scalar @entry { sweep.yield %run : i1 } : i1
      %sum = sweep.pass over @model reads [@w] writes [] when %go []
          [#sweep.reduction<add over step>] {
      ^bb0(%w: f32):
        sweep.leave reduce(%w : f32)
      } : f64
      sweep.scalar @final {
        sweep.log "sum", %sum last : f64
        sweep.outcome %go []
      }
    }
  )",
                              GetParam());
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  for (bool run : {false, true}) {
    Machine machine(compiled.artifact, {4});
    for (int i = 0; i < 4; ++i)
      machine.tensor<float>("w", 0)[i] = 1.5f;
    machine.setArgument("run", run);
    machine.run();
    EXPECT_EQ(machine.log<double>("sum"), run ? 6.0 : 0.0);
  }
}

TEST_P(Scalars, ReadTheShapesOfTensors) {
  Compiled compiled = compile(R"(
    amp.model @model
    sweep.list state @w : !amp.tensors<@model x f32> {label = "w", init = #amp.required}
    
    
    sweep.step @sizes() attributes {cut, commits} {
      %t = sweep.scalar @shape {
        %e = sweep.each over @model() : () -> (!sweep.per_tensor<@model x i64>) {
          %n = sweep.numel of @model
          %r = sweep.rank of @model
          %d = sweep.dim 1 of @model
          %0 = arith.muli %n, %r : i64
          %1 = arith.addi %0, %d : i64
          sweep.yield %1 : i64
        }
        sweep.yield %e : !sweep.per_tensor<@model x i64>
      } : !sweep.per_tensor<@model x i64>
      sweep.pass over @model reads [@w] writes [@w]
          tensors(%t : !sweep.per_tensor<@model x i64>) [-1] [] {
      ^bb0(%w: f32, %s: i64):
        %r = sweep.rank of @model
        %d = sweep.dim 0 of @model
        %0 = arith.muli %r, %d : i64
        %1 = arith.addi %0, %s : i64
        %2 = arith.sitofp %1 : i64 to f32
        %3 = arith.addf %w, %2 : f32
        sweep.leave write(%3 : f32)
      }
      sweep.scalar @final {
        %true = arith.constant true
        sweep.outcome %true []
      }
    }
  )",
                              GetParam());
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  std::vector<int64_t> sizes{12, 5, 20000};
  Machine machine(compiled.artifact, sizes);
  machine.reshape(0, {3, 4});
  machine.reshape(2, {10, 5, 400});
  machine.run();
  // numel * rank + dim 1 from the program, rank * dim 0 from the pass.
  const float expected[] = {12 * 2 + 4 + 2 * 3, 5 * 1 + 1 + 1 * 5, 20000 * 3 + 5 + 3 * 10};
  for (size_t t = 0; t < sizes.size(); ++t)
    for (int64_t i = 0; i < sizes[t]; ++i)
      ASSERT_EQ(machine.tensor<float>("w", t)[i], expected[t]) << t << " " << i;
}

} // namespace
