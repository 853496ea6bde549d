// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step on data of its own, and what it is measured against, wherever they run.
#ifndef SAWTOOTH_TOOLS_BENCH_TRIAL_H
#define SAWTOOTH_TOOLS_BENCH_TRIAL_H

#include "sawtooth/runtime/Store.h"

#include <utility>

namespace sawtooth::bench {

/// Bytes that the passes of a step read and write: of one that is applied, and of one that is
/// skipped, whose gated passes do not run. Scratch does not count: the bound does without it.
struct Traffic {
  double applied = 0, skipped = 0;
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

  /// Of every model of the step.
  const std::vector<runtime::TensorSpec> &tensors() const { return specs; }
  double bytes(bool applied) const { return applied ? traffic.applied : traffic.skipped; }
  virtual double copyBytes() const = 0;
  virtual bool canSkip() const = 0;

protected:
  explicit Trial(std::vector<runtime::TensorSpec> specs) : specs(std::move(specs)) {}
  std::vector<runtime::TensorSpec> specs;
  Traffic traffic;
};

} // namespace sawtooth::bench

#endif // SAWTOOTH_TOOLS_BENCH_TRIAL_H
