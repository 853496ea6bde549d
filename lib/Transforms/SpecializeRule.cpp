// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Transforms/SpecializeRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::amp;

/// Replaces the arguments of static parameters by constants; what remains of `params` is left in
/// the rule.
static void bindStaticParams(RuleOp rule, const RuleInstance &instance) {
  Block &body = rule.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  llvm::BitVector bound(body.getNumArguments());
  SmallVector<Attribute> remaining;
  for (auto [i, setting] : llvm::enumerate(instance.params)) {
    if (!setting.param.getIsStatic()) {
      remaining.push_back(setting.param);
      continue;
    }
    Value constant = arith::ConstantOp::create(builder, rule.getLoc(), setting.constant);
    body.getArgument(i).replaceAllUsesWith(constant);
    bound.set(i);
  }
  body.eraseArguments(bound);
  rule.setParamsAttr(builder.getArrayAttr(remaining));
}

/// Drops the states whose new value is the old one and that nothing else reads.
static void dropUnusedStates(RuleOp rule) {
  Block &body = rule.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  SmallVector<Attribute> remaining;
  SmallVector<Value> values;
  llvm::BitVector unused(body.getNumArguments());
  for (auto [field, argument, value] :
       llvm::zip_equal(rule.getStates(), rule.getStateArguments(), yield.getStates())) {
    if (value == argument && argument.hasOneUse()) {
      unused.set(argument.getArgNumber());
      continue;
    }
    remaining.push_back(field);
    values.push_back(value);
  }
  yield.getStatesMutable().assign(values);
  body.eraseArguments(unused);
  rule.setStatesAttr(ArrayAttr::get(rule.getContext(), remaining));
}

OwningOpRef<RuleOp> sawtooth::specializeRule(RuleOp rule, const RuleInstance &instance) {
  OwningOpRef<RuleOp> copy = cast<RuleOp>(rule->clone());
  bindStaticParams(*copy, instance);
  // No patterns: constants are folded and what nobody uses goes, nothing else.
  (void)applyPatternsGreedily(
      copy->getBody(), FrozenRewritePatternSet(),
      GreedyRewriteConfig().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled));
  dropUnusedStates(*copy);
  return copy;
}
