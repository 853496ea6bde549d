// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API as a program uses it whose tensors are on a GPU.
#include "sawtooth/runtime/Runtime.h"

#include "GpuFixture.h"

using namespace sawtooth::test;

namespace {

class GpuCApi : public testing::Test {
protected:
  void SetUp() override {
    scope = std::make_unique<ContextScope>(driver(), here->context());
    stream = std::move(*Stream::create(here));
    memory = std::move(*DeviceMemory::allocate(here, 16, "a test"));
    float w = 8;
    upload(memory.address(), &w, 4);
    setGradient(_Float16(16384));
  }
  void TearDown() override { sawtoothRuntimeDestroy(runtime); }

  void upload(CUdeviceptr to, const void *from, size_t bytes) {
    ASSERT_EQ(driver().cuMemcpyHtoDAsync(to, from, bytes, stream->get()), success);
    ASSERT_EQ(driver().cuStreamSynchronize(stream->get()), success);
  }
  template <typename T>
  T read(CUdeviceptr from) {
    T value{};
    EXPECT_EQ(driver().cuMemcpyDtoHAsync(&value, from, sizeof(T), stream->get()), success);
    EXPECT_EQ(driver().cuStreamSynchronize(stream->get()), success);
    return value;
  }
  void setGradient(_Float16 g) { upload(memory.address() + 8, &g, 2); }
  static std::string message(SawtoothError *error) {
    std::string text = sawtoothErrorMessage(error);
    sawtoothErrorDestroy(error);
    return text;
  }

  void prepare() {
    SawtoothDeviceOptions on = {0, here->context(), stream->get()};
    SawtoothRuntimeOptions options = {};
    options.device = &on;
    int64_t one = 1;
    SawtoothBuffer w = {"a", SAWTOOTH_F32, 1, &one, reinterpret_cast<void *>(memory.address())};
    SawtoothBuffer g = {"a", SAWTOOTH_F16, 1, &one, reinterpret_cast<void *>(memory.address() + 8)};
    ASSERT_EQ(message(sawtoothRuntimeCreate(&artifact, &options, &runtime)), "");
    ASSERT_EQ(message(sawtoothRuntimeBindDevice(runtime, "w", &w, 1)), "");
    ASSERT_EQ(message(sawtoothRuntimeBindDevice(runtime, "g", &g, 1)), "");
    ASSERT_EQ(message(sawtoothRuntimePrepare(runtime)), "");
  }

  FakeGpuModule module = fakeSgdOnGpu();
  SawtoothArtifact artifact = module.artifact();
  DevicePointer here = device();
  std::unique_ptr<ContextScope> scope;
  std::unique_ptr<Stream> stream;
  DeviceMemory memory; // w, and g at 8
  SawtoothRuntime *runtime = nullptr;
};

TEST_F(GpuCApi, TrainsOnTheCallersStream) {
  prepare();
  void *scale = nullptr, *w = nullptr;
  ASSERT_EQ(message(sawtoothRuntimeField(runtime, "s.scale", 0, &scale)), "");
  ASSERT_EQ(message(sawtoothRuntimeBuffer(runtime, "w", 0, &w)), "");
  EXPECT_EQ(reinterpret_cast<CUdeviceptr>(w), memory.address());
  EXPECT_EQ(read<float>(reinterpret_cast<CUdeviceptr>(scale)), 65536.0f);

  ASSERT_EQ(message(sawtoothRuntimeSet(runtime, "lr", 0.5)), "");
  ASSERT_EQ(message(sawtoothRuntimeRun(runtime, "train", nullptr)), "");
  int applied = 0;
  ASSERT_EQ(message(sawtoothRuntimeRun(runtime, "train", &applied)), "");
  EXPECT_EQ(applied, 1);
  EXPECT_EQ(read<float>(memory.address()), 7.75f); // 16384 / 65536 * 0.5, twice
  setGradient(_Float16(INFINITY));
  ASSERT_EQ(message(sawtoothRuntimeRun(runtime, "train", &applied)), "");
  EXPECT_EQ(applied, 0);
  EXPECT_EQ(read<float>(reinterpret_cast<CUdeviceptr>(scale)), 32768.0f);

  SawtoothRow row;
  double log = 0;
  for (uint64_t sequence = 0; sequence < 3; ++sequence) {
    ASSERT_TRUE(sawtoothRuntimePoll(runtime, &row, &log, 1));
    EXPECT_EQ(row.sequence, sequence);
    EXPECT_EQ(row.applied, sequence < 2);
    EXPECT_EQ(row.scale, sequence < 2 ? 65536 : 32768);
  }
  EXPECT_FALSE(sawtoothRuntimePoll(runtime, &row, &log, 1));
  double value = 0;
  ASSERT_EQ(message(sawtoothRuntimeGet(runtime, "train.applied", 0, &value)), "");
  EXPECT_EQ(value, 2);
  ASSERT_EQ(message(sawtoothRuntimeSet(runtime, "s.scale", 1024)), "");
  EXPECT_EQ(read<float>(reinterpret_cast<CUdeviceptr>(scale)), 1024.0f);
}

TEST_F(GpuCApi, GivesACaptureItsLaunchesAlone) {
  prepare();
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(driver().cuStreamBeginCapture(stream->get(), captureModeThreadLocal), success);
  ASSERT_EQ(message(sawtoothRuntimeLaunch(runtime, "train")), "");
  ASSERT_EQ(driver().cuStreamEndCapture(stream->get(), &graph), success);
  ASSERT_EQ(driver().cuGraphInstantiateWithFlags(&exec, graph, 0), success);
  for (double rate : {1.0, 0.5}) {
    ASSERT_EQ(message(sawtoothRuntimeSet(runtime, "lr", rate)), "");
    ASSERT_EQ(message(sawtoothRuntimeUpload(runtime, "train")), "");
    ASSERT_EQ(driver().cuGraphLaunch(exec, stream->get()), success);
  }
  ASSERT_EQ(message(sawtoothRuntimeWait(runtime)), "");
  EXPECT_EQ(read<float>(memory.address()), 7.625f); // 8 - 0.25 - 0.125
  ASSERT_EQ(driver().cuGraphExecDestroy(exec), success);
  ASSERT_EQ(driver().cuGraphDestroy(graph), success);
}

TEST_F(GpuCApi, B81_AStepThatIsNotPreparedCallsNoDriver) {
  ASSERT_EQ(message(sawtoothRuntimeCreate(&artifact, nullptr, &runtime)), "");
  Calls calls;
  EXPECT_EQ(message(sawtoothRuntimeLaunch(runtime, "train")),
            "expected the runtime to be prepared");
  EXPECT_EQ(message(sawtoothRuntimeRun(runtime, "train", nullptr)),
            "expected the runtime to be prepared");
  EXPECT_EQ(calls.names(), std::vector<std::string>{});
}

TEST_F(GpuCApi, KeepsDeviceBuffersFromACpu) {
  FakeModule cpu = fakeSgd();
  SawtoothArtifact code = cpu.artifact();
  ASSERT_EQ(message(sawtoothRuntimeCreate(&code, nullptr, &runtime)), "");
  int64_t one = 1;
  SawtoothBuffer w = {"a", SAWTOOTH_F32, 1, &one, reinterpret_cast<void *>(memory.address())};
  EXPECT_EQ(message(sawtoothRuntimeBindDevice(runtime, "w", &w, 1)),
            "expected code for a GPU to bind buffers on one, got code for a CPU");
}

} // namespace
