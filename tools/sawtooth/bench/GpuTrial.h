// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_TOOLS_BENCH_GPUTRIAL_H
#define SAWTOOTH_TOOLS_BENCH_GPUTRIAL_H

#include "bench/Trial.h"
#include "sawtooth/runtime/cuda/DeviceEngine.h"

namespace sawtooth::bench {

/// A step on a device, timed by events on its stream. The bound is the time in which a copy within
/// the device's memory would move the step's bytes.
class GpuTrial : public Trial {
public:
  /// The artifact must outlive the trial. Tensors that do not fit any more are left out from the
  /// end.
  static runtime::Result<std::unique_ptr<GpuTrial>>
  create(const runtime::Artifact &artifact, uint32_t step,
         const std::vector<runtime::TensorSpec> &tensors,
         const runtime::cuda::DevicePointer &device);
  ~GpuTrial() override;

  runtime::Result<Run> runStep(bool poisoned) override;
  /// Runs the copy.
  runtime::Result<double> runBound(bool applied) override;
  /// Of the copy that runBound() ran.
  runtime::Result<double> runCopy() override { return copySeconds; }
  runtime::Status warmUp() override { return runBound(true).status(); }

  double copyBytes() const override { return 2.0 * static_cast<double>(copyTarget.bytes()); }
  bool canSkip() const override { return poisonPlace != 0; }
  /// How many of the tensors did not fit.
  size_t leftOut() const { return leftOut_; }

private:
  explicit GpuTrial(const runtime::cuda::DevicePointer &device);
  runtime::Status createLists(const runtime::Artifact &artifact, uint32_t step);
  runtime::Status bind(uint32_t list);
  runtime::Status fillRandom(const runtime::cuda::DeviceMemory &list, SawtoothType type,
                             uint32_t number);
  runtime::Status createElements(SawtoothType type);
  runtime::Status poison(bool on);
  runtime::Result<double> secondsOf(auto &&work);

  const runtime::cuda::DevicePointer device;
  const runtime::cuda::Driver &api;
  runtime::cuda::ContextScope scope; // the device's context is current while this lives
  std::vector<runtime::cuda::DeviceMemory> lists;
  std::unique_ptr<runtime::cuda::DeviceEngine> engine;
  std::unique_ptr<runtime::StepRunner> runner;
  // The first element of the first list argument, and what to put there: an infinity, and behind it
  // a number to go on with.
  runtime::cuda::CUdeviceptr poisonPlace = 0;
  uint64_t poisonBytes = 0;
  runtime::cuda::DeviceMemory elements;
  runtime::cuda::CUdeviceptr copySource = 0;
  runtime::cuda::DeviceMemory copyTarget; // as large as the largest list
  double copySeconds = 0;
  size_t leftOut_ = 0;
  runtime::cuda::CUevent before = nullptr, after = nullptr;
};

} // namespace sawtooth::bench

#endif // SAWTOOTH_TOOLS_BENCH_GPUTRIAL_H
