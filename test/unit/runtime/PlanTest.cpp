// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeModule.h"
#include "sawtooth/runtime/Artifact.h"

#include <gtest/gtest.h>
#include <random>

using namespace sawtooth::runtime;
using namespace sawtooth::test;

namespace {

Status readWords(const std::vector<uint64_t> &words) {
  return Plan::read(words.data(), words.size() * 8).status();
}

// The message about the SGD plan with one thing changed.
std::string messageAfter(std::function<void(PlanWriter &)> edit) {
  SgdOptions options;
  options.edit = std::move(edit);
  Result<Plan> plan = Plan::read(fakeSgd(options).plan.data(), fakeSgd(options).plan.size() * 8);
  return plan.ok() ? "ok" : plan.status().message();
}

TEST(Plan, ReadsWhatWasWritten) {
  FakeModule module = fakeSgd();
  Result<Plan> plan = Plan::read(module.plan.data(), module.plan.size() * 8);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  ASSERT_EQ(plan->lists().size(), 4u);
  EXPECT_EQ(plan->text(plan->lists()[1].name), "h");
  EXPECT_EQ(plan->findField("opt.t"), 7u);
  EXPECT_EQ(plan->findField("opt.x"), std::nullopt);
  EXPECT_EQ(plan->stepNames(), std::vector<std::string>{"train"});
  EXPECT_EQ(plan->listTitle(3), "'g' of step 'train'");
  EXPECT_EQ(Plan::rows(plan->steps()[0].actions, plan->actions()).size(), 5u);
}

TEST(Plan, RefusesForeignAndTruncatedBytes) {
  FakeModule module = fakeSgd();
  uint64_t bytes = module.plan.size() * 8;
  for (uint64_t length = 0; length < bytes; ++length)
    EXPECT_FALSE(Plan::read(module.plan.data(), length).ok()) << length;
  EXPECT_EQ(Plan::read(module.plan.data(), 0).status().message(),
            "damaged plan: expected at least " + std::to_string(sizeof(SawtoothPlan)) +
                " bytes, got 0");
  module.plan[0] ^= 1;
  EXPECT_EQ(readWords(module.plan).message(),
            "damaged plan: it does not begin with the mark of a plan");
}

TEST(Plan, RefusesAnotherAbi) {
  SgdOptions options;
  options.edit = [](PlanWriter &plan) { plan.header.abi = 999; };
  Status status = readWords(fakeSgd(options).plan);
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_NE(
      status.message().find("ABI version " + std::to_string(SAWTOOTH_ABI_VERSION) + ", got 999"),
      std::string::npos);
}

/// Launches of the step for each of `actions`, of 128 threads.
static void addLaunches(PlanWriter &plan, std::vector<SawtoothRange> actions) {
  for (SawtoothRange range : actions)
    plan.launches.push_back({0, 128, 1, 0, 0, range});
  plan.steps[0].launches = {0, uint32_t(plan.launches.size())};
}

TEST(Plan, TakesLaunchesThatCoverTheActions) {
  EXPECT_EQ(messageAfter([](PlanWriter &p) { addLaunches(p, {{0, 3}, {3, 2}}); }), "ok");
}

TEST(Plan, RefusesReferencesThatLeadNowhere) {
  auto contains = [](const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(messageAfter([](PlanWriter &) {}), "ok");
  struct Case {
    const char *part;
    std::function<void(PlanWriter &)> edit;
  } cases[] = {
      {"expected the list name within", [](PlanWriter &p) { p.lists[0].name = 1u << 30; }},
      {"expected a model below 1, got 1", [](PlanWriter &p) { p.lists[0].model = 1; }},
      {"of f16, bf16 or f32, got i64", [](PlanWriter &p) { p.lists[0].type = SAWTOOTH_I64; }},
      {"expected a type below 7, got 77", [](PlanWriter &p) { p.fields[0].type = 77; }},
      {"two rows have the list name 'w'", [](PlanWriter &p) { p.lists[1].name = p.lists[0].name; }},
      {"'w' is a copy of itself", [](PlanWriter &p) { p.lists[0].copyOf = 1; }},
      {"can only copy a state", [](PlanWriter &p) { p.lists[1].copyOf = 3; }},
      {"only a state can be a copy", [](PlanWriter &p) { p.lists[3].copyOf = 0; }},
      {"expected the field in a slot", [](PlanWriter &p) { p.fields[0].offset = 1 << 20; }},
      {"expected the field in a slot", [](PlanWriter &p) { p.fields[0].offset = 3; }},
      {"shares its place", [](PlanWriter &p) { p.fields[1].offset = p.fields[0].offset; }},
      {"per-tensor arrays", [](PlanWriter &p) { p.header.perTensorFields = 4000000000u; }},
      {"step 'train': ", [](PlanWriter &p) { p.steps[0].actions = {3, 9}; }},
      {"expected the actions within 5 rows, got 4294967295 from 1",
       [](PlanWriter &p) { p.steps[0].actions = {1, 0xffffffffu}; }},
      {"expected a place of 'applied'", [](PlanWriter &p) { p.steps[0].applied = 32; }},
      {"expected the causes in a slot", [](PlanWriter &p) { p.steps[0].cause = 28; }},
      {"expected a flag below 32, got 32", [](PlanWriter &p) { p.actions[3].flag = 32; }},
      {"expected at most 2 reductions, got 3", [](PlanWriter &p) { p.actions[1].results = 3; }},
      {"expected a kind of action below", [](PlanWriter &p) { p.actions[0].kind = 9; }},
      {"expected a launch of the actions from 3 on, got 1 from 4",
       [](PlanWriter &p) { addLaunches(p, {{0, 3}, {4, 1}}); }},
      {"its launches leave actions out", [](PlanWriter &p) { addLaunches(p, {{0, 3}}); }},
      {"expected the actions of a launch within 5 rows",
       [](PlanWriter &p) { addLaunches(p, {{0, 9}}); }},
      {"in whole warps, got 100",
       [](PlanWriter &p) {
         addLaunches(p, {{0, 5}});
         p.launches[0].threads = 100;
       }},
      {"expected a list below 4, got 4", [](PlanWriter &p) { p.accesses[0].list = 4; }},
      {"expected the log in a slot", [](PlanWriter &p) { p.logs[0].offset = 100; }},
      {"expected the argument in a slot", [](PlanWriter &p) { p.args[0].offset = 8; }},
      {"expected a counter below", [](PlanWriter &p) { p.steps[0].appliedField = 1000; }},
      {"to be an i64 of the step", [](PlanWriter &p) { p.steps[0].appliedField = 0; }},
      {"a list and a field have the name 'w'",
       [](PlanWriter &p) { p.fields[7].name = p.lists[0].name; }},
  };
  for (const Case &one : cases)
    EXPECT_TRUE(contains(messageAfter(one.edit), one.part))
        << "expected '" << one.part << "', got '" << messageAfter(one.edit) << "'";
}

// Whatever the bytes say, reading ends with a status (and, under a sanitizer, without a report).
TEST(Plan, SurvivesRandomDamage) {
  FakeModule module = fakeSgd();
  std::mt19937_64 random(1);
  int refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<uint64_t> words = module.plan;
    for (int change = 0; change < 3; ++change)
      reinterpret_cast<unsigned char *>(words.data())[random() % (words.size() * 8)] ^=
          1 << random() % 8;
    refused += !readWords(words).ok();
  }
  EXPECT_GT(refused, 1000);
}

TEST(Artifact, RefusesMissingCode) {
  FakeModule module = fakeSgd();
  SawtoothArtifact artifact = module.artifact();
  EXPECT_TRUE(Artifact::read(&artifact).ok());
  EXPECT_FALSE(Artifact::read(nullptr).ok());
  artifact.functionCount = 4;
  EXPECT_EQ(Artifact::read(&artifact).status().message(),
            "expected the function of action 'train.4_final' below 4, got 4");
  artifact = module.artifact();
  artifact.abi = 7;
  EXPECT_EQ(Artifact::read(&artifact).status().code(), StatusCode::Unsupported);
  module.functions[2] = nullptr;
  artifact = module.artifact();
  EXPECT_EQ(Artifact::read(&artifact).status().message(),
            "a function of the compiled module is null");
}

} // namespace
