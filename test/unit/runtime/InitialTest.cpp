// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SgdFixture.h"

#include "sawtooth/runtime/Names.h"
#include "sawtooth/runtime/Random.h"

#include <cmath>

using namespace sawtooth::test;

namespace {

// The SGD module with other initial values of m.
Sgd withInit(std::vector<std::pair<std::string, SawtoothInit>> inits,
             SawtoothType type = SAWTOOTH_F32, ParallelFor parallelFor = ParallelFor::serial()) {
  SgdOptions options;
  options.edit = [=](PlanWriter &plan) {
    std::vector<SawtoothInit> rows;
    for (auto [glob, init] : inits) {
      init.glob = plan.text(glob);
      rows.push_back(init);
    }
    plan.lists[2].init = PlanWriter::add(plan.inits, rows);
    plan.lists[2].type = type;
  };
  return Sgd(parallelFor, options);
}

Status bindShape(Sgd &sgd, std::vector<float> &w, const char *name, std::vector<int64_t> dims) {
  SAWTOOTH_TRY(
      sgd.store->bind(Sgd::W, std::vector<TensorRef>{{name, dims, SAWTOOTH_F32, w.data()}}));
  return sgd.store->finish();
}

TEST(Initial, UniformIsKeyedByNameAndScaledByFanIn) {
  std::vector<float> w(3 * 5 * 7);
  Sgd sgd = withInit({{"*", {0, SAWTOOTH_INIT_UNIFORM, SAWTOOTH_NONE, 2, 0}}});
  sgd.store->setSeed(99);
  ASSERT_STATUS_OK(bindShape(sgd, w, "layer.weight", {3, 5, 7}));
  RandomStream random(99, 2, 0, hashName("layer.weight"));
  double bound = 1 / std::sqrt(15.0); // all dimensions but the last
  for (size_t e = 0; e < w.size(); ++e)
    EXPECT_EQ(sgd.elements<float>(Sgd::M, 0)[e], float(bound * random.uniform(e)));
}

TEST(Initial, DoesNotDependOnOrderLayoutOrThreads) {
  std::vector<float> big(40000), small(3);
  SawtoothInit normal{0, SAWTOOTH_INIT_NORMAL, SAWTOOTH_NONE, 2, 0.02};
  Sgd one = withInit({{"*", normal}});
  ASSERT_STATUS_OK(bindShape(one, big, "b", {40000}));
  Sgd two = withInit({{"*", normal}}, SAWTOOTH_F32, ParallelFor::openMp(2));
  ASSERT_STATUS_OK(
      two.store->bind(Sgd::W, std::vector<TensorRef>{{"b", {200, 200}, SAWTOOTH_F32, big.data()},
                                                     {"a", {3}, SAWTOOTH_F32, small.data()}}));
  ASSERT_STATUS_OK(two.store->finish());
  auto first = one.elements<float>(Sgd::M, 0), second = two.elements<float>(Sgd::M, 1);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin()));
  RandomStream random(0, 2, 0, hashName("b"));
  EXPECT_EQ(first[12345], float(0.02 * random.normal(12345)));
}

TEST(Initial, FirstPatternWinsAndNoneIsAnError) {
  std::vector<float> a(1), b(1);
  Sgd sgd = withInit({{"*.bias", {0, SAWTOOTH_INIT_CONSTANT, SAWTOOTH_NONE, 2, 0.5}},
                      {"l.*", {0, SAWTOOTH_INIT_CONSTANT, SAWTOOTH_NONE, 2, 7}}});
  std::vector<TensorRef> refs = {{"l.bias", {1}, SAWTOOTH_F32, a.data()},
                                 {"l.weight", {1}, SAWTOOTH_F32, b.data()}};
  ASSERT_STATUS_OK(sgd.store->bind(Sgd::W, refs));
  ASSERT_STATUS_OK(sgd.store->finish());
  EXPECT_EQ(sgd.elements<float>(Sgd::M, 0)[0], 0.5f);
  EXPECT_EQ(sgd.elements<float>(Sgd::M, 1)[0], 7.0f);
  EXPECT_EQ(sgd.store->notes.back(), "state 'm' is not bound: starts as '*.bias' = 0.5, 'l.*' = 7");

  Sgd other = withInit({{"*.bias", {0, SAWTOOTH_INIT_CONSTANT, SAWTOOTH_NONE, 2, 0.5}}});
  ASSERT_STATUS_OK(other.store->bind(Sgd::W, refs));
  EXPECT_EQ(
      other.store->finish().message(),
      "fake.mlir:2:1: no pattern of the initial values of state 'm' covers tensor 'l.weight'");
}

TEST(Initial, CastRoundsOnceAndConstantsToTheListsType) {
  std::vector<float> w = {1.00390625f, 65504, 1e-8f, std::bit_cast<float>(0x7f800001u)};
  Sgd cast = withInit({{"*", {0, SAWTOOTH_INIT_CAST, Sgd::W, 2, 0}}}, SAWTOOTH_BF16);
  ASSERT_STATUS_OK(bindShape(cast, w, "a", {4}));
  auto m = cast.elements<uint16_t>(Sgd::M, 0);
  EXPECT_EQ(m[0], 0x3f80); // 1 + 2^-8, a tie, to even
  EXPECT_EQ(m[1], 0x4780);
  EXPECT_EQ(m[2], 0x322c);
  EXPECT_EQ(m[3], 0x7fc0);

  Sgd constant =
      withInit({{"*", {0, SAWTOOTH_INIT_CONSTANT, SAWTOOTH_NONE, 2, -65520}}}, SAWTOOTH_F16);
  ASSERT_STATUS_OK(bindShape(constant, w, "a", {4}));
  EXPECT_EQ(constant.elements<uint16_t>(Sgd::M, 0)[3], 0xfc00);
}

} // namespace
