// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_TOOLS_BENCH_GPUBENCH_H
#define SAWTOOTH_TOOLS_BENCH_GPUBENCH_H

#include "bench/Bench.h"
#include "sawtooth/runtime/cuda/DeviceEngine.h"

namespace sawtooth::bench {

/// Times a step on a device, in turns with a copy within its memory: the bound is the time in which
/// the copy would move the step's bytes. Tensors that do not fit any more are left out from the end.
runtime::Result<Report> measureOnGpu(const runtime::Artifact &artifact, uint32_t step,
                                     const runtime::cuda::DevicePointer &device,
                                     const Options &options);

} // namespace sawtooth::bench

#endif // SAWTOOTH_TOOLS_BENCH_GPUBENCH_H
