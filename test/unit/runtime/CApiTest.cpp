// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Runtime.h"

#include "SgdFixture.h"

#include <cmath>

using namespace sawtooth::test;

extern "C" const char *trainInC(const SawtoothArtifact *artifact, float *w, uint16_t *g, int steps,
                                double *scale, char *message, int size);

namespace {

class CApi : public ::testing::Test {
protected:
  FakeModule module = fakeSgd();
  SawtoothArtifact artifact = module.artifact();
  float w = 8;
  uint16_t g = 0x7400; // 16384
  SawtoothRuntime *runtime = nullptr;

  void TearDown() override { sawtoothRuntimeDestroy(runtime); }

  void prepare(const SawtoothRuntimeOptions *options = nullptr) {
    int64_t one = 1;
    SawtoothBuffer weight = {"a", SAWTOOTH_F32, 1, &one, &w};
    SawtoothBuffer gradient = {"a", SAWTOOTH_F16, 1, &one, &g};
    EXPECT_EQ(message(sawtoothRuntimeCreate(&artifact, options, &runtime)), "");
    EXPECT_EQ(message(sawtoothRuntimeBind(runtime, "w", &weight, 1)), "");
    EXPECT_EQ(message(sawtoothRuntimeBind(runtime, "train.g", &gradient, 1)), "");
    EXPECT_EQ(message(sawtoothRuntimePrepare(runtime)), "");
  }
  static std::string message(SawtoothError *error) {
    std::string text = sawtoothErrorMessage(error);
    sawtoothErrorDestroy(error);
    return text;
  }
};

TEST_F(CApi, TrainsFromC) {
  char text[200];
  double scale = 0;
  EXPECT_EQ(trainInC(&artifact, &w, &g, 2, &scale, text, sizeof(text)), nullptr);
  EXPECT_EQ(w, 7.75f); // 16384 / 65536 * 0.5, twice
  EXPECT_EQ(scale, 65536);
  artifact.abi = 77;
  EXPECT_STREQ(trainInC(&artifact, &w, &g, 2, &scale, text, sizeof(text)),
               ("expected code of ABI version " + std::to_string(SAWTOOTH_ABI_VERSION) + ", got 77")
                   .c_str());
}

TEST_F(CApi, ErrorsCarryCodeAndPlace) {
  SawtoothError *error = sawtoothRuntimeCreate(nullptr, nullptr, &runtime);
  EXPECT_EQ(sawtoothErrorCode(error), uint32_t(SAWTOOTH_INVALID));
  EXPECT_NE(std::string(sawtoothErrorFile(error)).find("Artifact.cpp"), std::string::npos);
  EXPECT_GT(sawtoothErrorLine(error), 0u);
  sawtoothErrorDestroy(error);
  EXPECT_EQ(sawtoothErrorCode(nullptr), uint32_t(SAWTOOTH_OK));
  EXPECT_STREQ(sawtoothErrorMessage(nullptr), "");
}

TEST_F(CApi, SaysWhatIsWrongWithACall) {
  EXPECT_EQ(message(sawtoothRuntimeCreate(&artifact, nullptr, &runtime)), "");
  EXPECT_NE(message(sawtoothRuntimeLoad(runtime, "nowhere")).find("No such file"),
            std::string::npos);
  EXPECT_EQ(message(sawtoothRuntimeRun(runtime, "train", nullptr)),
            "expected the runtime to be prepared");
  int64_t one = 1;
  SawtoothBuffer weight = {"a", SAWTOOTH_F32, 1, &one, &w};
  EXPECT_EQ(message(sawtoothRuntimeBind(runtime, "v", &weight, 1)),
            "unknown list 'v'; there are 'w', 'h', 'm', 'g'");
  EXPECT_EQ(message(sawtoothRuntimeBind(runtime, "w", &weight, 1)), "");
  EXPECT_EQ(message(sawtoothRuntimePrepare(runtime)), "");
  EXPECT_EQ(message(sawtoothRuntimeRun(runtime, "train", nullptr)),
            "a list argument of step 'train' is not bound");
  EXPECT_EQ(message(sawtoothRuntimeRun(runtime, "tran", nullptr)),
            "unknown step 'tran'; there is 'train'");
  double value;
  EXPECT_EQ(message(sawtoothRuntimeGet(runtime, "decay", 1, &value)),
            "expected a tensor of 'decay' below 1, got 1");
  EXPECT_EQ(message(sawtoothRuntimeSet(runtime, "s.growth_interval", 1.5)),
            "s.growth_interval: expected a whole number in the range of i64");
}

TEST_F(CApi, SetsGetsAndPolls) {
  SawtoothRuntimeOptions options = {0, 1, nullptr, 2, nullptr};
  prepare(&options);
  EXPECT_EQ(message(sawtoothRuntimeSet(runtime, "s.growth_interval", 1)), "");
  EXPECT_EQ(message(sawtoothRuntimeSetText(runtime, "train.lr", "0.25")), "");
  EXPECT_EQ(message(sawtoothRuntimeSet(runtime, "decay", 2)), "");
  double value = 0;
  EXPECT_EQ(message(sawtoothRuntimeGet(runtime, "decay", 0, &value)), "");
  EXPECT_EQ(value, 2);
  int applied = -1;
  for (uint16_t bits : {0x7400, 0x7c00, 0x7400}) {
    g = bits;
    EXPECT_EQ(message(sawtoothRuntimeRun(runtime, "train", &applied)), "");
    EXPECT_EQ(applied, bits != 0x7c00);
  }
  EXPECT_EQ(w, 8 - 0.5f * 0.25f - 0.5f * 0.25f); // S is 65536 both times
  void *h = nullptr;
  EXPECT_EQ(message(sawtoothRuntimeBuffer(runtime, "h", 0, &h)), "");
  EXPECT_EQ(float(*static_cast<_Float16 *>(h)), w);

  SawtoothRow row;
  double norm2 = 0;
  ASSERT_EQ(sawtoothRuntimePoll(runtime, &row, &norm2, 1), 1);
  EXPECT_EQ(row.sequence, 0u);
  EXPECT_EQ(row.applied, 1u);
  EXPECT_EQ(row.scale, 131072);
  EXPECT_EQ(row.logs, 1u);
  EXPECT_EQ(norm2, 0.0625);
  ASSERT_EQ(sawtoothRuntimePoll(runtime, &row, nullptr, 0), 1);
  EXPECT_EQ(row.applied, 0u);
  EXPECT_EQ(row.causes, 1u);
  EXPECT_EQ(row.attempted, 2);
  EXPECT_EQ(row.skipped, 1);
  EXPECT_EQ(row.calibrationSkips, 0);
  EXPECT_EQ(sawtoothRuntimePoll(runtime, &row, nullptr, 0), 0);
  EXPECT_EQ(sawtoothRuntimeDropped(runtime), 1u); // the third found no room
}

TEST_F(CApi, SavesLoadsAndTakesAScheduler) {
  Folder folder;
  std::string path = folder.file("state.safetensors");
  static int calls;
  calls = 0;
  SawtoothParallelFor scheduler = {
      [](void *, uint64_t count, uint64_t grain, SawtoothParallelBody *body, void *context) {
        ++calls;
        for (uint64_t begin = 0; begin < count; begin += grain)
          body(context, begin, std::min(count, begin + grain));
      },
      nullptr, 3};
  SawtoothRuntimeOptions options = {0, 0, &scheduler, 0, nullptr};
  prepare(&options);
  EXPECT_EQ(message(sawtoothRuntimeRun(runtime, "train", nullptr)), "");
  EXPECT_GE(calls, 2);
  EXPECT_EQ(message(sawtoothRuntimeSave(runtime, path.c_str())), "");
  sawtoothRuntimeDestroy(runtime);
  runtime = nullptr;
  EXPECT_EQ(message(sawtoothRuntimeCreate(&artifact, nullptr, &runtime)), "");
  EXPECT_EQ(message(sawtoothRuntimeLoad(runtime, path.c_str())), "");
  EXPECT_EQ(message(sawtoothRuntimePrepare(runtime)), "");
  void *loaded = nullptr;
  EXPECT_EQ(message(sawtoothRuntimeBuffer(runtime, "w", 0, &loaded)), "");
  EXPECT_EQ(*static_cast<float *>(loaded), 7.75f);
}

} // namespace
