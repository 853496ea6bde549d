// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_STEPRUNNER_H
#define SAWTOOTH_RUNTIME_STEPRUNNER_H

#include "sawtooth/runtime/Artifact.h"
#include "sawtooth/runtime/Store.h"

namespace sawtooth::runtime {

/// One step of an artifact on a store, wherever it runs: its arguments. An Engine starts it. Store
/// and artifact must outlive it.
class StepRunner {
public:
  virtual ~StepRunner() = default;
  StepRunner(const StepRunner &) = delete;
  StepRunner &operator=(const StepRunner &) = delete;

  const Plan &plan() const { return artifact.plan; }
  const SawtoothStepRow &step() const { return plan().steps()[stepNumber]; }
  uint32_t number() const { return stepNumber; }
  std::string name() const { return plan().string(step().name); }

  /// The scalar arguments of the step, in the order of the plan's rows.
  std::span<const SawtoothArgRow> args() const { return Plan::rows(step().args, plan().args()); }
  std::span<const SawtoothTensorArgRow> tensorArgs() const {
    return Plan::rows(step().tensorArgs, plan().tensorArgs());
  }
  std::span<const SawtoothLogRow> logs() const { return Plan::rows(step().logs, plan().logs()); }

  /// `arg` counts in args(). `Invalid` when `text` spells no value of its type.
  Status setArg(uint32_t arg, const std::string &text);
  void setArgSlot(uint32_t arg, uint64_t slot);
  /// The scalar arguments of `other`, the same step compiled for another batch size.
  void takeArguments(const StepRunner &other);
  /// `arg` counts in tensorArgs(); row-major, at a multiple of the element's size, in the host's
  /// memory, alive while steps are started, each of which reads it as it then is.
  virtual void setTensor(uint32_t arg, const void *data);

  /// `Invalid` names the first argument that has no value.
  Status ready() const;

protected:
  StepRunner(const Artifact &artifact, uint32_t step, Store &store)
      : artifact(artifact), stepNumber(step), store(store) {}
  /// `Corrupt` for blocks that no compiler wrote. The arguments get their defaults.
  Status prepareArguments();
  /// `Invalid` names a list argument of the step that is not bound.
  Status checkLists() const;

  const Artifact &artifact;
  uint32_t stepNumber;
  Store &store;
  std::vector<uint64_t> argBlock;
  std::vector<const void *> tensors; // by slot
  bool argumentsChanged = true;      // since somebody set this to false

private:
  std::vector<bool> argSet;
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_STEPRUNNER_H
