// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SGD module on the simulator, behind a driver that is watched.
#ifndef SAWTOOTH_TEST_UNIT_RUNTIME_CUDA_GPUFIXTURE_H
#define SAWTOOTH_TEST_UNIT_RUNTIME_CUDA_GPUFIXTURE_H

#include "../SgdFixture.h"
#include "gpu/CudaSpy.h"
#include "gpu/FakeGpuModule.h"
#include "sawtooth/runtime/cuda/DeviceEngine.h"

#include <cmath>
#include <dlfcn.h>

namespace sawtooth::test {

using namespace sawtooth::runtime::cuda;

inline CudaSpy &spy() {
  static CudaSpy *state = [] {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    auto *get = library ? reinterpret_cast<CudaSpy *(*)()>(dlsym(library, "cudaSpy")) : nullptr;
    if (!get) {
      std::fprintf(stderr, "expected the watched driver as libcuda.so.1, got %s\n",
                   library ? "another one" : dlerror());
      std::abort();
    }
    return get();
  }();
  return *state;
}

inline const Driver &driver() {
  Result<const Driver *> got = Driver::get();
  if (!got.ok()) {
    std::fprintf(stderr, "%s\n", got.status().message().c_str());
    std::abort();
  }
  return **got;
}

/// The driver's calls since a moment.
class Calls {
public:
  Calls() { restart(); }
  void restart() { first = spy().calls; }
  std::vector<std::string> names() const {
    return {spy().log + first, spy().log + std::min<uint64_t>(spy().calls, std::size(spy().log))};
  }
  uint64_t count(const std::string &name) const {
    uint64_t found = 0;
    for (const std::string &each : names())
      found += each == name;
    return found;
  }

private:
  uint64_t first;
};

inline DevicePointer device(int ordinal = 0) {
  Result<DevicePointer> got = Device::primary(ordinal);
  EXPECT_TRUE(got.ok()) << got.status().message();
  return *got;
}

struct GpuSgdModule {
  FakeGpuModule gpu;
};

struct GpuSgd : GpuSgdModule, Sgd {
  explicit GpuSgd(const SgdOptions &options = {})
      : GpuSgdModule{fakeSgdOnGpu(options)}, Sgd(gpu.artifact()) {}

  /// After bind(): an engine and the step on it.
  void start(uint64_t rows = 1024, int ordinal = 0, CUstream stream = nullptr) {
    Result<std::unique_ptr<DeviceEngine>> made =
        DeviceEngine::create(*store, device(ordinal), rows, stream);
    ASSERT_TRUE(made.ok()) << made.status().message();
    engine = std::move(*made);
    Result<std::unique_ptr<StepRunner>> prepared = engine->prepare(*artifact, 0);
    ASSERT_TRUE(prepared.ok()) << prepared.status().message();
    runner = std::move(*prepared);
    ASSERT_STATUS_OK(runner->ready());
  }
  DeviceExecutor &executor() { return static_cast<DeviceExecutor &>(*runner); }

  std::unique_ptr<DeviceEngine> engine;
  std::unique_ptr<StepRunner> runner;
};

/// Tensors of odd sizes, one of them empty, one of several chunks; different in every element.
inline std::vector<Sgd::Tensor> oddTensors() {
  std::vector<Sgd::Tensor> tensors;
  int value = 1;
  for (auto [name, size] : std::initializer_list<std::pair<const char *, size_t>>{
           {"a", 3}, {"b.half", 130}, {"empty", 0}, {"long", 2 * SAWTOOTH_CHUNK + 5}}) {
    Sgd::Tensor tensor{name, std::vector<float>(size), std::vector<_Float16>(size)};
    for (size_t i = 0; i < size; ++i) {
      value = (value * 75) % 65537;
      tensor.w[i] = float(value) / 65537 - 0.5f;
      tensor.g[i] = _Float16(float(value % 1000) - 500);
    }
    tensors.push_back(tensor);
  }
  return tensors;
}

} // namespace sawtooth::test

#endif // SAWTOOTH_TEST_UNIT_RUNTIME_CUDA_GPUFIXTURE_H
