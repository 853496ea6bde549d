// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times a step against its streaming bound, both in one run, in turns.
#ifndef SAWTOOTH_TOOLS_BENCH_BENCH_H
#define SAWTOOTH_TOOLS_BENCH_BENCH_H

#include "bench/Trial.h"
#include "sawtooth/runtime/Artifact.h"
#include "sawtooth/runtime/cuda/Device.h"

namespace sawtooth::bench {

struct Options {
  std::vector<runtime::TensorSpec> tensors; // of every model whose tensors the module leaves open
  unsigned steps = 20;
  double skipRate = 0;  // share of the steps that find an infinity, see mustSkip()
  unsigned threads = 1; // of the CPU
};

/// Whether timed step `number`, from 0, is one of those: n steps have floor(n * rate) of them,
/// spread evenly, the same in every run.
bool mustSkip(double rate, unsigned number);

/// Seconds.
struct Times {
  double min = 0, median = 0, max = 0;
};
Times summarize(std::vector<double> seconds);

struct Report {
  uint64_t parameters = 0, tensors = 0; // of the models that the step runs over
  bool tookTensors = false;             // of the options: the module named none itself
  uint64_t leftOut = 0;                 // tensors that did not fit
  unsigned steps = 0;
  uint64_t skipped = 0;
  double bytesPerParameter = 0; // of a step that is applied
  double firstStepSeconds = 0;
  Times step, bound;
  double ratioToBound = 0; // median over the steps of step / bound
  // What the passes that ran moved a second: by the step, by the bound; and by a plain copy between
  // two of the buffers, to judge the bound by.
  double bytesPerSecond = 0, boundBytesPerSecond = 0, copyBytesPerSecond = 0;
};

/// Runs the step again and again, in turns with its bound. A step that is skipped is held against a
/// bound with the passes that it ran. `Invalid` when steps are to be skipped and cannot be.
runtime::Result<Report> measure(Trial &trial, const Options &options);
/// The same for a step of an artifact, on threads or on a device.
runtime::Result<Report> measure(const runtime::Artifact &artifact, uint32_t step,
                                const Options &options);
runtime::Result<Report> measureOnGpu(const runtime::Artifact &artifact, uint32_t step,
                                     const runtime::cuda::DevicePointer &device,
                                     const Options &options);

/// What a step on one thread costs beside its elements, in seconds: where the straight line through
/// the medians for 20 tensors of 1,000 to 10,000 elements meets none. NaN for a step whose tensors
/// the module itself names: it has one size alone.
runtime::Result<double> fixedCost(const runtime::Artifact &artifact, uint32_t step);

} // namespace sawtooth::bench

#endif // SAWTOOTH_TOOLS_BENCH_BENCH_H
