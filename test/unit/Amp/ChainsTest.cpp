// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amp/Verify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace sawtooth::amp;

namespace {

/// A step with `body`, in a module with two scalers and a few states.
class Chains : public testing::Test {
protected:
  void parse(StringRef body) {
    context.loadDialect<AmpDialect, arith::ArithDialect, linalg::LinalgDialect,
                        tensor::TensorDialect>();
    std::string text = R"mlir(
      !h = !amp.tensors<@m x f16>
      !l = !amp.tensors<@m x f32>
      amp.model @m
      amp.scaler @s by @pytorch
      amp.scaler @r by @pytorch
      amp.state @acc : !l = 0.0 scaled_by [@s, @r]
      amp.optimizer @opt by @adamw over @m
      amp.step @t(%g: !h {amp.scaled_by = [@s]}, %x: !l, %max: f64, %flag: i1, %b: tensor<4xf16>) {
    )mlir" + body.str() +
                       "}";
    // What verifiers forbid is looked at too.
    ParserConfig config(&context, /*verifyAfterParse=*/false);
    module = parseSourceString<ModuleOp>(text, config);
    ASSERT_TRUE(module);
    step = *module->getOps<StepOp>().begin();
  }

  Value result(unsigned op) { return std::next(step.getBody().front().begin(), op)->getResult(0); }
  /// "s", "s^2 r", "" or "?", in the order met.
  std::string scaling(Value value) {
    Scaling found = findScaling(
        value, [&](FlatSymbolRefAttr name) { return SymbolTable::lookupSymbolIn(*module, name); });
    if (!found.known)
      return "?";
    std::string text;
    for (auto [unit, power] : found.powers) {
      text += (text.empty() ? "" : " ") + cast<FlatSymbolRefAttr>(unit).getValue().str();
      if (power != 1)
        text += "^" + std::to_string(power);
    }
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  StepOp step;
};

TEST_F(Chains, ScalingFollowsDirectUses) {
  parse(R"mlir(
    %0 = amp.cast %g : !h to !l
    %1 = amp.norm %0 : !l
    %2 = amp.unscale %0 by @s : !l -> !l
    %3 = amp.scale %2 by @r : !l
    %4 = amp.unscale %2 by @s : !l -> !l
    %5 = amp.read @acc : !l
    %6 = amp.leaf %g["a"] : !h -> tensor<4xf16>
    %7 = amp.pack {"a" = %b : tensor<4xf16>} : !h
    %8 = amp.pack {"a" = %b : tensor<4xf16>} {scaled_by = [@r]} : !h
    %9, %10 = amp.apply @opt(%x, %2) : (!l, !l) -> (!l)
    %11 = amp.scale %0 by @s : !l
  )mlir");
  std::vector<std::string> expected = {"s", "s", "", "r", "s^-1", "s r", "s", "?", "r", "?", "s^2"};
  for (unsigned i = 0; i < expected.size(); ++i)
    EXPECT_EQ(scaling(result(i)), expected[i]) << i;
  EXPECT_EQ(scaling(step.getBody().getArgument(1)), "");
}

TEST_F(Chains, ClipsAreFoundThroughWhatFollowsThem) {
  parse(R"mlir(
    %0 = amp.norm %x : !l
    %1 = amp.clip_by_norm %x, %0 max(%max) : !l
    %2 = amp.clip_by_norm %1, %max max(%max) : !l
    %3 = amp.cast %2 : !l to !h
    %4, %5 = amp.apply @opt(%x, %3) : (!l, !h) -> (!l)
    %6, %7 = amp.apply @opt(%x, %x) : (!l, !l) -> (!l)
  )mlir");
  EXPECT_EQ(findClips(result(4)).size(), 2u);
  EXPECT_EQ(findClips(result(1)).size(), 1u);
  EXPECT_TRUE(findClips(result(5)).empty());
}

TEST_F(Chains, AFlagTestsWhatEachPartOfAConjunctionTests) {
  parse(R"mlir(
    %0 = amp.norm %x : !l
    %1 = amp.is_finite %x : !l
    %2 = amp.is_finite %0 : f64
    %3 = arith.andi %1, %2 : i1
    %4 = arith.andi %3, %flag : i1
    %5 = arith.ori %1, %2 : i1
  )mlir");
  EXPECT_TRUE(findTested(result(4)).contains(result(0)));
  EXPECT_TRUE(findTested(result(4)).contains(step.getBody().getArgument(1)));
  EXPECT_FALSE(findTested(result(1)).contains(result(0)));
  EXPECT_TRUE(findTested(result(5)).empty());
  EXPECT_TRUE(findTested(step.getBody().getArgument(3)).empty());
}

TEST_F(Chains, OnlySumsAndProductsIn16BitsLoseBits) {
  parse(R"mlir(
    %0 = tensor.empty() : tensor<4x6xf16>
    %1 = tensor.empty() : tensor<6x4xf16>
    %2 = tensor.empty() : tensor<4x4xf16>
    %3 = tensor.empty() : tensor<4x4xf32>
    %4 = linalg.matmul ins(%0, %1 : tensor<4x6xf16>, tensor<6x4xf16>)
        outs(%2 : tensor<4x4xf16>) -> tensor<4x4xf16>
    %5 = linalg.matmul ins(%0, %1 : tensor<4x6xf16>, tensor<6x4xf16>)
        outs(%3 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %6 = linalg.add ins(%2, %2 : tensor<4x4xf16>, tensor<4x4xf16>) outs(%2 : tensor<4x4xf16>)
        -> tensor<4x4xf16>
    %7 = linalg.reduce ins(%0 : tensor<4x6xf16>) outs(%b : tensor<4xf16>) dimensions = [1]
      (%a: f16, %c: f16) {
        %d = arith.maximumf %a, %c : f16
        linalg.yield %d : f16
      }
  )mlir");
  std::vector<bool> expected = {false, false, false, false, true, false, false, false};
  for (unsigned i = 0; i < expected.size(); ++i)
    EXPECT_EQ(accumulatesInHalf(result(i).getDefiningOp()), expected[i]) << i;
}

} // namespace
