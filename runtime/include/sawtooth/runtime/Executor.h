// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_EXECUTOR_H
#define SAWTOOTH_RUNTIME_EXECUTOR_H

#include "sawtooth/runtime/StepRunner.h"

namespace sawtooth::runtime {

struct Outcome {
  bool applied;    // every `when` flag of the step held
  uint64_t causes; // otherwise a bit for each cause, labelled by the plan
};

/// One step of an artifact for the CPU: everything that a run needs is allocated here, so that
/// `run` is calls of generated code and nothing else.
class Executor : public StepRunner {
public:
  /// `Invalid` names a list argument that is not bound; the store must be finished.
  static Result<std::unique_ptr<Executor>> create(const Artifact &artifact, uint32_t step,
                                                  Store &store);

  /// Runs the step once. Only when ready.
  Outcome run();

  /// What crossed the cuts of the last run, in 8-byte slots.
  const uint64_t *frameSlots() const { return frame.data(); }
  /// The slot of log `log` as the last run left it; `log` counts in logs().
  uint64_t logSlot(size_t log) const { return frame[logs()[log].offset / 8]; }
  /// A counter of the step by its field of the plan, 0 when there is none.
  int64_t counter(uint32_t field) const;

private:
  Executor(const Artifact &artifact, uint32_t step, Store &store)
      : StepRunner(artifact, step, store) {}
  Status prepareLists();
  Status prepareModels();
  Status prepareBlocks();
  void runAction(const SawtoothActionRow &action);

  std::vector<uint64_t> frame;
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
