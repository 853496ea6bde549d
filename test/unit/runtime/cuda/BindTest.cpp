// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that are on the device already, as in a program that trains there.
#include "GpuFixture.h"

using namespace sawtooth::test;

namespace {

struct DeviceTensors {
  DeviceTensors(const std::vector<Sgd::Tensor> &tensors, bool weights) {
    for (const Sgd::Tensor &tensor : tensors) {
      uint64_t bytes = weights ? tensor.w.size() * 4 : tensor.g.size() * 2;
      const void *from = weights ? static_cast<const void *>(tensor.w.data()) : tensor.g.data();
      Result<DeviceMemory> made = DeviceMemory::allocate(device(), bytes, "a test");
      EXPECT_TRUE(made.ok());
      memory.push_back(std::move(*made));
      if (bytes)
        EXPECT_EQ(driver().cuMemcpyHtoDAsync(memory.back().address(), from, bytes, nullptr),
                  success);
      refs.push_back({tensor.name,
                      {int64_t(tensor.w.size())},
                      weights ? SAWTOOTH_F32 : SAWTOOTH_F16,
                      reinterpret_cast<void *>(memory.back().address())});
    }
    EXPECT_EQ(driver().cuStreamSynchronize(nullptr), success);
  }
  std::vector<DeviceMemory> memory;
  std::vector<TensorRef> refs;
};

TEST(GpuBind, WorksOnTheCallersTensors) {
  DevicePointer here = device();
  ContextScope current(driver(), here->context());
  Sgd cpu;
  ASSERT_STATUS_OK(cpu.bind(oddTensors()));
  std::unique_ptr<Executor> reference = cpu.executor();
  reference->run();

  DeviceTensors w(oddTensors(), true), g(oddTensors(), false);
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.store->bindDevice(Sgd::W, w.refs));
  ASSERT_STATUS_OK(gpu.store->bindDevice(Sgd::G, g.refs));
  // The copy starts from elements that only the device has.
  fetchFrom(*gpu.store, here);
  ASSERT_STATUS_OK(gpu.store->finish());
  gpu.start();
  EXPECT_EQ(gpu.engine->deviceStore().tensorAddress(Sgd::W, 3), w.memory[3].address());
  ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
  ASSERT_STATUS_OK(gpu.engine->wait());
  // In place: the caller's own memory holds the result.
  std::vector<float> got(cpu.tensors[3].w.size());
  ASSERT_EQ(driver().cuMemcpyDtoHAsync(got.data(), w.memory[3].address(), got.size() * 4, nullptr),
            success);
  ASSERT_EQ(driver().cuStreamSynchronize(nullptr), success);
  EXPECT_EQ(got, cpu.tensors[3].w);
  Folder folder;
  ASSERT_STATUS_OK(gpu.engine->pull());
  ASSERT_STATUS_OK(saveState(*cpu.store, folder.file("cpu"), {}));
  ASSERT_STATUS_OK(saveState(*gpu.store, folder.file("gpu"), {}));
  EXPECT_EQ(contentOf(folder.file("gpu")), contentOf(folder.file("cpu")));
}

TEST(GpuBind, UploadsOnlyAPointerTableThatChanged) {
  DevicePointer here = device();
  ContextScope current(driver(), here->context());
  std::vector<Sgd::Tensor> tensors = {{"a", {1.0f}, {_Float16(16384.0f)}}};
  DeviceTensors first(tensors, false);
  tensors[0].g[0] = _Float16(-16384.0f);
  DeviceTensors second(tensors, false);
  GpuSgd gpu;
  gpu.tensors = tensors;
  ASSERT_STATUS_OK(gpu.bindOnly(Sgd::W));
  ASSERT_STATUS_OK(gpu.store->bindDevice(Sgd::G, first.refs));
  ASSERT_STATUS_OK(gpu.store->finish());
  gpu.start();
  ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
  Calls calls;
  ASSERT_STATUS_OK(gpu.store->bindDevice(Sgd::G, first.refs)); // the same again
  ASSERT_STATUS_OK(gpu.engine->pushList(Sgd::G));
  EXPECT_EQ(calls.count("cuMemcpyHtoDAsync"), 0u);
  ASSERT_STATUS_OK(gpu.store->bindDevice(Sgd::G, second.refs));
  ASSERT_STATUS_OK(gpu.engine->pushList(Sgd::G));
  EXPECT_EQ(calls.count("cuMemcpyHtoDAsync"), 1u);
  ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
  ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
  ASSERT_STATUS_OK(gpu.engine->pull());
  EXPECT_EQ(gpu.elements<float>(Sgd::W, 0)[0], 1.25f);
}

TEST(GpuBind, RefusesWhatIsNoAddressOfADevice) {
  GpuSgd gpu;
  float onTheHost = 0;
  gpu.tensors = {{"a", {1.0f}, {_Float16(1.0f)}}};
  ASSERT_STATUS_OK(gpu.bindOnly(Sgd::G));
  TensorRef ref{"a", {1}, SAWTOOTH_F32, &onTheHost};
  ASSERT_STATUS_OK(gpu.store->bindDevice(Sgd::W, {&ref, 1}));
  // Unreachable for initial values, and for the device.
  EXPECT_EQ(gpu.store->finish().code(), StatusCode::Invalid);
}

// Batches of host memory, which the caller fills anew for each step.
TEST(GpuBind, TakesTensorArgumentsFromTheHost) {
  FakeGpuModule whole = fakeFitOnGpu(4), rest = fakeFitOnGpu(2);
  FakeModule cpu = fakeFit(4);
  SawtoothArtifact artifacts[] = {whole.artifact(), rest.artifact(), cpu.artifact()};
  std::vector<Artifact> read;
  for (const SawtoothArtifact &each : artifacts) {
    Result<Artifact> one = Artifact::read(&each);
    ASSERT_TRUE(one.ok()) << one.status().message();
    read.push_back(*one);
  }
  std::vector<float> x(8), y(4);
  std::vector<std::unique_ptr<Store>> stores;
  std::vector<std::unique_ptr<Engine>> engines;
  std::vector<std::unique_ptr<StepRunner>> runners;
  for (int onGpu : {1, 0}) {
    stores.push_back(std::move(*Store::create(read[onGpu ? 0 : 2].plan, 3, ParallelFor::serial())));
    ASSERT_STATUS_OK(stores.back()->finish());
    if (onGpu)
      engines.push_back(std::move(*DeviceEngine::create(*stores.back(), device(), 16)));
    else
      engines.push_back(createCpuEngine(*stores.back(), 16));
    auto runner = engines.back()->prepare(read[onGpu ? 0 : 2], 0);
    ASSERT_TRUE(runner.ok()) << runner.status().message();
    EXPECT_EQ((*runner)->ready().code(), StatusCode::Invalid);
    (*runner)->setTensor(0, x.data());
    (*runner)->setTensor(1, y.data());
    ASSERT_STATUS_OK((*runner)->ready());
    runners.push_back(std::move(*runner));
  }
  for (int step = 0; step < 5; ++step) {
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(step * 8 + i) / 16;
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = float(step) - float(i);
    for (size_t i = 0; i < engines.size(); ++i)
      ASSERT_STATUS_OK(engines[i]->start(*runners[i]));
  }
  ASSERT_STATUS_OK(engines[0]->pull());
  for (int step = 0; step < 5; ++step) {
    StatusRow gpu, host;
    ASSERT_TRUE(engines[0]->next(gpu));
    ASSERT_TRUE(engines[1]->next(host));
    EXPECT_EQ(gpu.logs, host.logs) << "step " << step;
  }
  auto weights = [&](size_t i) {
    auto *w = static_cast<float *>(stores[i]->buffers(0)[0]);
    return std::vector<float>(w, w + 2);
  };
  EXPECT_EQ(weights(0), weights(1));
  // The same step for another batch size, on the same store.
  auto smaller = engines[0]->prepare(read[1], 1);
  ASSERT_TRUE(smaller.ok()) << smaller.status().message();
  (*smaller)->setTensor(0, x.data());
  (*smaller)->setTensor(1, y.data());
  ASSERT_STATUS_OK(engines[0]->start(**smaller));
  ASSERT_STATUS_OK(engines[0]->wait());
  StatusRow row;
  ASSERT_TRUE(engines[0]->next(row));
  EXPECT_EQ(row.step, 1u);
  // The engine goes after its runners.
  smaller->reset();
  runners.clear();
}

// A tensor argument may lie on the device in one step and on the host in the next.
TEST(GpuBind, TakesTensorArgumentsFromEitherSide) {
  DevicePointer here = device();
  ContextScope current(driver(), here->context());
  FakeGpuModule module = fakeFitOnGpu(1);
  SawtoothArtifact artifact = module.artifact();
  Artifact read = *Artifact::read(&artifact);
  std::unique_ptr<Store> store = std::move(*Store::create(read.plan, 3, ParallelFor::serial()));
  ASSERT_STATUS_OK(store->finish());
  std::unique_ptr<DeviceEngine> engine = std::move(*DeviceEngine::create(*store, here, 16));
  auto made = engine->prepare(read, 1); // the evaluation: weights stay
  ASSERT_TRUE(made.ok()) << made.status().message();
  auto &executor = static_cast<DeviceExecutor &>(**made);
  const float x[2] = {0, 0}, onHost = 3, onDevice = 5;
  DeviceMemory memory = std::move(*DeviceMemory::allocate(here, 8, "a test"));
  ASSERT_EQ(driver().cuMemcpyHtoDAsync(memory.address(), &onDevice, 4, nullptr), success);
  executor.setTensor(0, x);
  StatusRow row;
  auto loss = [&] {
    EXPECT_STATUS_OK(engine->start(executor));
    EXPECT_STATUS_OK(engine->wait());
    EXPECT_TRUE(engine->next(row));
    return std::bit_cast<float>(static_cast<uint32_t>(row.logs[0]));
  };
  // (0 - y)^2
  for (int round = 0; round < 2; ++round) {
    executor.setTensor(1, &onHost);
    EXPECT_EQ(loss(), 9.0f);
    ASSERT_STATUS_OK(executor.setDeviceTensor(1, memory.address()));
    EXPECT_EQ(loss(), 25.0f);
  }
  // What cannot be one is refused by name, and the one before stays.
  Status host = executor.setDeviceTensor(1, reinterpret_cast<uintptr_t>(&onHost));
  EXPECT_EQ(host.code(), StatusCode::Invalid);
  EXPECT_NE(host.message().find("tensor argument 'y' of step 'test'"), std::string::npos)
      << host.message();
  EXPECT_EQ(executor.setDeviceTensor(1, memory.address() + 2).code(), StatusCode::Invalid);
  EXPECT_EQ(loss(), 25.0f);
  made->reset();
}

// An error leaves kernels, and what is read back, where they were.
TEST(GpuBind, KeepsItsBuffersWhenOthersAreRefused) {
  GpuSgd gpu;
  ASSERT_STATUS_OK(gpu.bind({{"a", {1.0f}, {_Float16(16384.0f)}}}));
  gpu.start();
  CUdeviceptr before = gpu.engine->deviceStore().tensorAddress(Sgd::W, 0);
  float onTheHost = 0;
  TensorRef ref{"a", {1}, SAWTOOTH_F32, &onTheHost};
  ASSERT_STATUS_OK(gpu.store->bindDevice(Sgd::W, {&ref, 1}));
  Status status = gpu.engine->pushList(Sgd::W);
  EXPECT_EQ(status.code(), StatusCode::Invalid);
  EXPECT_NE(status.message().find("tensor 'a' of list 'w'"), std::string::npos) << status.message();
  EXPECT_EQ(gpu.engine->deviceStore().tensorAddress(Sgd::W, 0), before);
  ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
  ASSERT_STATUS_OK(gpu.engine->pull());
  EXPECT_EQ(gpu.elements<float>(Sgd::W, 0)[0], 0.75f);
}

// A program without streams writes its tensors on the default stream, and a step comes after that.
TEST(GpuBind, TheDefaultStreamComesBeforeAStep) {
  DevicePointer here = device();
  ContextScope current(driver(), here->context());
  GpuSgd gpu;
  gpu.tensors = {{"a", {1.0f}, {_Float16(0)}}};
  ASSERT_STATUS_OK(gpu.bindOnly(Sgd::W));
  DeviceTensors g(gpu.tensors, false);
  ASSERT_STATUS_OK(gpu.store->bindDevice(Sgd::G, g.refs));
  ASSERT_STATUS_OK(gpu.store->finish());
  gpu.start();
  _Float16 gradient(16384.0f);
  ASSERT_EQ(driver().cuMemcpyHtoDAsync(g.memory[0].address(), &gradient, 2, nullptr), success);
  ASSERT_STATUS_OK(gpu.engine->start(*gpu.runner));
  ASSERT_STATUS_OK(gpu.engine->pull());
  EXPECT_EQ(gpu.elements<float>(Sgd::W, 0)[0], 0.75f);
}

// A stream of the caller's that does not wait for the default stream: initial values are taken from
// what it has written.
TEST(GpuBind, InitialValuesComeAfterTheStreamOfTheCaller) {
  DevicePointer here = device();
  const Driver &api = driver();
  ContextScope current(api, here->context());
  CUstream stream = nullptr;
  ASSERT_EQ(api.cuStreamCreate(&stream, streamNonBlocking), success);
  GpuSgd gpu;
  gpu.tensors = {{"a", {1.0f}, {_Float16(0)}}};
  ASSERT_STATUS_OK(gpu.bindOnly(Sgd::G));
  DeviceTensors w(gpu.tensors, true);
  float written = 3.0f;
  ASSERT_EQ(api.cuMemcpyHtoDAsync(w.memory[0].address(), &written, 4, stream), success);
  ASSERT_STATUS_OK(gpu.store->bindDevice(Sgd::W, w.refs));
  fetchFrom(*gpu.store, here, stream);
  ASSERT_STATUS_OK(gpu.store->finish());
  EXPECT_EQ(gpu.elements<_Float16>(Sgd::H, 0)[0], _Float16(3.0f));
  ASSERT_EQ(api.cuStreamDestroy(stream), success);
}

} // namespace
