// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amp/Rules.h"
#include "amp/Names.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace sawtooth::amp;

namespace {

TEST(FindNearest, GivesTheLikeliest) {
  std::vector<std::string> names = {"adam", "adamw", "lamb", "s"};
  EXPECT_EQ(findNearest("adamv", names), "adam"); // the first of two at distance 1
  EXPECT_EQ(findNearest("ADAMW", names), "adamw");
  EXPECT_EQ(findNearest("lamp", names), "lamb");
  EXPECT_EQ(findNearest("t", names), "s");
  EXPECT_EQ(findNearest("momentum", names), "");
  EXPECT_EQ(findNearest("x", {}), "");
}

class Constants : public testing::Test {
protected:
  Attribute parse(StringRef text) { return parseAttribute(text, &context); }
  MLIRContext context;
  Type f16 = Float16Type::get(&context), f32 = Float32Type::get(&context),
       f64 = Float64Type::get(&context), i1 = IntegerType::get(&context, 1),
       i32 = IntegerType::get(&context, 32), i64 = IntegerType::get(&context, 64);
};

TEST_F(Constants, FloatsAreRoundedToNearest) {
  EXPECT_EQ(convertConstant(parse("0.1"), f32), parse("0x3DCCCCCD : f32"));
  EXPECT_EQ(convertConstant(parse("65519.0"), f16), parse("65504.0 : f16"));
  EXPECT_FALSE(convertConstant(parse("65520.0"), f16)); // would be infinite
  EXPECT_EQ(convertConstant(parse("1.0e-8"), f16), parse("0.0 : f16"));
  EXPECT_EQ(convertConstant(parse("0x7FF0000000000000 : f64"), f32), parse("0x7F800000 : f32"));
}

TEST_F(Constants, IntegersBecomeFloatsButNotTheOtherWay) {
  EXPECT_EQ(convertConstant(parse("2000"), f64), parse("2000.0 : f64"));
  EXPECT_EQ(convertConstant(parse("-3"), f32), parse("-3.0 : f32"));
  EXPECT_FALSE(convertConstant(parse("2.0"), i64));
  EXPECT_FALSE(convertConstant(parse("100000"), f16));
}

TEST_F(Constants, IntegersMustFit) {
  EXPECT_EQ(convertConstant(parse("2147483647"), i32), parse("2147483647 : i32"));
  EXPECT_FALSE(convertConstant(parse("2147483648"), i32));
  EXPECT_EQ(convertConstant(parse("-1 : i32"), i64), parse("-1 : i64"));
}

TEST_F(Constants, TruthIsNoNumber) {
  EXPECT_EQ(convertConstant(parse("true"), i1), parse("true"));
  EXPECT_FALSE(convertConstant(parse("true"), f64));
  EXPECT_FALSE(convertConstant(parse("true"), i64));
  EXPECT_FALSE(convertConstant(parse("1"), i1));
  EXPECT_FALSE(convertConstant(parse("\"true\""), i1));
}

TEST(InferExtents, FollowsOperandsAndReductions) {
  MLIRContext context;
  context.loadDialect<AmpDialect, arith::ArithDialect, math::MathDialect>();
  auto module = parseSourceString<ModuleOp>(R"mlir(
    amp.rule @r optimizer params(%lr: f64 = 1.0, %rate: f64 = 1.0)
        state(%t: i64 per step = 0, %q: f64 per tensor = 0.0) inputs(%w: f32) {
      %a = arith.mulf %lr, %rate : f64
      %b = arith.mulf %a, %q : f64
      %f = arith.truncf %b : f64 to f32
      %c = arith.mulf %f, %w : f32
      %d = amp.reduce add %c over tensor : f32 -> f64
      %e = amp.reduce add %d over step : f64 -> f64
      %n = amp.numel
      amp.yield %c state(%t, %d) : f32 state(i64, f64)
    })mlir",
                                            &context);
  ASSERT_TRUE(module);
  auto rule = *module->getOps<RuleOp>().begin();
  auto extentOf = [&](const llvm::DenseMap<Value, Extent> &extents, unsigned op) {
    return extents.at(std::next(rule.getBody().front().begin(), op)->getResult(0));
  };
  auto plain = inferExtents(rule);
  std::vector<Extent> expected = {Extent::Step,   Extent::Tensor, Extent::Tensor, Extent::Element,
                                  Extent::Tensor, Extent::Step,   Extent::Tensor};
  for (unsigned i = 0; i < expected.size(); ++i)
    EXPECT_EQ(extentOf(plain, i), expected[i]) << i;
  EXPECT_EQ(plain.at(rule.getStateArguments()[0]), Extent::Step);
  // With a rate by tensor, what it is multiplied into differs by tensor too.
  EXPECT_EQ(extentOf(inferExtents(rule, {Extent::Step, Extent::Tensor}), 0), Extent::Tensor);
  EXPECT_EQ(inferExtents(rule, {}, /*counterPerTensor=*/true).at(rule.getStateArguments()[0]),
            Extent::Tensor);
}

} // namespace
