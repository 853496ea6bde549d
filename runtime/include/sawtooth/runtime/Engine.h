// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the steps of a store run: on the caller's threads or on a GPU, behind one interface.
#ifndef SAWTOOTH_RUNTIME_ENGINE_H
#define SAWTOOTH_RUNTIME_ENGINE_H

#include "sawtooth/runtime/Report.h"
#include "sawtooth/runtime/StepRunner.h"

namespace sawtooth::runtime {

/// One thread at a time, but for next() and dropped(), which may have a thread of their own. The
/// store must be finished and outlive the engine.
class Engine {
public:
  virtual ~Engine() = default;

  /// Allocates and loads all that a step needs. The artifact must outlive the runner, and the
  /// engine too.
  virtual Result<std::unique_ptr<StepRunner>> prepare(const Artifact &artifact, uint32_t step) = 0;
  /// Starts a step that prepare() of this engine gave and that is ready. On a CPU it has ended on
  /// return; on a GPU it is only enqueued.
  virtual Status start(StepRunner &runner) = 0;
  /// Returns when every step that was started has ended, with the error of one that failed.
  virtual Status wait() = 0;
  /// Waits, and says whether every flag held in the last run of a step.
  virtual Result<bool> applied(StepRunner &runner) = 0;

  /// Takes the oldest row, without waiting for anything; false when there is none yet.
  virtual bool next(StatusRow &row) = 0;
  /// Rows that were lost because nobody took them in time.
  virtual uint64_t dropped() const = 0;
  /// Rows that wait to be taken before one is lost.
  virtual uint64_t capacity() const = 0;

  /// Waits, and lets the store hold what the steps have left: fields and elements of state.
  virtual Status pull() = 0;
  /// The same for the state block alone.
  virtual Status pullFields() = 0;
  /// Lets the next step see what was changed in the store: a field, all fields of step extent, the
  /// elements or the buffers of a list.
  virtual Status pushField(uint32_t field) = 0;
  virtual Status pushFields() = 0;
  virtual Status pushList(uint32_t list) = 0;

  /// Where it runs, for people: "NVIDIA H200 (sm_90), PTX 7.8 for sm_90"; empty for the CPU.
  virtual std::string description() const = 0;
};

/// Runs steps of the CPU at once. `rows`: that wait for next().
std::unique_ptr<Engine> createCpuEngine(Store &store, uint64_t rows);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_ENGINE_H
