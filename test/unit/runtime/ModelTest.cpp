// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Model.h"

#include <gtest/gtest.h>

using namespace sawtooth::runtime;

namespace {

Model modelOf(std::vector<TensorSpec> specs) {
  Model model;
  model.name = "model";
  EXPECT_TRUE(model.define(std::move(specs)).ok());
  return model;
}

TEST(Model, NumbersTensorsByTheBytesOfTheirNames) {
  // Capital letters come first, and bytes above 0x7f last: by bytes, not by language.
  Model model = modelOf({{"\xc3\xa4", {1}}, {"a", {2}}, {"B", {3}}, {"a.b", {4}}});
  EXPECT_EQ(model.tensors, (std::vector<std::string>{"B", "a", "a.b", "\xc3\xa4"}));
  EXPECT_EQ(model.numel, (std::vector<int64_t>{3, 2, 4, 1}));
  EXPECT_EQ(model.find("a.b"), 2);
  EXPECT_EQ(model.find("a.c"), -1);
}

TEST(Model, PadsShapesWithOnes) {
  Model model = modelOf({{"w", {3, 4}}, {"x", {}}});
  EXPECT_EQ(model.dims, (std::vector<int64_t>{3, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(model.numel, (std::vector<int64_t>{12, 1}));
  EXPECT_EQ(model.rank, (std::vector<int64_t>{2, 0}));
}

TEST(Model, RefusesDoubleNamesAndImpossibleShapes) {
  Model model;
  model.name = "m";
  EXPECT_EQ(model.define({{"a", {1}}, {"a", {1}}}).message(),
            "two tensors of model 'm' have the name 'a'");
  EXPECT_EQ(model.define({{"a", {-1}}}).message(),
            "tensor 'a': expected dimensions from 0, got -1");
  EXPECT_FALSE(model.define({{"a", {1ll << 40, 1ll << 40}}}).ok());
  EXPECT_FALSE(model.define({{"a", {1, 1, 1, 1, 1, 1, 1, 1, 1}}}).ok());
  EXPECT_FALSE(model.known);
  // Nothing at all is not too much, whatever the other dimensions say.
  EXPECT_TRUE(model.define({{"a", {1ll << 40, 0, 1}}}).ok());
  EXPECT_EQ(model.numel[0], 0);
}

TEST(Model, NamesTheFirstDifference) {
  Model model = modelOf({{"a", {2}}, {"b", {3, 4}}});
  std::vector<size_t> order;
  std::vector<TensorSpec> good = {{"b", {3, 4}}, {"a", {2}}};
  EXPECT_TRUE(model.agree("'g'", good, order).ok());
  EXPECT_EQ(order, (std::vector<size_t>{1, 0}));
  auto difference = [&](std::vector<TensorSpec> specs) {
    return model.agree("'g'", specs, order).message();
  };
  EXPECT_EQ(difference({{"a", {2}}}),
            "list 'g' lacks tensor 'b' of model 'model'; expected 2 tensors, got 1");
  EXPECT_EQ(difference({{"a", {2}}, {"b", {3, 4}}, {"c", {1}}}),
            "list 'g' has tensor 'c', which model 'model' lacks; expected 2 tensors, got 3");
  EXPECT_EQ(difference({{"a", {2}}, {"b", {4, 3}}}),
            "tensor 'b' of list 'g': expected shape 3x4, got 4x3");
  EXPECT_EQ(difference({{"a", {2}}, {"a", {2}}}), "list 'g' has two tensors 'a'");
}

TEST(Model, ChunkTableCoversEveryElementOnce) {
  std::vector<Model> models(2);
  EXPECT_TRUE(
      models[0].define({{"a", {SAWTOOTH_CHUNK}}, {"b", {0}}, {"c", {SAWTOOTH_CHUNK + 1}}}).ok());
  EXPECT_TRUE(models[1].define({{"x", {1}}}).ok());
  std::vector<SawtoothChunk> rows = chunkTable(models);
  ASSERT_EQ(rows.size(), 4u);
  uint64_t expected[][3] = {{0, 0, 0}, {0, 2, 0}, {0, 2, 1}, {1, 0, 0}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(rows[i].model, expected[i][0]);
    EXPECT_EQ(rows[i].tensor, expected[i][1]);
    EXPECT_EQ(rows[i].index, expected[i][2]);
  }
  EXPECT_EQ(models[0].firstChunk, 0u);
  EXPECT_EQ(models[0].chunks, 3u);
  EXPECT_EQ(models[1].firstChunk, 3u);
  EXPECT_EQ(models[1].chunks, 1u);
}

TEST(Model, ListsAreLaidOutOnLinesOfTheirOwn) {
  Model model = modelOf({{"a", {1}}, {"b", {0}}, {"c", {16}}, {"d", {17}}});
  std::vector<uint64_t> offsets;
  uint64_t total = 0;
  EXPECT_TRUE(layOut(model, 4, offsets, total).ok());
  EXPECT_EQ(offsets, (std::vector<uint64_t>{0, 64, 64, 128}));
  EXPECT_EQ(total, 256u);
  std::vector<TensorSpec> huge;
  for (int i = 0; i < 64; ++i)
    huge.push_back({"t" + std::to_string(i), {1ll << 56}});
  offsets.clear();
  EXPECT_EQ(layOut(modelOf(huge), 4, offsets, total).code(), StatusCode::OutOfMemory);
}

// B36: sizes that wrap in 32 bits.
TEST(Model, B36HugeTensors) {
  for (int64_t numel : {2476250368ll, 2359332864ll, (1ll << 32) + 1}) {
    std::vector<Model> models(1);
    EXPECT_TRUE(models[0].define({{"w", {numel}}}).ok());
    std::vector<SawtoothChunk> rows = chunkTable(models);
    ASSERT_EQ(rows.size(), uint64_t((numel + SAWTOOTH_CHUNK - 1) / SAWTOOTH_CHUNK));
    int64_t lastFirst = int64_t(rows.back().index) * SAWTOOTH_CHUNK;
    int64_t tail = numel % SAWTOOTH_CHUNK ? numel % SAWTOOTH_CHUNK : SAWTOOTH_CHUNK;
    EXPECT_EQ(lastFirst, numel - tail);
  }
}

} // namespace
