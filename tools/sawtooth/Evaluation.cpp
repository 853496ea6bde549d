// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Training.h"

#include "Output.h"
#include "Signals.h"

#include <numeric>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

Result<std::unique_ptr<Evaluation>> Evaluation::create(Session &session, uint32_t step,
                                                       std::shared_ptr<const TensorFile> data) {
  std::unique_ptr<Evaluation> evaluation(new Evaluation(session, step));
  if (!session.takesData(step))
    return evaluation;
  Result<std::unique_ptr<BatchFeed>> whole =
      BatchFeed::create(data, "test", session.executor(step));
  if (!whole.ok())
    return whole.status();
  evaluation->whole = std::move(*whole);
  uint64_t rest = evaluation->whole->examples() % evaluation->whole->batch();
  if (rest == 0)
    return evaluation;
  Result<Executor *> executor = session.executorForBatch(step, rest);
  if (executor.status().code() == StatusCode::Unsupported) {
    warning("an evaluation leaves out the last " + std::to_string(rest) + " of " +
            std::to_string(evaluation->whole->examples()) +
            " examples: " + executor.status().message());
    return evaluation;
  }
  if (!executor.ok())
    return executor.status();
  evaluation->restExecutor = *executor;
  Result<std::unique_ptr<BatchFeed>> feed = BatchFeed::create(data, "test", **executor);
  if (!feed.ok())
    return feed.status();
  evaluation->rest = std::move(*feed);
  return evaluation;
}

bool Evaluation::run(Reporter &reporter) {
  // All that an evaluation changes are its counters.
  std::span<uint64_t> state(static_cast<uint64_t *>(session.store().stateBlock()),
                            session.plan().header().stateBytes / 8);
  std::vector<uint64_t> before(state.begin(), state.end());
  LogReducer logs;
  if (!runBatches(reporter, logs)) {
    std::copy(before.begin(), before.end(), state.begin());
    return false;
  }
  last = logs.values();
  return true;
}

bool Evaluation::runBatches(Reporter &reporter, LogReducer &logs) {
  Executor &executor = session.executor(number);
  if (!whole) {
    runOnce(executor, reporter, logs, 1);
    return true;
  }
  uint64_t batch = whole->batch(), batches = whole->examples() / batch;
  std::vector<uint64_t> which(batch);
  for (uint64_t i = 0; i < batches; ++i) {
    if (notedSignal())
      return false;
    std::iota(which.begin(), which.end(), i * batch);
    whole->fill(which);
    runOnce(executor, reporter, logs, batch);
  }
  if (rest) {
    std::iota(which.begin(), which.begin() + static_cast<ptrdiff_t>(rest->batch()),
              batches * batch);
    rest->fill(which);
    runOnce(*restExecutor, reporter, logs, rest->batch());
  }
  return true;
}

void Evaluation::runOnce(Executor &executor, Reporter &reporter, LogReducer &logs,
                         uint64_t examples) {
  reporter.record(executor, executor.run());
  while (reporter.next(lastRow))
    logs.add(session.plan(), session.plan().steps()[lastRow.step], lastRow.logs, examples);
}

} // namespace sawtooth::tool
