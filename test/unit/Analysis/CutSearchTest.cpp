// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The search and the lower bound, which share nothing but the graph, against each other and against
// figures counted by hand.
#include "GraphMaker.h"

#include "sawtooth/Analysis/CutSearch.h"
#include "sawtooth/Analysis/LowerBound.h"

#include "gtest/gtest.h"

#include <random>

using namespace sawtooth;

namespace {

PlanCost cutCost(const SweepGraph &graph) {
  std::optional<PlanCost> cost = CostModel(graph).evaluate(chooseCut(graph));
  EXPECT_TRUE(cost);
  return cost.value_or(PlanCost());
}

TEST(CutSearch, AdamW) {
  // 2 + (2 + 12) + (12 + 2); f32 gradients and no copy; bf16 is as wide as f16.
  for (auto [gradient, copy, bytes] : {std::tuple(2u, 2u, 30u), {4u, 0u, 32u}, {2u, 0u, 28u}}) {
    GraphMaker make = makeAdamW(gradient, copy);
    EXPECT_EQ(cutCost(make.graph).bytes, bytes);
    EXPECT_EQ(computeLowerBound(make.graph), bytes);
  }
}

TEST(CutSearch, LambWritesItsMomentsEarlyAndNeedsNoScratch) {
  GraphMaker make = makeLamb();
  CutPlan plan = chooseCut(make.graph);
  EXPECT_TRUE(plan.scratch.empty());
  EXPECT_EQ(plan.reductionLevel, (llvm::SmallVector<unsigned>{1, 2, 2}));
  EXPECT_EQ(plan.storeLevel, (llvm::SmallVector<unsigned>{3, 3, 2, 2}));
  EXPECT_EQ(cutCost(make.graph).bytes, 2u + 22u + 18u);
  EXPECT_EQ(computeLowerBound(make.graph), 42u);
}

/// A value out of `inputs` f32 lists, reduced, then stored times the sum.
GraphMaker makeNormalize(unsigned inputs) {
  GraphMaker make;
  SweepGraph::Value x;
  x.model = 0;
  x.bytes = 4;
  for (unsigned i = 0; i < inputs; ++i)
    x.operands.push_back(make.list(4).value);
  auto out = make.list(4);
  make.graph.values.push_back(x);
  unsigned value = make.graph.values.size() - 1;
  unsigned sum = make.reduce(value);
  make.store(out, make.op({value}, {sum}));
  return make;
}

TEST(CutSearch, KeepsAValueThatCostsMoreToComputeAgain) {
  GraphMaker make = makeNormalize(3);
  CutPlan plan = chooseCut(make.graph);
  ASSERT_EQ(plan.scratch.size(), 1u);
  EXPECT_EQ(plan.scratch[0].level, 1u);
  EXPECT_EQ(cutCost(make.graph).bytes, 12u + 4u + 4u + 4u);
  EXPECT_EQ(computeLowerBound(make.graph), 24u);
}

TEST(CutSearch, KeepsNothingOnATie) {
  GraphMaker make = makeNormalize(2);
  EXPECT_TRUE(chooseCut(make.graph).scratch.empty());
  EXPECT_EQ(cutCost(make.graph).bytes, 8u + 8u + 4u);
  EXPECT_EQ(computeLowerBound(make.graph), 20u);
}

// A sum of squares of the weights for the log: read with the gradient it costs 4 bytes, with the
// weights' own pass nothing.
TEST(CutSearch, ReducesWhereTheListIsReadAnyway) {
  GraphMaker make = makeAdamW(2, 2);
  make.reduce(make.op({1})); // the value of w
  EXPECT_EQ(chooseCut(make.graph).reductionLevel[1], 2u);
  EXPECT_EQ(cutCost(make.graph).bytes, 30u);
  EXPECT_EQ(computeLowerBound(make.graph), 30u);
}

TEST(CutSearch, NothingToDo) {
  SweepGraph graph;
  EXPECT_EQ(cutCost(graph).bytes, 0u);
  EXPECT_EQ(computeLowerBound(graph), 0u);
}

/// Few lists, values of one to three operands, some reductions that later values need.
GraphMaker makeRandom(std::mt19937 &random) {
  auto pick = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  GraphMaker make;
  llvm::SmallVector<GraphMaker::List> lists;
  for (unsigned i = 0, count = 2 + pick(3); i < count; ++i)
    lists.push_back(make.list(pick(2) ? 4 : 2));
  int ok = GraphMaker::always;
  for (unsigned i = 0, count = 3 + pick(6); i < count; ++i) {
    SweepGraph::Value value;
    value.model = 0;
    value.bytes = pick(4) ? 4 : 2;
    for (unsigned k = 0, operands = 1 + pick(3); k < operands; ++k)
      if (unsigned operand = pick(make.graph.values.size());
          !llvm::is_contained(value.operands, operand))
        value.operands.push_back(operand);
    if (!make.graph.reductions.empty() && pick(3) == 0)
      value.needs.push_back(pick(make.graph.reductions.size()));
    make.graph.values.push_back(value);
    if (make.graph.reductions.size() < 2 && pick(3) == 0) {
      unsigned reduction =
          make.reduce(make.graph.values.size() - 1, pick(2) ? ok : GraphMaker::always);
      if (ok == GraphMaker::always && pick(2))
        ok = make.flag({reduction});
    }
  }
  for (const GraphMaker::List &list : lists)
    if (pick(2))
      make.store(list, pick(make.graph.values.size()), pick(3) ? ok : GraphMaker::always);
  return make;
}

TEST(LowerBound, NoPlanGoesBelow) {
  std::mt19937 random(1);
  unsigned plans = 0, reached = 0, graphs = 0;
  for (unsigned trial = 0; trial < 300; ++trial) {
    GraphMaker make = makeRandom(random);
    const SweepGraph &graph = make.graph;
    unsigned bound = computeLowerBound(graph);
    CostModel model(graph);
    std::optional<PlanCost> chosen = model.evaluate(chooseCut(graph));
    if (!chosen)
      continue; // no order of the stores is possible
    ++graphs;
    EXPECT_GE(chosen->bytes, bound) << "trial " << trial;
    reached += chosen->bytes == bound;
    unsigned levels = 1;
    EarliestLevels earliest(graph);
    for (unsigned level : earliest.last)
      levels = std::max(levels, level);
    for (unsigned i = 0; i < 40; ++i) {
      CutPlan plan;
      for (size_t k = 0; k < graph.reductions.size(); ++k)
        plan.reductionLevel.push_back(1 + random() % levels);
      for (size_t k = 0; k < graph.stores.size(); ++k)
        plan.storeLevel.push_back(1 + random() % levels);
      if (random() % 2)
        if (unsigned value = random() % graph.values.size(); graph.values[value].bytes != 0)
          plan.scratch.push_back({value, static_cast<unsigned>(1 + random() % levels)});
      if (std::optional<PlanCost> cost = model.evaluate(plan)) {
        ++plans;
        EXPECT_GE(cost->bytes, bound) << "trial " << trial;
      }
    }
  }
  // The comparison is empty if hardly anything could be compared.
  EXPECT_GT(plans, 1000u);
  EXPECT_GT(graphs, 200u);
  EXPECT_GT(reached, graphs * 9 / 10);
}

} // namespace
