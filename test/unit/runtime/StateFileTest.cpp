// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SgdFixture.h"

#include <cmath>
#include <cstring>

using namespace sawtooth::test;

namespace {

const _Float16 infinity = _Float16(INFINITY);

class StateFile : public ::testing::Test {
protected:
  Folder folder;
  std::string path = folder.file("state.safetensors");

  static std::vector<Sgd::Tensor> start() {
    return {{"a", {1, 2}, {_Float16(1), _Float16(2)}}, {"b.half", {3}, {_Float16(3)}}};
  }
  // One step whose gradients are good or not.
  static void step(Sgd &sgd, Executor &executor, bool bad) {
    sgd.tensors[0].g[0] = bad ? infinity : _Float16(8192);
    executor.run();
  }
  // Loads into a fresh module, with g bound as in `start`.
  Status load(Sgd &sgd, Position &position) {
    sgd.tensors = start();
    SAWTOOTH_TRY(loadState(*sgd.store, path, position));
    SAWTOOTH_TRY(sgd.bindOnly(Sgd::G));
    return sgd.store->finish();
  }
};

// B43: 5 + 5 steps with a save and a load between are 10 straight ones, bit for bit, with an
// overflow at step 6 and growth at 3 and 9 (growth_interval 3).
TEST_F(StateFile, B43SaveAndLoadInTheMiddle) {
  auto bad = [](int i) { return i == 6; };
  Sgd straight;
  ASSERT_STATUS_OK(straight.bind(start()));
  straight.slot("s.growth_interval") = 3;
  auto executor = straight.executor();
  std::vector<float> scales;
  for (int i = 1; i <= 10; ++i) {
    step(straight, *executor, bad(i));
    scales.push_back(straight.scale() / 65536);
  }
  EXPECT_EQ(scales, (std::vector<float>{1, 1, 2, 2, 2, 1, 1, 1, 2, 2}));
  std::string expected = folder.file("straight.safetensors");
  ASSERT_STATUS_OK(saveState(*straight.store, expected, {}));

  {
    Sgd first;
    ASSERT_STATUS_OK(first.bind(start()));
    first.slot("s.growth_interval") = 3;
    auto executor = first.executor();
    for (int i = 1; i <= 5; ++i)
      step(first, *executor, bad(i));
    ASSERT_STATUS_OK(saveState(*first.store, path, {}));
  }
  Sgd second;
  Position position;
  ASSERT_STATUS_OK(load(second, position));
  EXPECT_TRUE(second.store->warnings.empty());
  executor = second.executor();
  for (int i = 6; i <= 10; ++i)
    step(second, *executor, bad(i));
  ASSERT_STATUS_OK(saveState(*second.store, path, {}));
  EXPECT_EQ(contentOf(path), contentOf(expected));
}

// B45: all state exists from construction.
TEST_F(StateFile, B45SaveBeforeTheFirstAppliedStep) {
  Sgd sgd;
  ASSERT_STATUS_OK(sgd.bind(start()));
  auto executor = sgd.executor();
  for (int i = 0; i < 3; ++i)
    step(sgd, *executor, true);
  ASSERT_STATUS_OK(saveState(*sgd.store, path, {}));
  Sgd again;
  Position position;
  ASSERT_STATUS_OK(load(again, position));
  EXPECT_EQ(again.scale(), 8192.0f);
  EXPECT_EQ(again.slot("opt.t"), 0u);
  EXPECT_EQ(again.elements<float>(Sgd::M, 0)[0], 0.0f);
  EXPECT_EQ(again.elements<float>(Sgd::W, 0)[1], 2.0f);
  step(again, *again.executor(), false);
  EXPECT_EQ(again.elements<float>(Sgd::W, 0)[0], 0.0f); // 1 - 8192 / 8192
}

TEST_F(StateFile, HoldsListsFieldsAndNothingElse) {
  Sgd sgd;
  ASSERT_STATUS_OK(sgd.bind(start()));
  sgd.store->setSeed(7);
  ASSERT_STATUS_OK(saveState(*sgd.store, path, {3, 17, "epoch", 2}));
  auto file = TensorFile::open(path);
  ASSERT_TRUE(file.ok());
  std::vector<std::string> names;
  for (const TensorEntry &entry : (*file)->tensors())
    names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"decay/a",
                                             "decay/b.half",
                                             "h/a",
                                             "h/b.half",
                                             "m/a",
                                             "m/b.half",
                                             "opt.t",
                                             "s.consecutive_skips",
                                             "s.growth_interval",
                                             "s.max_consecutive_skips",
                                             "s.scale",
                                             "s.skipped",
                                             "s.stuck",
                                             "s.tracker",
                                             "train.applied",
                                             "train.attempted",
                                             "train.calibration_skips",
                                             "train.consecutive_skips",
                                             "train.skipped",
                                             "w/a",
                                             "w/b.half"}));
  EXPECT_EQ((*file)->find("s.stuck")->dtype, "BOOL");
  EXPECT_EQ((*file)->find("s.scale")->dtype, "F32");
  EXPECT_EQ((*file)->find("decay/b.half")->dtype, "F64");
  EXPECT_TRUE((*file)->find("decay/b.half")->dims.empty());
  double decay;
  std::memcpy(&decay, (*file)->find("decay/b.half")->data, 8);
  EXPECT_EQ(decay, 0.5);
  EXPECT_EQ((*file)->metadata(), (std::map<std::string, std::string>{{"sawtooth.version", "1"},
                                                                     {"seed", "7"},
                                                                     {"epoch", "3"},
                                                                     {"batch", "17"},
                                                                     {"program", "epoch"},
                                                                     {"next", "2"}}));
  Sgd again;
  Position position;
  ASSERT_STATUS_OK(load(again, position));
  EXPECT_EQ(position, (Position{3, 17, "epoch", 2}));
  EXPECT_EQ(again.store->seed(), 7u);
}

// A state file with entries changed by `edit`, loaded.
class Edited : public StateFile {
protected:
  Status loadEdited(std::function<void(std::vector<TensorSource> &)> edit, Sgd &sgd) {
    Sgd original;
    EXPECT_STATUS_OK(original.bind(start()));
    original.slot("opt.t") = 5;
    EXPECT_STATUS_OK(saveState(*original.store, path, {}));
    auto file = TensorFile::open(path);
    std::vector<TensorSource> entries;
    for (const TensorEntry &entry : (*file)->tensors())
      entries.push_back({entry.name, *entry.type, entry.dims, entry.data});
    edit(entries);
    EXPECT_STATUS_OK(writeTensorFile(path, entries, (*file)->metadata()));
    Position position;
    Status status = load(sgd, position);
    if (!status.ok())
      EXPECT_EQ(sgd.slot("opt.t"), 0u); // nothing half-loaded
    return status;
  }
  static auto remove(std::string prefix) {
    return [=](std::vector<TensorSource> &entries) {
      std::erase_if(entries, [&](auto &entry) { return entry.name.starts_with(prefix); });
    };
  }
};

TEST_F(Edited, UnknownEntriesAreErrors) {
  Sgd sgd;
  int64_t value = 1;
  Status status = loadEdited(
      [&](auto &entries) { entries.push_back({"opt.tt", SAWTOOTH_I64, {}, &value}); }, sgd);
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_NE(status.message().find("unknown entry 'opt.tt'"), std::string::npos);
  EXPECT_NE(status.message().find("did you mean 'opt.t'?"), std::string::npos);
}

TEST_F(Edited, MistypedEntriesAreErrors) {
  Sgd sgd;
  int32_t value = 1;
  Status status = loadEdited(
      [&](auto &entries) {
        remove("opt.t")(entries);
        entries.push_back({"opt.t", SAWTOOTH_I32, {}, &value});
      },
      sgd);
  EXPECT_NE(status.message().find("'opt.t': expected I64, got I32"), std::string::npos);
}

TEST_F(Edited, ShapesMustBeScalarsAndBooleansOneBit) {
  uint8_t two = 2;
  int64_t value = 1;
  Sgd sgd, other;
  EXPECT_NE(loadEdited(
                [&](auto &entries) {
                  remove("opt.t")(entries);
                  entries.push_back({"opt.t", SAWTOOTH_I64, {1}, &value});
                },
                sgd)
                .message()
                .find("'opt.t': expected a scalar, got shape 1"),
            std::string::npos);
  EXPECT_NE(loadEdited(
                [&](auto &entries) {
                  remove("s.stuck")(entries);
                  entries.push_back({"s.stuck", SAWTOOTH_I1, {}, &two});
                },
                other)
                .message()
                .find("'s.stuck': expected 0 or 1, got 2"),
            std::string::npos);
}

// B43: what an older file lacks keeps its initial value, with a warning.
TEST_F(Edited, B43MissingFieldsAndListsAreWarnings) {
  Sgd sgd;
  ASSERT_STATUS_OK(loadEdited(
      [&](auto &entries) {
        remove("s.tracker")(entries);
        remove("m/")(entries);
        remove("decay/")(entries);
      },
      sgd));
  EXPECT_EQ(sgd.store->warnings,
            (std::vector<std::string>{
                path + " lacks 's.tracker', which keeps its initial value",
                path + " lacks 'decay', which keeps its initial value",
                "the state file lacks list 'm', which starts from its initial value"}));
  EXPECT_EQ(sgd.slot("opt.t"), 5u);
  EXPECT_EQ(std::bit_cast<double>(sgd.store->slots(*sgd.store->fieldNamed("decay"))[1]), 0.5);
}

TEST_F(Edited, HalfAListIsAnError) {
  Sgd sgd;
  EXPECT_NE(loadEdited(remove("m/a"), sgd).message().find("list 'm' lacks tensor 'a'"),
            std::string::npos);
  Sgd other;
  EXPECT_NE(loadEdited(remove("decay/a"), other).message().find("lacks 'decay/a'"),
            std::string::npos);
}

TEST_F(Edited, ARequiredListMustComeFromSomewhere) {
  Sgd sgd;
  ASSERT_STATUS_OK(sgd.bind(start()));
  ASSERT_STATUS_OK(saveState(*sgd.store, path, {}));
  auto file = TensorFile::open(path);
  std::vector<TensorSource> entries;
  for (const TensorEntry &entry : (*file)->tensors())
    if (!entry.name.starts_with("w/"))
      entries.push_back({entry.name, *entry.type, entry.dims, entry.data});
  ASSERT_STATUS_OK(writeTensorFile(path, entries, (*file)->metadata()));
  Sgd again;
  Position position;
  EXPECT_NE(load(again, position).message().find("state 'w' is required"), std::string::npos);
}

TEST_F(StateFile, RefusesOtherFiles) {
  Sgd sgd;
  Position position;
  float value = 1;
  ASSERT_STATUS_OK(writeTensorFile(path, {{"w/a", SAWTOOTH_F32, {1}, &value}}, {}));
  EXPECT_NE(loadState(*sgd.store, path, position).message().find("this is no state file"),
            std::string::npos);
  ASSERT_STATUS_OK(writeTensorFile(path, {}, {{"sawtooth.version", "2"}}));
  EXPECT_EQ(loadState(*sgd.store, path, position).code(), StatusCode::Unsupported);
  ASSERT_STATUS_OK(writeTensorFile(path, {}, {{"sawtooth.version", "1"}, {"seed", "x"}}));
  EXPECT_NE(loadState(*sgd.store, path, position).message().find("expected a number for 'seed'"),
            std::string::npos);
}

// Bound after loading: the binding wins, and a copy follows its source.
TEST_F(StateFile, BindingComesAfterLoading) {
  {
    Sgd sgd;
    ASSERT_STATUS_OK(sgd.bind(start()));
    ASSERT_STATUS_OK(saveState(*sgd.store, path, {}));
  }
  Sgd sgd;
  sgd.tensors = start();
  sgd.tensors[0].w[0] = 64;
  Position position;
  ASSERT_STATUS_OK(loadState(*sgd.store, path, position));
  ASSERT_STATUS_OK(sgd.bindOnly(Sgd::W));
  ASSERT_STATUS_OK(sgd.store->finish());
  EXPECT_EQ(sgd.elements<uint16_t>(Sgd::H, 0)[0], 0x5400); // 64 in f16
}

TEST_F(StateFile, AnEmptyModelComesBackEmpty) {
  {
    Sgd sgd;
    ASSERT_STATUS_OK(sgd.bind({}));
    ASSERT_STATUS_OK(saveState(*sgd.store, path, {}));
  }
  Sgd sgd;
  Position position;
  ASSERT_STATUS_OK(loadState(*sgd.store, path, position));
  ASSERT_STATUS_OK(sgd.store->finish());
  EXPECT_TRUE(sgd.store->model(0).tensors.empty());
  EXPECT_TRUE(sgd.store->warnings.empty());
}

} // namespace
