// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_TRAINING_H
#define SAWTOOTH_TOOLS_SAWTOOTH_TRAINING_H

#include "Data.h"
#include "Logs.h"
#include "Progress.h"
#include "Session.h"
#include "Skips.h"
#include "StepLog.h"

#include <deque>

namespace sawtooth::tool {

/// Runs the test split through a step that commits nothing.
class Evaluation {
public:
  static runtime::Result<std::unique_ptr<Evaluation>>
  create(Session &session, uint32_t step, std::shared_ptr<const runtime::TensorFile> data);

  /// All batches, a smaller last one included. The logs are combined as declared, means weighted
  /// by examples. After a signal, `interrupted`, the step's counters are as before.
  runtime::Status run(bool &interrupted);

  uint32_t step() const { return number; }
  const std::vector<LogValue> &values() const { return last; }
  /// Of the last batch, its logs replaced by the combined ones.
  const runtime::StatusRow &row() const { return lastRow; }

private:
  Evaluation(Session &session, uint32_t step) : session(session), number(step) {}
  runtime::Status runBatches(LogReducer &logs, bool &interrupted);
  runtime::Status runOnce(runtime::StepRunner &executor, LogReducer &logs, uint64_t examples);
  void takeRows(LogReducer &logs);

  Session &session;
  uint32_t number;
  std::unique_ptr<BatchFeed> whole, rest;
  runtime::StepRunner *restExecutor = nullptr;
  std::deque<uint64_t> underway; // examples of the batches whose rows have not come
  std::vector<LogValue> last;
  runtime::StatusRow lastRow;
};

/// The loop over runs, epochs and batches.
class Training {
public:
  static runtime::Result<std::unique_ptr<Training>> create(Session &session,
                                                           const RunOptions &options);

  /// Until a limit, a signal (`interruption` is then its number) or an error. A scaler that gave
  /// up is a `Stuck`.
  runtime::Status run();
  int interruption() const { return signal; }

  /// What the run came to, in one line.
  std::string summary();

private:
  // What became of one step of the sequence.
  struct Tally {
    uint64_t attempted = 0, applied = 0, calibrationSkips = 0;
    std::vector<LogValue> logs;
  };

  Training(Session &session, const RunOptions &options) : session(session), options(options) {}
  runtime::Status prepare();
  void prepareLimits();
  bool epochIsDone() const { return runsPerEpoch && position().batch >= batchesPerEpoch; }
  bool limitIsReached() const;
  runtime::Status evaluate();
  runtime::Status finishEpoch();
  runtime::Status runNextStep();
  runtime::Status settle();
  runtime::Status drain();
  bool mustWatchEachStep() const;
  int64_t appliedSoFar(uint32_t step) const;
  runtime::Status saveIfDue();
  runtime::Position &position() const { return session.position; }

  Session &session;
  const RunOptions &options;
  StepLog log;
  Progress progress;
  SkipReporter skips;

  std::map<uint32_t, std::unique_ptr<BatchFeed>> feeds; // by step
  std::unique_ptr<Evaluation> evaluation;
  bool evaluatesOnly = false;
  uint64_t runsPerEpoch = 0, batchesPerEpoch = 0; // 0: no data
  std::vector<uint64_t> order;
  std::optional<uint64_t> orderEpoch;

  bool watchesEachStep = false;    // the next step depends on what the last one came to
  uint64_t started = 0, taken = 0; // steps, and rows of them
  uint64_t runs = 0, runLimit = UINT64_MAX, epochLimit = UINT64_MAX;
  int signal = 0;
  std::map<uint32_t, int64_t> applied; // by step, as of its last row
  std::map<uint32_t, Tally> tallies, epochTallies;
  std::map<uint32_t, LogReducer> epochLogs;
  runtime::StatusRow row;
};

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_TRAINING_H
