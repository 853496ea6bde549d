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
  Result<StepRunner *> executor = session.executorForBatch(step, rest);
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

Status Evaluation::run(bool &interrupted) {
  // All that an evaluation changes are its counters.
  Engine &engine = session.engine();
  SAWTOOTH_TRY(engine.pullFields());
  std::span<uint64_t> state(static_cast<uint64_t *>(session.store().stateBlock()),
                            session.plan().header().stateBytes / 8);
  std::vector<uint64_t> before(state.begin(), state.end());
  LogReducer logs;
  SAWTOOTH_TRY(runBatches(logs, interrupted));
  SAWTOOTH_TRY(engine.wait());
  takeRows(logs);
  if (interrupted) {
    std::copy(before.begin(), before.end(), state.begin());
    return engine.pushFields();
  }
  last = logs.values();
  return {};
}

Status Evaluation::runBatches(LogReducer &logs, bool &interrupted) {
  interrupted = false;
  StepRunner &executor = session.executor(number);
  if (!whole)
    return runOnce(executor, logs, 1);
  uint64_t batch = whole->batch(), batches = whole->examples() / batch;
  std::vector<uint64_t> which(batch);
  for (uint64_t i = 0; i < batches; ++i) {
    interrupted = notedSignal() != 0;
    if (interrupted)
      return {};
    std::iota(which.begin(), which.end(), i * batch);
    whole->fill(which);
    SAWTOOTH_TRY(runOnce(executor, logs, batch));
  }
  if (!rest)
    return {};
  std::iota(which.begin(), which.begin() + static_cast<ptrdiff_t>(rest->batch()), batches * batch);
  rest->fill(which);
  return runOnce(*restExecutor, logs, rest->batch());
}

Status Evaluation::runOnce(StepRunner &executor, LogReducer &logs, uint64_t examples) {
  Engine &engine = session.engine();
  SAWTOOTH_TRY(engine.start(executor));
  underway.push_back(examples);
  if (underway.size() == engine.capacity())
    SAWTOOTH_TRY(engine.wait());
  takeRows(logs);
  return {};
}

// Rows come in the order in which batches were started.
void Evaluation::takeRows(LogReducer &logs) {
  while (!underway.empty() && session.engine().next(lastRow)) {
    logs.add(session.plan(), session.plan().steps()[lastRow.step], lastRow.logs, underway.front());
    underway.pop_front();
  }
}

} // namespace sawtooth::tool
