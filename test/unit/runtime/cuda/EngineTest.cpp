// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GpuFixture.h"

#include <thread>

using namespace sawtooth::test;

namespace {

const _Float16 infinity = _Float16(INFINITY);

TEST(GpuEngine, GivesTheRowsAndBytesOfTheCpu) {
  Sgd cpu;
  GpuSgd gpu;
  ASSERT_STATUS_OK(cpu.bind(oddTensors()));
  ASSERT_STATUS_OK(gpu.bind(oddTensors()));
  std::unique_ptr<Engine> reference = createCpuEngine(*cpu.store, 64);
  Result<std::unique_ptr<StepRunner>> runner = reference->prepare(*cpu.artifact, 0);
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  gpu.start();
  for (int step = 0; step < 8; ++step) {
    // An infinity in the first, then in the fifth step.
    bool poisoned = step == 0 || step == 4;
    for (Sgd *each : {&cpu, static_cast<Sgd *>(&gpu)})
      each->tensors[3].g[SAWTOOTH_CHUNK] = poisoned ? infinity : _Float16(3);
    ASSERT_STATUS_OK(gpu.engine->pushList(Sgd::G));
    uint64_t rate = std::bit_cast<uint64_t>(step < 4 ? 0.5 : 0.125);
    (*runner)->setArgSlot(0, rate);
    gpu.runner->setArgSlot(0, rate);
    ASSERT_STATUS_OK(reference->start(**runner));
    ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
    ASSERT_STATUS_OK(gpu.engine->wait());
    StatusRow want, got;
    ASSERT_TRUE(reference->next(want));
    ASSERT_TRUE(gpu.engine->next(got));
    EXPECT_TRUE(got == want) << "step " << step;
    EXPECT_EQ(got.applied, !poisoned);
    EXPECT_FALSE(gpu.engine->next(got));
  }
  Folder folder;
  ASSERT_STATUS_OK(gpu.engine->pull());
  ASSERT_STATUS_OK(saveState(*cpu.store, folder.file("cpu"), {}));
  ASSERT_STATUS_OK(saveState(*gpu.store, folder.file("gpu"), {}));
  EXPECT_EQ(contentOf(folder.file("gpu")), contentOf(folder.file("cpu")));
}

TEST(GpuEngine, SaysWhichImageRunsWhere) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind(oddTensors()));
  gpu.start();
  EXPECT_NE(gpu.engine->description().find("(sm_90), PTX 6.3 for sm_75"), std::string::npos)
      << gpu.engine->description();
}

TEST(GpuEngine, TakesFieldsThatAreSetAtRunTime) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind(oddTensors()));
  gpu.start();
  uint32_t interval = *gpu.store->plan().findField("s.growth_interval");
  StatusRow row;
  for (int64_t wanted : {1, 2, 2000}) {
    ASSERT_STATUS_OK(gpu.store->setField(interval, std::to_string(wanted)));
    ASSERT_STATUS_OK(gpu.engine->pushField(interval));
    for (int step = 0; step < 2; ++step)
      ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
  }
  ASSERT_STATUS_OK(gpu.engine->wait());
  // Doubled after each of two steps, then after two, then not again.
  for (double scale : {131072.0, 262144.0, 262144.0, 524288.0, 524288.0, 524288.0}) {
    ASSERT_TRUE(gpu.engine->next(row));
    EXPECT_EQ(row.scalers[0].scale, scale) << "after step " << row.sequence;
  }
  // Per tensor: the second tensor alone now decays by 0, so its weights stay.
  uint32_t decay = *gpu.store->plan().findField("decay");
  ASSERT_STATUS_OK(gpu.engine->pull());
  std::vector<float> before(gpu.elements<float>(Sgd::W, 1).begin(),
                            gpu.elements<float>(Sgd::W, 1).end());
  std::vector<std::pair<std::string, uint64_t>> patterns = {{"b.*", 0},
                                                            {"*", std::bit_cast<uint64_t>(1.0)}};
  ASSERT_STATUS_OK(gpu.store->setField(decay, patterns));
  ASSERT_STATUS_OK(gpu.engine->pushField(decay));
  ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
  ASSERT_STATUS_OK(gpu.engine->pull());
  EXPECT_TRUE(std::ranges::equal(gpu.elements<float>(Sgd::W, 1), before));
  EXPECT_EQ(gpu.slot("train.applied"), 7u);
}

// What an evaluation that is interrupted does: all fields become what they were.
TEST(GpuEngine, TakesAllFieldsOfTheStepAtOnce) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind({{"a", {1}, {_Float16(1)}}}));
  gpu.start();
  std::span<uint64_t> state(static_cast<uint64_t *>(gpu.store->stateBlock()),
                            gpu.store->plan().header().stateBytes / 8);
  std::vector<uint64_t> before(state.begin(), state.end());
  ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
  ASSERT_STATUS_OK(gpu.engine->pullFields());
  EXPECT_FALSE(std::ranges::equal(state, before));
  std::ranges::copy(before, state.begin());
  ASSERT_STATUS_OK(gpu.engine->pushFields());
  std::ranges::fill(state, 0);
  ASSERT_STATUS_OK(gpu.engine->pullFields());
  EXPECT_TRUE(std::ranges::equal(state, before));
}

TEST(GpuEngine, CountsRowsThatNobodyTook) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind({{"a", {1}, {_Float16(1)}}}));
  gpu.start(/*rows=*/8);
  EXPECT_EQ(gpu.engine->capacity(), 8u);
  StatusRow row;
  for (int step = 0; step < 21; ++step)
    ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
  ASSERT_STATUS_OK(gpu.engine->wait());
  for (uint64_t sequence = 13; sequence < 21; ++sequence) {
    ASSERT_TRUE(gpu.engine->next(row));
    EXPECT_EQ(row.sequence, sequence);
    EXPECT_EQ(row.attempted, int64_t(sequence + 1));
  }
  EXPECT_FALSE(gpu.engine->next(row));
  EXPECT_EQ(gpu.engine->dropped(), 13u);
}

// Rows of one ring have one layout: that of the code it was made for.
TEST(GpuEngine, RefusesAStepWithAnotherFrame) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind({{"a", {1}, {_Float16(1)}}}));
  gpu.start();
  SgdOptions wider;
  wider.edit = [](PlanWriter &plan) { plan.steps[0].frameBytes += 8; };
  FakeGpuModule other = fakeSgdOnGpu(wider);
  SawtoothArtifact artifact = other.artifact();
  Result<Artifact> read = Artifact::read(&artifact);
  ASSERT_TRUE(read.ok()) << read.status().message();
  Status status = gpu.engine->prepare(*read, 0).status();
  EXPECT_EQ(status.code(), StatusCode::Mismatch);
  EXPECT_NE(status.message().find("step 'train' was compiled anew with another frame"),
            std::string::npos)
      << status.message();
}

// A model without tensors has no buffer at all, and its steps run.
TEST(GpuEngine, RunsAModelWithoutElements) {
  for (bool none : {true, false}) {
    GpuSgd gpu;
    ASSERT_STATUS_OK(gpu.bind(none ? std::vector<Sgd::Tensor>{}
                                   : std::vector<Sgd::Tensor>{{"x", {}, {}}, {"y", {}, {}}}));
    gpu.start();
    Calls calls;
    ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
    EXPECT_EQ(calls.count("cuLaunchKernel"), 2u);
    ASSERT_STATUS_OK(gpu.engine->wait());
    StatusRow row;
    ASSERT_TRUE(gpu.engine->next(row));
    EXPECT_TRUE(row.applied);
    EXPECT_EQ(gpu.executor().launches()[0].blocks, 1u);
  }
}

TEST(GpuEngine, ReportsAKernelThatFails) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind({{"a", {1}, {_Float16(1)}}}));
  DevicePointer here = device();
  const Driver &api = driver();
  CUcontext context = nullptr, ignored;
  ASSERT_EQ(api.cuCtxCreate(&context, 0, 0), success);
  ASSERT_EQ(api.cuCtxPopCurrent(&ignored), success);
  Result<DevicePointer> own = Device::of(context);
  ASSERT_TRUE(own.ok());
  {
    Result<std::unique_ptr<DeviceEngine>> engine = DeviceEngine::create(*gpu.store, *own, 8);
    ASSERT_TRUE(engine.ok()) << engine.status().message();
    auto runner = (*engine)->prepare(*gpu.artifact, 0);
    ASSERT_TRUE(runner.ok());
    // The list of weights now leads nowhere.
    uint64_t nowhere = 0x10;
    ContextScope scope(api, context);
    ASSERT_EQ(api.cuMemcpyHtoDAsync((*engine)->deviceStore().listTable(Sgd::W), &nowhere, 8,
                                    (*engine)->currentStream()),
              success);
    Status started = (*engine)->start(**runner);
    Status ended = (*engine)->wait();
    EXPECT_EQ(ended.code(), StatusCode::DeviceFailed);
    EXPECT_NE(ended.message().find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos)
        << ended.message();
    Status next = (*engine)->start(**runner);
    EXPECT_EQ(next.code(), StatusCode::DeviceFailed) << next.message();
  }
  ASSERT_EQ(api.cuCtxDestroy(context), success);
}

} // namespace
