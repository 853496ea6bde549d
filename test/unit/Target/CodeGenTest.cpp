// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the object code must not contain, and what a chip must be.
#include "Harness.h"

#include "gtest/gtest.h"

#include <sstream>

using namespace sawtooth;
using namespace sawtooth::test;

namespace {

class CodeGen : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Cpu, CodeGen, ::testing::Values("native", "x86-64-v3", "x86-64-v4"));

/// m = b1 * m + (1 - b1) * g in every storage type, and its norm; `operation` combines %0 and %1.
std::string program(const std::string &operation) {
  return R"(
    amp.model @model
    sweep.list state @m : !amp.tensors<@model x f32> {label = "m", init = 0.0 : f32}
    sweep.list state @h : !amp.tensors<@model x f16> {label = "h", init = 0.0 : f32}
    sweep.list state @b : !amp.tensors<@model x bf16> {label = "b", init = 0.0 : f32}
    sweep.step @train(%b1: f64 {amp.default = 0.9}) attributes {cut, commits} {
      %c1, %c2 = sweep.scalar @entry {
        %one = arith.constant 1.0 : f64
        %rest = arith.subf %one, %b1 : f64
        %p = math.powf %rest, %b1 : f64
        %x = arith.truncf %b1 : f64 to f32
        %y = arith.truncf %p : f64 to f32
        sweep.yield %x, %y : f32, f32
      } : f32, f32
      %sum = sweep.pass over @model reads [@m, @h, @b]
          writes [@m, @h, @b] [-1, -1, -1] [#sweep.reduction<add over step>] {
      ^bb0(%m: f32, %h: f16, %b: bf16):
        %x = arith.extf %h : f16 to f32
        %y = arith.extf %b : bf16 to f32
        %g = arith.addf %x, %y : f32
        %0 = arith.mulf %m, %c1 : f32
        %1 = arith.mulf %g, %c2 : f32
        %2 = )" +
         operation + R"( : f32
        %3 = math.exp %2 : f32
        %4 = arith.truncf %3 : f32 to f16
        %wide = arith.extf %2 : f32 to f64
        %5 = arith.truncf %wide : f64 to bf16
        %6 = arith.mulf %2, %2 : f32
        sweep.leave write(%2, %4, %5 : f32, f16, bf16) reduce(%6 : f32)
      } : f64
      sweep.scalar @final {
        %true = arith.constant true
        sweep.log "sum", %sum last : f64
        sweep.outcome %true []
      }
    }
  )";
}

TEST_P(CodeGen, B66FusesNoMultiplyAndAddUnlessAsked) {
  std::string plain = emit(program("arith.addf %0, %1"), GetParam(), OutputKind::Assembly);
  ASSERT_NE(plain.find("vmulps"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("vfm"), std::string::npos);
  EXPECT_EQ(plain.find("vfnm"), std::string::npos);
  std::string fused = emit(program("math.fma %m, %c1, %1"), GetParam(), OutputKind::Assembly);
  EXPECT_NE(fused.find("vfm"), std::string::npos);
}

TEST_P(CodeGen, B65CallsNothingOutsideTheObject) {
  // emit() refuses an object with an undefined symbol; so the code of every conversion is in it.
  std::string object = emit(program("arith.addf %0, %1"), GetParam(), OutputKind::Object);
  EXPECT_EQ(object.substr(0, 4), "\x7f"
                                 "ELF");
  EXPECT_EQ(object.find("__trunc"), std::string::npos);
  EXPECT_EQ(object.find("__extend"), std::string::npos);
  // And it does refuse one: here a function beside the step's, which no verifier looks into.
  std::string refused = emit("func.func private @cos(f64) -> f64\n"
                             "func.func @beside(%x: f64) -> f64 {\n"
                             "  %y = func.call @cos(%x) : (f64) -> f64\n"
                             "  return %y : f64\n"
                             "}\n" +
                                 program("arith.addf %0, %1"),
                             GetParam(), OutputKind::Object);
  EXPECT_NE(refused.find("internal error: generated code calls 'cos', which it does not define"),
            std::string::npos)
      << refused.substr(0, 200);
}

TEST_P(CodeGen, ExportsOnlyTheQueryAndRunsNothingAtLoad) {
  std::istringstream lines(emit(program("arith.addf %0, %1"), GetParam(), OutputKind::Assembly));
  std::vector<std::string> exported;
  for (std::string line; std::getline(lines, line);) {
    if (size_t at = line.find(".globl"); at != std::string::npos)
      exported.push_back(line.substr(at + 7, line.find_first_of("\t #", at + 7) - at - 7));
    EXPECT_EQ(line.find(".init_array"), std::string::npos);
  }
  EXPECT_EQ(exported, std::vector<std::string>{"sawtooth_query"});
}

TEST_P(CodeGen, B14CarriesNoFastMathFlag) {
  std::string text = program("arith.addf %0, %1");
  for (size_t at = 0; (at = text.find("arith.mulf %m, %c1", at)) != std::string::npos; ++at)
    text.insert(at + 18, " fastmath<fast>");
  ASSERT_NE(text.find("fastmath<fast>"), std::string::npos);
  std::string ir = emit(text, GetParam(), OutputKind::LLVM);
  ASSERT_NE(ir.find("fmul <"), std::string::npos) << ir;
  for (const char *flag : {" fast ", "nnan", "ninf", "nsz", "arcp", "contract", "reassoc", "afn"})
    EXPECT_EQ(ir.find(flag), std::string::npos) << flag;
}

TEST_P(CodeGen, UsesVectorsOfTheChipsWidth) {
  std::string code = emit(program("arith.addf %0, %1"), GetParam(), OutputKind::Assembly);
  bool wide = code.find("%zmm") != std::string::npos;
  if (GetParam() == "native")
    EXPECT_EQ(wide, __builtin_cpu_supports("x86-64-v4") != 0);
  else
    EXPECT_EQ(wide, GetParam() == "x86-64-v4");
}

TEST(Chips, AreNamedWhenThereIsNoSuchOne) {
  Compiled compiled = compile(program("arith.addf %0, %1"), "x86-64-v2");
  EXPECT_FALSE(compiled.artifact);
  EXPECT_EQ(compiled.diagnostics,
            "expected a chip of target cpu, got 'x86-64-v2'; there are native, "
            "x86-64-v3, x86-64-v4\n");
}

TEST(Artifact, AnswersToItsAbiAlone) {
  Compiled compiled = compile(program("arith.addf %0, %1"), "native");
  ASSERT_TRUE(compiled.artifact) << compiled.diagnostics;
  EXPECT_EQ(compiled.artifact->abi, SAWTOOTH_ABI_VERSION);
  EXPECT_EQ(compiled.artifact->functionCount, 3u);
  EXPECT_EQ(compiled.artifact->plan->magic, SAWTOOTH_PLAN_MAGIC);
}

} // namespace
