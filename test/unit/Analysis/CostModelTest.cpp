// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GraphMaker.h"

#include "sawtooth/Analysis/CostModel.h"

#include "gtest/gtest.h"

using namespace sawtooth;

namespace {

CutPlan plan(std::initializer_list<unsigned> reductions, std::initializer_list<unsigned> stores,
             std::initializer_list<CutPlan::Scratch> scratch = {}) {
  CutPlan plan;
  plan.reductionLevel.assign(reductions.begin(), reductions.end());
  plan.storeLevel.assign(stores.begin(), stores.end());
  plan.scratch.assign(scratch.begin(), scratch.end());
  return plan;
}

TEST(CostModel, ReadsEachListOnceAPass) {
  GraphMaker make;
  auto a = make.list(4), b = make.list(2), out = make.list(4);
  unsigned x = make.op({a.value, b.value}), y = make.op({x, a.value});
  make.store(out, y);
  make.reduce(x);
  std::optional<PlanCost> cost = CostModel(make.graph).evaluate(plan({1}, {1}));
  ASSERT_TRUE(cost);
  ASSERT_EQ(cost->passes.size(), 1u);
  EXPECT_EQ(cost->passes[0].bytesRead, 4u + 2u);
  EXPECT_EQ(cost->passes[0].bytesWritten, 4u);
  EXPECT_EQ(cost->bytes, 10u);
}

TEST(CostModel, RefusesAStoreBeforeItsFlagIsKnown) {
  GraphMaker make = makeAdamW(2, 0);
  EXPECT_FALSE(CostModel(make.graph).evaluate(plan({1}, {1, 1, 1})));
  EXPECT_TRUE(CostModel(make.graph).evaluate(plan({1}, {2, 2, 2})));
}

TEST(CostModel, RefusesAReductionBeforeThatItNeeds) {
  GraphMaker make;
  auto a = make.list(4);
  unsigned first = make.reduce(make.op({a.value}));
  make.reduce(make.op({a.value}, {first}));
  EXPECT_FALSE(CostModel(make.graph).evaluate(plan({1, 1}, {})));
  EXPECT_FALSE(CostModel(make.graph).evaluate(plan({2, 1}, {})));
  EXPECT_TRUE(CostModel(make.graph).evaluate(plan({1, 2}, {})));
}

// w is written in the first pass; the second needs the old w, which is gone, unless what was
// written will do.
TEST(CostModel, KnowsWhatWasOverwritten) {
  GraphMaker make;
  auto w = make.list(4), out = make.list(4);
  unsigned w1 = make.op({w.value});
  unsigned sum = make.reduce(w1);
  make.store(w, w1);
  unsigned fromNew = make.store(out, make.op({w1}, {sum}));
  std::optional<PlanCost> cost = CostModel(make.graph).evaluate(plan({1}, {1, 2}));
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->passes[1].loadedStores.size(), 1u);
  EXPECT_EQ(cost->bytes, 4u + 4u + 4u + 4u);

  make.graph.stores[fromNew].value = make.op({w.value}, {sum});
  EXPECT_FALSE(CostModel(make.graph).evaluate(plan({1}, {1, 2})));
  EXPECT_TRUE(CostModel(make.graph).evaluate(plan({1}, {2, 2})));
}

// What was written under a flag is the old value where the flag is false: only what matters under
// the same flag may be computed from it.
TEST(CostModel, LoadsWhatAFlagGuardsOnlyUnderThatFlag) {
  GraphMaker make = makeLamb();
  EXPECT_TRUE(CostModel(make.graph).evaluate(plan({1, 2, 2}, {3, 3, 2, 2})));
  make.graph.stores[0].flag = GraphMaker::always;
  EXPECT_FALSE(CostModel(make.graph).evaluate(plan({1, 2, 2}, {3, 3, 2, 2})));
}

TEST(CostModel, CountsScratchTwice) {
  GraphMaker make;
  auto a = make.list(4), b = make.list(4), c = make.list(4), out = make.list(4);
  unsigned x = make.op({a.value, b.value, c.value});
  unsigned sum = make.reduce(x);
  make.store(out, make.op({x}, {sum}));
  CostModel model(make.graph);
  EXPECT_EQ(model.evaluate(plan({1}, {2}))->bytes, 12u + 12u + 4u);
  EXPECT_EQ(model.evaluate(plan({1}, {2}, {{x, 1}}))->bytes, 12u + 4u + 4u + 4u);
}

TEST(CostModel, GatesAPassUnderOneKnownFlag) {
  GraphMaker make = makeAdamW(2, 2);
  std::optional<PlanCost> cost = CostModel(make.graph).evaluate(plan({1}, {2, 2, 2, 2}));
  ASSERT_TRUE(cost);
  ASSERT_EQ(cost->passes.size(), 2u);
  EXPECT_EQ(cost->passes[0].gate, GraphMaker::always);
  EXPECT_EQ(cost->passes[1].gate, 0);
  EXPECT_EQ(cost->skippedBytes, 2u);

  // Another flag among the writes: each write has its own then.
  make.graph.stores[1].flag = make.flag({});
  cost = CostModel(make.graph).evaluate(plan({1}, {2, 2, 2, 2}));
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->passes[1].gate, GraphMaker::always);
  EXPECT_EQ(cost->skippedBytes, 30u);
}

// The two norms matter only if the step is applied, so a skipped step need not compute them.
TEST(CostModel, GatesReductionsThatMatterUnderAFlag) {
  GraphMaker make = makeLamb();
  std::optional<PlanCost> cost = CostModel(make.graph).evaluate(plan({1, 2, 2}, {3, 3, 2, 2}));
  ASSERT_TRUE(cost);
  ASSERT_EQ(cost->passes.size(), 3u);
  EXPECT_EQ(cost->passes[1].gate, 0);
  EXPECT_EQ(cost->passes[1].bytesRead + cost->passes[1].bytesWritten, 22u);
  EXPECT_EQ(cost->passes[2].gate, 0);
  EXPECT_EQ(cost->passes[2].bytesRead + cost->passes[2].bytesWritten, 18u);
  EXPECT_EQ(cost->skippedBytes, 2u);
}

TEST(EarliestLevels, FollowTheLongestChain) {
  GraphMaker make = makeLamb();
  EarliestLevels levels(make.graph);
  EXPECT_EQ(levels.reductions, (llvm::SmallVector<unsigned>{1, 1, 2}));
  EXPECT_EQ(levels.stores, (llvm::SmallVector<unsigned>{3, 3, 2, 2}));
  EXPECT_EQ(levels.last, (llvm::SmallVector<unsigned>{3}));
}

} // namespace
