// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sawtooth-device: prints the first GPU and the version of its driver, or why there is none.
#include "sawtooth/runtime/cuda/Device.h"

#include <cstdio>

using namespace sawtooth::runtime;

int main() {
  Result<cuda::DevicePointer> device = cuda::Device::primary(0);
  if (!device.ok()) {
    std::fprintf(stderr, "%s\n", device.status().message().c_str());
    return 1;
  }
  const cuda::Device &first = **device;
  std::printf("%s, sm_%u, driver for CUDA %s\n", first.name().c_str(), first.capability(),
              cuda::versionText(first.driver().version()).c_str());
  return 0;
}
