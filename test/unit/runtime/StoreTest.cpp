// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SgdFixture.h"

#include <bit>

using namespace sawtooth::test;

namespace {

std::vector<TensorRef> refs(std::vector<float> &a, std::vector<float> &b) {
  return {{"b", {int64_t(b.size())}, SAWTOOTH_F32, b.data()},
          {"a", {int64_t(a.size())}, SAWTOOTH_F32, a.data()}};
}

TEST(Store, FirstListDefinesTheModelAndOthersMustAgree) {
  Sgd sgd;
  std::vector<float> a = {1, 2}, b = {3};
  ASSERT_STATUS_OK(sgd.store->bind(Sgd::W, refs(a, b)));
  EXPECT_EQ(sgd.store->model(0).tensors, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(sgd.store->buffers(Sgd::W)[0], a.data()); // used where they are
  std::vector<_Float16> g = {1, 2};
  Status missing =
      sgd.store->bind(Sgd::G, std::vector<TensorRef>{{"a", {2}, SAWTOOTH_F16, g.data()}});
  EXPECT_EQ(missing.code(), StatusCode::Mismatch);
  EXPECT_EQ(missing.message(), "list 'g' of step 'train' lacks tensor 'b' of model 'model'; "
                               "expected 2 tensors, got 1");
  Status type = sgd.store->bind(Sgd::G, refs(a, b));
  EXPECT_EQ(type.message(), "tensor 'a' of list 'g' of step 'train': expected f16, got f32");
}

TEST(Store, TakesTensorsThatNoListDefines) {
  Sgd sgd;
  ASSERT_STATUS_OK(sgd.store->defineModel(0, {{"b", {1}}, {"a", {2}}}));
  EXPECT_EQ(sgd.store->model(0).tensors, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(sgd.store->defineModel(0, {}).message(), "model 'model' has its tensors already");
  EXPECT_EQ(Sgd().store->defineModel(0, {{"a", {-1}}}).message(),
            "tensor 'a': expected dimensions from 0, got -1");
}

TEST(Store, RefusesBuffersThatAreNotThere) {
  Sgd sgd;
  std::vector<float> a = {1, 2};
  char *odd = reinterpret_cast<char *>(a.data()) + 2;
  for (void *data : {static_cast<void *>(nullptr), static_cast<void *>(odd)}) {
    Status status = sgd.store->bind(Sgd::W, std::vector<TensorRef>{{"a", {1}, SAWTOOTH_F32, data}});
    EXPECT_EQ(status.message(),
              "tensor 'a' of list 'w': expected a buffer at a multiple of 4 bytes");
  }
  // Nothing needs no place.
  EXPECT_STATUS_OK(
      Sgd().store->bind(Sgd::W, std::vector<TensorRef>{{"a", {0}, SAWTOOTH_F32, nullptr}}));
}

TEST(Store, RefusesOverlappingBuffers) {
  std::vector<float> memory(8);
  auto messageOf = [&](int64_t second) {
    Sgd sgd;
    EXPECT_STATUS_OK(
        sgd.store->bind(Sgd::W, std::vector<TensorRef>{{"a", {4}, SAWTOOTH_F32, &memory[0]},
                                                       {"b", {4}, SAWTOOTH_F32, &memory[second]}}));
    return sgd.store->finish().message();
  };
  EXPECT_EQ(messageOf(3),
            "the buffers of tensor 'a' of list 'w' and tensor 'b' of list 'w' overlap");
  EXPECT_EQ(messageOf(4), ""); // side by side
}

TEST(Store, RequiredStateMustBeBound) {
  Sgd sgd;
  sgd.tensors = {{"a", {1}, {_Float16(1)}}};
  ASSERT_STATUS_OK(sgd.bindOnly(Sgd::G));
  EXPECT_EQ(sgd.store->finish().message(), "state 'w' is required and must be bound (tensor 'a')");
}

TEST(Store, AModelWithoutListsIsAnError) {
  EXPECT_EQ(Sgd().store->finish().message(),
            "model 'model' has no tensors yet: bind one of its lists, 'w', 'h', 'm', 'g'");
}

TEST(Store, UnboundStateTakesItsInitialValueAndSaysSo) {
  Sgd sgd;
  ASSERT_STATUS_OK(sgd.bind({{"a", {1.0009765625f, -2}, {_Float16(0), _Float16(0)}}}));
  EXPECT_EQ(sgd.store->notes, (std::vector<std::string>{"state 'h' is not bound: a copy of 'w'",
                                                        "state 'm' is not bound: starts as 0"}));
  EXPECT_EQ(sgd.elements<uint16_t>(Sgd::H, 0)[0], 0x3c01);
  EXPECT_EQ(sgd.elements<uint16_t>(Sgd::H, 0)[1], 0xc000);
  EXPECT_EQ(sgd.elements<float>(Sgd::M, 0)[1], 0.0f);
}

TEST(Store, ABoundCopyIsTakenAsGiven) {
  Sgd sgd;
  sgd.tensors = {{"a", {1}, {_Float16(1)}}};
  _Float16 h = 42;
  ASSERT_STATUS_OK(sgd.store->bind(Sgd::H, std::vector<TensorRef>{{"a", {1}, SAWTOOTH_F16, &h}}));
  ASSERT_STATUS_OK(sgd.bindOnly(Sgd::W));
  ASSERT_STATUS_OK(sgd.store->finish());
  EXPECT_EQ(float(h), 42.0f);
  EXPECT_EQ(sgd.store->buffers(Sgd::H)[0], &h);
}

TEST(Store, ListsGoByNameOfStateArgumentOrStep) {
  Sgd sgd;
  EXPECT_EQ(*sgd.store->listsNamed("g"), std::vector<uint32_t>{Sgd::G});
  EXPECT_EQ(*sgd.store->listsNamed("train.g"), std::vector<uint32_t>{Sgd::G});
  EXPECT_EQ(*sgd.store->listsNamed("m"), std::vector<uint32_t>{Sgd::M});
  EXPECT_EQ(sgd.store->listsNamed("train.m").status().message(),
            "unknown list 'train.m'; there are 'w', 'h', 'm', 'g'");
}

TEST(Store, AcceptsOnlyModulesWithTheSameState) {
  Sgd sgd;
  EXPECT_STATUS_OK(sgd.store->accepts(sgd.artifact->plan));
  SgdOptions other;
  other.edit = [](PlanWriter &plan) { plan.lists[2].type = SAWTOOTH_BF16; };
  Sgd different(ParallelFor::serial(), other);
  EXPECT_EQ(sgd.store->accepts(different.artifact->plan).message(),
            "expected a module with the same lists as the first one");
}

TEST(Store, FinishesOnceAndInItsTurn) {
  Sgd sgd;
  uint32_t decay = *sgd.store->fieldNamed("decay");
  EXPECT_EQ(sgd.store->setField(decay, "1").message(),
            "'decay': per-tensor values can be set once state is finished");
  ASSERT_STATUS_OK(sgd.bind({{"a", {10}, {_Float16(1)}}}));
  EXPECT_EQ(sgd.store->finish().message(), "the store is finished already");
  Position position;
  EXPECT_EQ(loadState(*sgd.store, "anything", position).message(),
            "expected state to be loaded before it is finished");
  EXPECT_STATUS_OK(sgd.store->setField(decay, "1"));
}

TEST(Store, RebindsInPlaceOnceFinished) {
  Sgd sgd;
  ASSERT_STATUS_OK(sgd.bind({{"a", {10}, {_Float16(1)}}}));
  std::unique_ptr<Executor> executor = sgd.executor();
  sgd.slot("s.scale") = std::bit_cast<uint32_t>(1.0f);
  executor->run();
  EXPECT_EQ(sgd.tensors[0].w[0], 9.0f);
  _Float16 other = 4;
  ASSERT_STATUS_OK(
      sgd.store->bind(Sgd::G, std::vector<TensorRef>{{"a", {1}, SAWTOOTH_F16, &other}}));
  executor->run();
  EXPECT_EQ(sgd.tensors[0].w[0], 5.0f);
  // A refused buffer leaves the old one.
  Status refused = sgd.store->bind(
      Sgd::G, std::vector<TensorRef>{{"a", {1}, SAWTOOTH_F16, sgd.tensors[0].w.data()}});
  EXPECT_FALSE(refused.ok());
  executor->run();
  EXPECT_EQ(sgd.tensors[0].w[0], 1.0f);
}

} // namespace
