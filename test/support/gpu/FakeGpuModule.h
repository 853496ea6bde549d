// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modules of FakeModule.h for a GPU, with the kernels of Kernels.c.
#ifndef SAWTOOTH_TEST_SUPPORT_GPU_FAKEGPUMODULE_H
#define SAWTOOTH_TEST_SUPPORT_GPU_FAKEGPUMODULE_H

#include "FakeModule.h"

#include <string>

namespace sawtooth::test {

struct FakeGpuModule {
  std::vector<uint64_t> plan;
  std::string ptx;
  std::vector<SawtoothImage> images; // PTX 6.3 for sm_75; point into `ptx`

  SawtoothArtifact artifact() const {
    return {SAWTOOTH_ABI_VERSION,
            0,
            reinterpret_cast<const SawtoothPlan *>(plan.data()),
            nullptr,
            images.size(),
            images.data()};
  }
};

FakeGpuModule fakeSgdOnGpu(const SgdOptions &options = {});
/// `batch` from 1 to 8.
FakeGpuModule fakeFitOnGpu(uint64_t batch);

} // namespace sawtooth::test

#endif // SAWTOOTH_TEST_SUPPORT_GPU_FAKEGPUMODULE_H
