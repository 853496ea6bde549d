// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times a step against its streaming bound, both in one run, in turns.
#ifndef SAWTOOTH_TOOLS_BENCH_BENCH_H
#define SAWTOOTH_TOOLS_BENCH_BENCH_H

#include "sawtooth/runtime/Executor.h"

namespace sawtooth::bench {

struct Options {
  std::vector<runtime::TensorSpec> tensors; // of every model of the step
  unsigned steps = 20;
  double skipRate = 0; // share of the steps that find an infinity in their gradients
  unsigned threads = 1;
};

/// Seconds.
struct Times {
  double min = 0, median = 0, max = 0;
};
Times summarize(std::vector<double> seconds);

struct Report {
  uint64_t parameters = 0, tensors = 0, skipped = 0;
  double bytesPerParameter = 0; // of a step that is applied
  double firstStepSeconds = 0;
  Times step, bound;
  double ratioToBound = 0;   // median over the steps of step / bound
  double bytesPerSecond = 0; // what the passes that ran moved, by the median step
  double copyBytesPerSecond = 0; // a plain copy between two of the buffers, to judge the bound by
};

/// Runs step `step` of the artifact on random data. A step that is skipped is held against a bound
/// with the passes that it ran.
runtime::Result<Report> measure(const runtime::Artifact &artifact, uint32_t step,
                                const Options &options);

} // namespace sawtooth::bench

#endif // SAWTOOTH_TOOLS_BENCH_BENCH_H
