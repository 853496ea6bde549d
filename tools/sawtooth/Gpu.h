// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPU of this machine, or the simulator of one.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_GPU_H
#define SAWTOOTH_TOOLS_SAWTOOTH_GPU_H

#include "sawtooth/runtime/cuda/DeviceEngine.h"

namespace sawtooth::tool {

/// The first device. When there is none, the error says how to use the simulator.
runtime::Result<runtime::cuda::DevicePointer> firstGpu();

/// Steps of a finished store on the first device.
runtime::Result<std::unique_ptr<runtime::Engine>> createGpuEngine(runtime::Store &store,
                                                                  uint64_t rows);

/// The chip that code for the first device is compiled for: "sm_90".
runtime::Result<std::string> nativeGpuChip();

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_GPU_H
