// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/ParallelFor.h"

#include <algorithm>
#include <omp.h>

namespace sawtooth::runtime {

static void runSerial(void *, uint64_t count, uint64_t grain, ParallelFor::Body *body,
                      void *context) {
  for (uint64_t begin = 0; begin < count; begin += std::min(grain, count - begin))
    body(context, begin, begin + std::min(grain, count - begin));
}

ParallelFor ParallelFor::serial() { return {&runSerial, nullptr, 1}; }

// The number of threads travels in the pointer: nothing to own.
static void runOpenMp(void *user, uint64_t count, uint64_t grain, ParallelFor::Body *body,
                      void *context) {
  uint64_t ranges = count / grain + (count % grain != 0);
  // Waking the others for work that one of them does costs more than many a small step.
  if (ranges == 1) {
    body(context, 0, count);
    return;
  }
  int threads = static_cast<int>(std::min<uint64_t>(reinterpret_cast<uintptr_t>(user), ranges));
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (uint64_t range = 0; range < ranges; ++range)
    body(context, range * grain, range * grain + std::min(grain, count - range * grain));
}

ParallelFor ParallelFor::openMp(unsigned threads) {
  // Far more threads than any machine has; OpenMP would abort the process where it cannot.
  constexpr unsigned limit = 4096;
  threads = std::min(threads ? threads : static_cast<unsigned>(omp_get_max_threads()), limit);
  if (threads == 1)
    return serial();
  return {&runOpenMp, reinterpret_cast<void *>(static_cast<uintptr_t>(threads)), threads};
}

} // namespace sawtooth::runtime
