// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver is asked for, and in which context.
#include "GpuFixture.h"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sawtooth::test;

namespace {

std::vector<Sgd::Tensor> manyTensors(size_t count) {
  std::vector<Sgd::Tensor> tensors;
  for (size_t i = 0; i < count; ++i) {
    size_t size = i % 7 == 3 ? 0 : i % 4 + 1; // some are empty
    tensors.push_back({"t" + std::to_string(i), std::vector<float>(size, 1.0f),
                       std::vector<_Float16>(size, _Float16(2.0f))});
  }
  return tensors;
}

using Names = std::vector<std::string>;

// The one query finds out whether the context has to be made current.
TEST(GpuCalls, AStepIsItsLaunchesAndNothingElse) {
  for (size_t count : {1, 148, 10000}) {
    GpuSgd gpu;
    ASSERT_STATUS_OK(gpu.bind(manyTensors(count)));
    gpu.start();
    ContextScope current(driver(), device()->context());
    Calls calls;
    ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
    EXPECT_EQ(calls.names(), (Names{"cuCtxGetCurrent", "cuLaunchKernel", "cuLaunchKernel"}))
        << count << " tensors";
    calls.restart();
    gpu.runner->setArgSlot(0, std::bit_cast<uint64_t>(0.25));
    ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
    EXPECT_EQ(calls.names(), (Names{"cuCtxGetCurrent", "cuStreamIsCapturing", "cuMemcpyHtoDAsync",
                                    "cuCtxGetCurrent", "cuLaunchKernel", "cuLaunchKernel"}));
    calls.restart();
    gpu.runner->setArgSlot(0, std::bit_cast<uint64_t>(0.25)); // as it was
    ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
    EXPECT_EQ(calls.count("cuMemcpyHtoDAsync"), 0u);
    ASSERT_STATUS_OK(gpu.engine->pull());
    EXPECT_EQ(gpu.slot("train.applied"), 3u);
    // 1 - 2 / 65536 * (1 + 0.25 + 0.25)
    EXPECT_EQ(gpu.elements<float>(Sgd::W, 0)[0], 1.0f - 0x3p-16f);
  }
}

// A block of 64 threads takes two chunk rows at a time; more blocks than run at once would only
// wait.
TEST(GpuCalls, BlocksFollowTheWorkAndTheDevice) {
  for (auto [count, most] : {std::pair<size_t, bool>{9, false}, {20000, true}}) {
    GpuSgd gpu;
    ASSERT_STATUS_OK(gpu.bind(manyTensors(count)));
    gpu.start();
    uint64_t rows = gpu.store->chunks().size();
    EXPECT_EQ(rows, count - (count + 3) / 7); // of those that are not empty
    ContextScope current(driver(), device()->context());
    for (const DeviceExecutor::Launch &launch : gpu.executor().launches()) {
      int resident = 0;
      ASSERT_EQ(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, launch.function,
                                                                     int(launch.threads), 0),
                success);
      EXPECT_EQ(launch.threads, 64u);
      uint64_t atOnce = uint64_t(resident) * device()->processors();
      EXPECT_EQ((rows + 1) / 2 > atOnce, most) << "the counts above tell both cases apart";
      EXPECT_EQ(launch.blocks, std::min((rows + 1) / 2, atOnce));
    }
  }
}

// A learning rate of its own for each step, so many that the staging memory, two halves of 64 KiB
// with 64 bytes for each copy, is used again and again.
TEST(GpuCalls, ArgumentsMayChangeFasterThanTheDeviceRuns) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind({{"a", {0.0f}, {_Float16(65504.0f)}}}));
  gpu.start();
  uint32_t interval = *gpu.store->plan().findField("s.growth_interval");
  ASSERT_STATUS_OK(gpu.store->setField(interval, "1000000")); // the scale stays
  ASSERT_STATUS_OK(gpu.engine->pushField(interval));
  Calls calls;
  float want = 0;
  for (int step = 0; step < 5000; ++step) {
    double rate = step % 16;
    want -= float(rate) * (65504.0f / 65536.0f);
    gpu.runner->setArgSlot(0, std::bit_cast<uint64_t>(rate));
    ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
  }
  EXPECT_EQ(calls.count("cuEventSynchronize"), 3u); // before the third, fourth and fifth half
  ASSERT_STATUS_OK(gpu.engine->pull());
  EXPECT_EQ(gpu.elements<float>(Sgd::W, 0)[0], want);
}

// Longer than what one copy may be.
TEST(GpuCalls, FieldsOfManyTensorsCross) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind(manyTensors(10000)));
  gpu.start();
  uint32_t decay = *gpu.store->plan().findField("decay");
  std::span<uint64_t> slots = gpu.store->slots(decay);
  ASSERT_EQ(slots.size(), 10000u);
  for (size_t i = 0; i < slots.size(); ++i)
    slots[i] = std::bit_cast<uint64_t>(static_cast<double>(i));
  ASSERT_STATUS_OK(gpu.engine->pushField(decay));
  std::ranges::fill(slots, 0);
  ASSERT_STATUS_OK(gpu.engine->pullFields());
  for (size_t i = 0; i < slots.size(); ++i)
    ASSERT_EQ(std::bit_cast<double>(slots[i]), static_cast<double>(i));
}

// Frameworks share a device's primary context: whoever takes it gives it back as often.
TEST(GpuCalls, APrimaryContextIsGivenBack) {
  Calls calls;
  {
    DevicePointer one = device(), other = device();
    GpuSgd gpu;
    ASSERT_STATUS_OK(gpu.bind({{"a", {1.0f}, {_Float16(1.0f)}}}));
    gpu.start();
    gpu.runner.reset();
    gpu.engine.reset();
  }
  EXPECT_EQ(calls.count("cuDevicePrimaryCtxRetain"), 3u);
  EXPECT_EQ(calls.count("cuDevicePrimaryCtxRelease"), 3u);
}

// Freeing memory of the device waits for what is on its way, freeing that of the host may not: so
// the memory that copies come from goes last.
TEST(GpuCalls, MemoryOfTheHostGoesAfterThatOfTheDevice) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind({{"a", {1.0f}, {_Float16(1.0f)}}}));
  gpu.start();
  gpu.runner->setArgSlot(0, std::bit_cast<uint64_t>(0.25));
  ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
  auto freed = [](const Calls &calls) {
    Names names;
    for (const std::string &name : calls.names())
      if (name.starts_with("cuMemFree"))
        names.push_back(name);
    return names;
  };
  Calls calls;
  gpu.runner.reset();
  ASSERT_GE(freed(calls).size(), 2u);
  EXPECT_EQ(freed(calls).front(), "cuMemFree");
  EXPECT_EQ(freed(calls).back(), "cuMemFreeHost");
  calls.restart();
  gpu.engine.reset();
  ASSERT_GE(freed(calls).size(), 4u);
  EXPECT_EQ(freed(calls).front(), "cuMemFree");
  EXPECT_EQ(freed(calls).back(), "cuMemFreeHost");
}

// CUDA does not survive fork(), so that a child must not even free what its parent has.
TEST(GpuCalls, B74_AForkCallsNoDriver) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind({{"a", {1.0f}, {_Float16(1.0f)}}}));
  gpu.start();
  pid_t child = fork();
  if (child == 0) {
    Calls calls;
    int wrong = 0;
    for (Status status : {gpu.engine->start(*gpu.runner), gpu.engine->wait(), gpu.engine->pull(),
                          DeviceEngine::create(*gpu.store, gpu.engine->device(), 8).status(),
                          gpu.engine->prepare(*gpu.artifact, 0).status()})
      wrong += status.code() != StatusCode::Unsupported;
    gpu.runner.reset();
    gpu.engine.reset();
    _exit(wrong * 100 + static_cast<int>(std::min<size_t>(calls.names().size(), 99)));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "hundreds: calls that succeeded; then calls of the driver";
  ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner)); // the parent goes on
  ASSERT_STATUS_OK(gpu.engine->wait());
}

TEST(GpuCalls, B79_RowsArriveWithoutAnySynchronisation) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind({{"a", {1}, {_Float16(1)}}}));
  gpu.start();
  Calls calls;
  StatusRow row;
  uint64_t taken = 0;
  for (int step = 0; step < 1000; ++step) {
    ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
    while (gpu.engine->next(row))
      EXPECT_EQ(row.sequence, taken++);
  }
  uint64_t synchronisations =
      calls.count("cuStreamSynchronize") + calls.count("cuEventSynchronize");
  EXPECT_EQ(synchronisations, 0u);
  EXPECT_EQ(calls.count("cuLaunchKernel"), 2000u);
  EXPECT_EQ(calls.count("cuMemAlloc"), 0u);
  ASSERT_STATUS_OK(gpu.engine->wait());
  while (gpu.engine->next(row))
    EXPECT_EQ(row.sequence, taken++);
  EXPECT_EQ(taken, 1000u);
  EXPECT_EQ(gpu.engine->dropped(), 0u);
}

TEST(GpuCalls, B73_OneModuleAContext) {
  spy().devices = 2;
  GpuSgd first;
  ASSERT_STATUS_OK(first.bind({{"a", {1}, {_Float16(1)}}}));
  uint64_t before = spy().moduleLoads;
  std::vector<std::unique_ptr<DeviceEngine>> engines;
  std::vector<std::unique_ptr<StepRunner>> runners;
  for (int ordinal : {0, 1, 0}) {
    Result<std::unique_ptr<DeviceEngine>> engine =
        DeviceEngine::create(*first.store, device(ordinal), 8);
    ASSERT_TRUE(engine.ok()) << engine.status().message();
    engines.push_back(std::move(*engine));
    Result<std::unique_ptr<StepRunner>> runner = engines.back()->prepare(*first.artifact, 0);
    ASSERT_TRUE(runner.ok()) << runner.status().message();
    runners.push_back(std::move(*runner));
  }
  EXPECT_EQ(spy().moduleLoads - before, 2u);
  for (size_t i = 0; i < engines.size(); ++i) {
    ASSERT_STATUS_OK(engines[i]->start(*runners[i]));
    ASSERT_STATUS_OK(engines[i]->wait());
    StatusRow row;
    EXPECT_TRUE(engines[i]->next(row));
  }
  // A thread without a context of its own.
  Status status;
  CUcontext left = device()->context();
  std::thread([&] {
    status = engines[1]->start(*runners[1]);
    driver().cuCtxGetCurrent(&left);
  }).join();
  EXPECT_STATUS_OK(status);
  EXPECT_EQ(left, nullptr);
  runners.clear();
  spy().devices = 1;
}

TEST(GpuCalls, B40_EveryCallHasTheContextOfTheTensors) {
  spy().devices = 2;
  DevicePointer here = device(0), there = device(1);
  ContextScope current(driver(), here->context());
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind(oddTensors()));
  Calls calls;
  {
    gpu.start(8, /*ordinal=*/1);
    ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
    ASSERT_STATUS_OK(gpu.engine->pull());
    gpu.runner.reset();
    gpu.engine.reset();
  }
  // Devices are asked what they are under any context.
  std::vector<std::string> names = calls.names();
  EXPECT_EQ(calls.count("cuLaunchKernel"), 2u);
  EXPECT_EQ(calls.count("cuModuleUnload"), 1u);
  for (uint64_t i = spy().calls - names.size(); i < spy().calls; ++i) {
    std::string name = spy().log[i];
    if (name.starts_with("cuCtx") || name.starts_with("cuDevice") ||
        name == "cuThreadExchangeStreamCaptureMode")
      continue;
    EXPECT_EQ(spy().context[i], there->context()) << name;
  }
  CUcontext now = nullptr;
  ASSERT_EQ(driver().cuCtxGetCurrent(&now), success);
  EXPECT_EQ(now, here->context());

  // Tensors of another device than the step's are refused by name.
  Result<DeviceMemory> w = DeviceMemory::allocate(here, 64, "a test");
  ASSERT_TRUE(w.ok());
  GpuSgd mixed;
  mixed.tensors = {{"a", {1, 2}, {_Float16(1), _Float16(1)}}};
  ASSERT_STATUS_OK(mixed.bindOnly(Sgd::G));
  TensorRef onFirst{"a", {2}, SAWTOOTH_F32, reinterpret_cast<void *>(w->address())};
  ASSERT_STATUS_OK(mixed.store->bindDevice(Sgd::W, {&onFirst, 1}));
  fetchFrom(*mixed.store, here);
  ASSERT_EQ(driver().cuMemsetD8Async(w->address(), 0, 64, nullptr), success);
  ASSERT_STATUS_OK(mixed.store->finish());
  Status status = DeviceEngine::create(*mixed.store, there, 8).status();
  EXPECT_EQ(status.code(), StatusCode::Mismatch);
  EXPECT_EQ(status.message(), "tensor 'a' of list 'w': expected memory of device 1, got 0");
  spy().devices = 1;
}

} // namespace
