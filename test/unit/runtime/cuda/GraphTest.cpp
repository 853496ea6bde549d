// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GpuFixture.h"

using namespace sawtooth::test;

namespace {

class GpuGraph : public testing::Test {
protected:
  void SetUp() override {
    scope = std::make_unique<ContextScope>(driver(), here->context());
    Result<std::unique_ptr<Stream>> made = Stream::create(here);
    ASSERT_TRUE(made.ok());
    stream = std::move(*made);
  }
  void TearDown() override {
    if (exec)
      EXPECT_EQ(driver().cuGraphExecDestroy(exec), success);
  }
  /// Captures one step of a prepared module.
  void capture(GpuSgd &gpu) {
    CUgraph graph = nullptr;
    ASSERT_EQ(driver().cuStreamBeginCapture(stream->get(), captureModeThreadLocal), success);
    ASSERT_STATUS_OK(gpu.executor().launch(stream->get()));
    ASSERT_EQ(driver().cuStreamEndCapture(stream->get(), &graph), success);
    ASSERT_EQ(driver().cuGraphInstantiateWithFlags(&exec, graph, 0), success);
    ASSERT_EQ(driver().cuGraphDestroy(graph), success);
  }

  DevicePointer here = device();
  std::unique_ptr<ContextScope> scope;
  std::unique_ptr<Stream> stream;
  CUgraphExec exec = nullptr;
};

TEST_F(GpuGraph, B81_ReplaysWithOtherGradientsAndRates) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind({{"a", {8.0f}, {_Float16(1.0f)}}}));
  gpu.start(64, 0, stream->get());
  capture(gpu);
  Calls calls;
  float want = 8.0f, scale = 65536.0f;
  for (int replay = 0; replay < 5; ++replay) {
    bool skip = replay == 2;
    gpu.tensors[0].g[0] = skip ? _Float16(INFINITY) : _Float16(16384.0f);
    ASSERT_STATUS_OK(gpu.engine->pushList(Sgd::G));
    double rate = replay < 3 ? 1.0 : 0.5;
    gpu.runner->setArgSlot(0, std::bit_cast<uint64_t>(rate));
    ASSERT_STATUS_OK(gpu.executor().uploadArguments(stream->get()));
    ASSERT_EQ(driver().cuGraphLaunch(exec, stream->get()), success);
    ASSERT_STATUS_OK(gpu.engine->wait());
    StatusRow row;
    ASSERT_TRUE(gpu.engine->next(row));
    want -= skip ? 0.0f : float(rate) * (16384.0f / scale);
    scale = skip ? scale / 2 : scale;
    EXPECT_EQ(row.applied, !skip);
    EXPECT_EQ(row.scalers[0].scale, scale) << "replay " << replay;
  }
  EXPECT_EQ(calls.count("cuLaunchKernel"), 0u);
  ASSERT_STATUS_OK(gpu.engine->pull());
  EXPECT_EQ(gpu.elements<float>(Sgd::W, 0)[0], want);
  EXPECT_EQ(gpu.slot("train.attempted"), 5u);
}

TEST_F(GpuGraph, B81_AnArgumentThatChangedIsNoPartOfACapture) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind({{"a", {8.0f}, {_Float16(1.0f)}}}));
  gpu.start(64, 0, stream->get());
  gpu.runner->setArgSlot(0, std::bit_cast<uint64_t>(0.5));
  ASSERT_EQ(driver().cuStreamBeginCapture(stream->get(), captureModeThreadLocal), success);
  Status status = gpu.executor().run(stream->get());
  EXPECT_EQ(status.code(), StatusCode::Invalid);
  EXPECT_NE(status.message().find("before the capture"), std::string::npos) << status.message();
  // The capture goes on undisturbed.
  ASSERT_STATUS_OK(gpu.executor().launch(stream->get()));
  CUgraph graph = nullptr;
  ASSERT_EQ(driver().cuStreamEndCapture(stream->get(), &graph), success);
  ASSERT_EQ(driver().cuGraphDestroy(graph), success);
}

// Nor is a batch, which a replay would read where it lay.
TEST_F(GpuGraph, B81_ATensorOnTheHostIsNoPartOfACapture) {
  FakeGpuModule module = fakeFitOnGpu(1);
  SawtoothArtifact artifact = module.artifact();
  Artifact read = *Artifact::read(&artifact);
  std::unique_ptr<Store> store = std::move(*Store::create(read.plan, 3, ParallelFor::serial()));
  ASSERT_STATUS_OK(store->finish());
  std::unique_ptr<DeviceEngine> engine =
      std::move(*DeviceEngine::create(*store, here, 16, stream->get()));
  std::unique_ptr<StepRunner> runner = std::move(*engine->prepare(read, 0));
  const float x[2] = {1, 2}, y = 3;
  runner->setTensor(0, x);
  runner->setTensor(1, &y);
  ASSERT_STATUS_OK(engine->start(*runner));
  ASSERT_EQ(driver().cuStreamBeginCapture(stream->get(), captureModeThreadLocal), success);
  Status status = engine->start(*runner);
  EXPECT_EQ(status.code(), StatusCode::Invalid);
  EXPECT_EQ(status.message().find("a tensor argument of step 'train' lies on the host"), 0u)
      << status.message();
  ASSERT_STATUS_OK(static_cast<DeviceExecutor &>(*runner).launch(stream->get()));
  CUgraph graph = nullptr;
  ASSERT_EQ(driver().cuStreamEndCapture(stream->get(), &graph), success);
  ASSERT_EQ(driver().cuGraphDestroy(graph), success);
}

// What a graph would repeat with every replay, or a capture cannot hold, is refused without harm.
TEST_F(GpuGraph, B81_StateIsNoPartOfACapture) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind({{"a", {8.0f}, {_Float16(1.0f)}}}));
  gpu.start(64, 0, stream->get());
  uint32_t interval = *gpu.store->plan().findField("s.growth_interval");
  ASSERT_EQ(driver().cuStreamBeginCapture(stream->get(), captureModeThreadLocal), success);
  for (Status status : {gpu.engine->pushField(interval), gpu.engine->pushFields(),
                        gpu.engine->pushList(Sgd::G), gpu.engine->pull(), gpu.engine->pullFields(),
                        gpu.engine->wait(), gpu.engine->applied(*gpu.runner).status()}) {
    EXPECT_EQ(status.code(), StatusCode::Invalid) << status.message();
    EXPECT_NE(status.message().find("is being captured"), std::string::npos) << status.message();
  }
  ASSERT_STATUS_OK(gpu.executor().launch(stream->get()));
  CUgraph graph = nullptr;
  ASSERT_EQ(driver().cuStreamEndCapture(stream->get(), &graph), success);
  ASSERT_EQ(driver().cuGraphDestroy(graph), success);
  ASSERT_STATUS_OK(gpu.engine->pushField(interval));
}

// Another part of the program may come and go while a stream is captured.
TEST_F(GpuGraph, B81_LoadingAndUnloadingLeaveACaptureAlone) {
  GpuSgd gpu, other;
  ASSERT_STATUS_OK(gpu.bind({{"a", {8.0f}, {_Float16(1.0f)}}}));
  ASSERT_STATUS_OK(other.bind({{"a", {8.0f}, {_Float16(1.0f)}}}));
  gpu.start(64, 0, stream->get());
  ASSERT_EQ(driver().cuStreamBeginCapture(stream->get(), /*global*/ 0), success);
  ASSERT_STATUS_OK(gpu.executor().launch(stream->get()));
  other.start();
  other.runner.reset();
  other.engine.reset();
  CUgraph graph = nullptr;
  ASSERT_EQ(driver().cuStreamEndCapture(stream->get(), &graph), success);
  ASSERT_EQ(driver().cuGraphDestroy(graph), success);
}

} // namespace
