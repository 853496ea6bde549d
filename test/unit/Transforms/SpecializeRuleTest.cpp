// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Transforms/SpecializeRule.h"

#include "amp/Builtins.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace sawtooth::amp;

namespace {

/// The built-in rule and an optimizer of it with `settings`.
class SpecializeRule : public testing::Test {
protected:
  RuleOp specialize(StringRef name, StringRef settings) {
    context.loadDialect<AmpDialect, arith::ArithDialect, math::MathDialect>();
    std::string text = (findBuiltin(name)->text + "amp.model @m\namp.optimizer @o by @" + name +
                        " over @m " + settings)
                           .str();
    module = parseSourceString<ModuleOp>(text, &context);
    auto rule = *module->getOps<RuleOp>().begin();
    auto instance = resolveInstance(*module->getOps<OptimizerOp>().begin(), rule);
    specialized = sawtooth::specializeRule(rule, *instance);
    EXPECT_TRUE(specialized->verify().succeeded());
    return *specialized;
  }

  static std::vector<std::string> names(RuleOp rule) {
    std::vector<std::string> result;
    for (FieldAttr field : rule.getStates().getAsRange<FieldAttr>())
      result.push_back(field.getName().str());
    return result;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  OwningOpRef<RuleOp> specialized;
};

TEST_F(SpecializeRule, AmsgradOffHasNoMaximum) {
  RuleOp rule = specialize("adamw", "");
  EXPECT_EQ(names(rule), (std::vector<std::string>{"m", "v", "t"}));
  EXPECT_TRUE(rule.getBody().getOps<arith::MaximumFOp>().empty());
  EXPECT_TRUE(rule.getBody().getOps<arith::SelectOp>().begin() !=
              rule.getBody().getOps<arith::SelectOp>().end()); // beta1 stays a run-time choice
}

TEST_F(SpecializeRule, AmsgradOnHasOne) {
  RuleOp rule = specialize("adamw", "{amsgrad = true}");
  EXPECT_EQ(names(rule), (std::vector<std::string>{"m", "v", "vmax", "t"}));
}

TEST_F(SpecializeRule, StaticParametersAreGone) {
  RuleOp rule = specialize("adamw", "");
  EXPECT_EQ(rule.getParams().size(), 5u);
  for (ParamAttr param : rule.getParams().getAsRange<ParamAttr>())
    EXPECT_FALSE(param.getIsStatic());
  EXPECT_EQ(rule.getBody().getNumArguments(), 5u + 3u + 2u);
}

TEST_F(SpecializeRule, PlainDescentHasNoBuffer) {
  EXPECT_EQ(names(specialize("sgd", "{has_momentum = false}")), std::vector<std::string>{"t"});
}

TEST_F(SpecializeRule, MomentumHasOne) {
  EXPECT_EQ(names(specialize("sgd", "{momentum = 0.9}")), (std::vector<std::string>{"b", "t"}));
}

} // namespace
