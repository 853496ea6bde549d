// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A norm over an f16 tensor of more than 2^31 elements, which exist on the device alone.
//
//   HugeNorm STEP.mlir CHIP ELEMENTS
//
// Every element is 0x3c3c = 271 / 256, so that every sum on the way to ELEMENTS * 271 / 256 is
// exact.
#include "sawtooth-c/Compiler.h"
#include "sawtooth/runtime/Artifact.h"
#include "sawtooth/runtime/cuda/DeviceEngine.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace sawtooth::runtime;

static void check(const Status &status) {
  if (status.ok())
    return;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  std::exit(2);
}

template <typename T>
static T take(Result<T> result) {
  check(result.ok() ? Status() : result.status());
  return std::move(*result);
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  int64_t elements = std::atoll(argv[3]);
  SawtoothCompileOptions options{};
  options.target = "nvptx";
  options.chip = argv[2];
  std::unique_ptr<SawtoothCompiled, decltype(&sawtoothCompiledDestroy)> compiled{
      sawtoothCompileFile(argv[1], &options), sawtoothCompiledDestroy};
  if (!compiled)
    return 2;
  Artifact artifact = take(Artifact::read(sawtoothCompiledArtifact(compiled.get())));
  auto device = take(cuda::Device::primary(0));
  auto memory = take(cuda::DeviceMemory::allocate(device, elements * 2, "the tensor"));
  const cuda::Driver &driver = device->driver();
  check(driver.check(driver.cuCtxPushCurrent(device->context()), "cuCtxPushCurrent"));
  check(driver.check(driver.cuMemsetD8Async(memory.address(), 0x3c, elements * 2, nullptr),
                     "cuMemsetD8Async"));
  auto store = take(Store::create(artifact.plan, /*seed=*/0));
  TensorRef tensor{"t", {elements}, SAWTOOTH_F16, reinterpret_cast<void *>(memory.address())};
  check(store->bindDevice(0, {&tensor, 1}));
  check(store->finish());
  auto engine = take(cuda::DeviceEngine::create(*store, device, 4));
  auto runner = take(engine->prepare(artifact, 0));
  check(engine->start(*runner));
  check(engine->wait());
  StatusRow row;
  if (!engine->next(row) || row.logs.size() != 2)
    return 2;
  double top = std::bit_cast<double>(row.logs[0]), sum = std::bit_cast<double>(row.logs[1]);
  std::printf("largest %.17g, sum %.17g of %lld elements\n", top, sum,
              static_cast<long long>(elements));
  return top == 271.0 / 256 && sum == double(elements) * 271 / 256 ? 0 : 1;
}
