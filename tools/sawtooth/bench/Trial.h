// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step on data of its own, and what it is measured against, wherever they run.
#ifndef SAWTOOTH_TOOLS_BENCH_TRIAL_H
#define SAWTOOTH_TOOLS_BENCH_TRIAL_H

#include "sawtooth/runtime/StepRunner.h"

namespace sawtooth::bench {

/// What the passes of a step read and write.
struct Traffic {
  // Bytes of a step that is applied, and of one that is skipped, whose gated passes do not run.
  // Scratch does not count: the bound does without it.
  double applied = 0, skipped = 0;
  uint64_t parameters = 0, tensors = 0; // of the models that they run over
  static Traffic of(const runtime::Plan &plan, const SawtoothStepRow &step,
                    const runtime::Store &store);
};

class Trial {
public:
  virtual ~Trial() = default;

  struct Run {
    double seconds;
    bool applied; // as the step itself left word
  };
  /// Runs the step. With `poisoned`, which needs canSkip(), an element of its first list argument
  /// is infinite meanwhile; putting it there and taking it away is not timed.
  virtual runtime::Result<Run> runStep(bool poisoned) = 0;
  /// Runs the bound of a step that ended like that, and returns its seconds.
  virtual runtime::Result<double> runBound(bool applied) = 0;
  /// Runs the copy, to judge the bound by, and returns its seconds.
  virtual runtime::Result<double> runCopy() = 0;
  /// What is done once, after the first step and before steps are timed.
  virtual runtime::Status warmUp() = 0;

  uint64_t parameters() const { return traffic.parameters; }
  uint64_t tensors() const { return traffic.tensors; }
  /// Whether a model that the step runs over had no tensors of its own and took those given.
  bool tookTensors() const { return tookTensors_; }
  double bytes(bool applied) const { return applied ? traffic.applied : traffic.skipped; }
  virtual double copyBytes() const = 0;
  virtual bool canSkip() const = 0;

protected:
  /// Makes the store. Models that the step's passes run over have the tensors that the module
  /// names, else `tensors`; other models have none. `Invalid` for a step that has no bound: one
  /// without passes, or one that takes tensors, which has a forward part.
  runtime::Status createStore(const runtime::Artifact &artifact, uint32_t step,
                              const std::vector<runtime::TensorSpec> &tensors,
                              const runtime::ParallelFor &parallelFor);
  /// Whether a list has random elements: arguments, and state that has no initial value.
  bool isRandom(uint32_t list) const;
  /// Name and shape of the tensors of a list.
  std::vector<runtime::TensorSpec> tensorsOf(uint32_t list) const;
  /// Arguments without a default are 1.
  runtime::Status setArguments(runtime::StepRunner &runner) const;

  Traffic traffic;
  bool tookTensors_ = false;
  std::unique_ptr<runtime::Store> store;
};

} // namespace sawtooth::bench

#endif // SAWTOOTH_TOOLS_BENCH_TRIAL_H
