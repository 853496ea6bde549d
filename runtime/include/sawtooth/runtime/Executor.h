// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_EXECUTOR_H
#define SAWTOOTH_RUNTIME_EXECUTOR_H

#include "sawtooth/runtime/Artifact.h"
#include "sawtooth/runtime/Store.h"

namespace sawtooth::runtime {

struct Outcome {
  bool applied;    // every `when` flag of the step held
  uint64_t causes; // otherwise a bit for each cause, labelled by the plan
};

/// One step of an artifact on a store: everything that a run needs is allocated here, so that
/// `run` is calls of generated code and nothing else. Store and artifact must outlive it.
class Executor {
public:
  /// `Invalid` names a list argument that is not bound; the store must be finished.
  static Result<std::unique_ptr<Executor>> create(const Artifact &artifact, uint32_t step,
                                                  Store &store);

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
  void takeArguments(const Executor &other);
  /// `arg` counts in tensorArgs(); row-major, at a multiple of the element's size, read-only,
  /// alive while steps run.
  void setTensor(uint32_t arg, const void *data);

  /// `Invalid` names the first argument that has no value.
  Status ready() const;

  /// Runs the step once. Only when ready.
  Outcome run();

  /// The slot of log `log` as the last run left it; `log` counts in logs().
  uint64_t logSlot(size_t log) const { return frame[logs()[log].offset / 8]; }
  /// A counter of the step by its field of the plan, 0 when there is none.
  int64_t counter(uint32_t field) const;

private:
  Executor(const Artifact &artifact, uint32_t step, Store &store)
      : artifact(artifact), stepNumber(step), store(store) {}
  Status prepareLists();
  Status prepareModels();
  Status prepareBlocks();
  void runAction(const SawtoothActionRow &action);

  const Artifact &artifact;
  uint32_t stepNumber;
  Store &store;
  std::vector<uint64_t> frame, argBlock;
  std::vector<bool> argSet;
  std::vector<const void *> tensors;
  Allocation partials, arena;
  std::vector<Allocation> scratch;                    // elements of scratch lists
  std::vector<std::vector<void *>> scratchBuffers;    // by list number, by tensor
  std::vector<std::vector<uint64_t>> temporaries;     // per-tensor arrays within the step
  std::vector<std::vector<void *const *>> listTables; // by model, by list
  std::vector<std::vector<void *>> perTensorTables;   // by model, by array
  std::vector<SawtoothModel> models;
  std::vector<const SawtoothModel *> modelPointers;
  SawtoothCtx ctx{};
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_EXECUTOR_H
