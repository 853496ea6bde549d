// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Training.h"

#include "Output.h"
#include "Signals.h"

#include <algorithm>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

Result<std::unique_ptr<Training>> Training::create(Session &session, const RunOptions &options) {
  std::unique_ptr<Training> training(new Training(session, options));
  if (Status status = training->prepare(); !status.ok())
    return status;
  return training;
}

Status Training::prepare() {
  const Plan &plan = session.plan();
  std::shared_ptr<const TensorFile> data;
  if (!options.data.empty()) {
    Result<std::shared_ptr<const TensorFile>> file = TensorFile::open(options.data);
    if (!file.ok())
      return file.status();
    data = *file;
  }
  uint32_t first = session.sequence[0];
  evaluatesOnly = data && session.sequence.size() == 1 && !plan.steps()[first].commits &&
                  session.takesData(first);
  std::optional<uint32_t> evaluating = session.eval;
  if (evaluatesOnly)
    evaluating = first;
  if (evaluating) {
    Result<std::unique_ptr<Evaluation>> created = Evaluation::create(session, *evaluating, data);
    if (!created.ok())
      return created.status();
    evaluation = std::move(*created);
  }

  uint64_t feeding = 0, examples = 0, batch = 0;
  for (uint32_t step : session.sequence) {
    if (evaluatesOnly || !session.takesData(step))
      continue;
    ++feeding;
    if (feeds.count(step))
      continue;
    Result<std::unique_ptr<BatchFeed>> feed =
        BatchFeed::create(data, "train", session.executor(step));
    if (!feed.ok())
      return feed.status();
    if (!feeds.empty() && (examples != (*feed)->examples() || batch != (*feed)->batch()))
      return Status::error(StatusCode::Mismatch, "the steps of '" + session.name +
                                                     "' take batches from data of different sizes");
    examples = (*feed)->examples();
    batch = (*feed)->batch();
    feeds[step] = std::move(*feed);
  }
  if (feeding) {
    // A run takes its batches from one epoch; like a partial batch, what is over is dropped.
    runsPerEpoch = examples / batch / feeding;
    batchesPerEpoch = runsPerEpoch * feeding;
    if (runsPerEpoch == 0)
      return Status::error(StatusCode::Invalid, options.data + ": expected at least " +
                                                    std::to_string(feeding * batch) +
                                                    " examples for a run of '" + session.name +
                                                    "', got " + std::to_string(examples));
  } else if (data && !evaluatesOnly) {
    warning("'" + session.name + "' takes nothing from " + options.data);
  }
  for (uint32_t step : session.sequence)
    SAWTOOTH_TRY(session.executor(step).ready());
  if (evaluation)
    SAWTOOTH_TRY(session.executor(evaluation->step()).ready());
  prepareLimits();
  watchesEachStep = mustWatchEachStep();
  SAWTOOTH_TRY(session.checkReplaceable(options.save));
  SAWTOOTH_TRY(session.checkReplaceable(fileOfSetting(options.saveScaler)));
  SAWTOOTH_TRY(session.checkOutput(options.log));
  return log.open(options.log);
}

// What is said on the command line counts; without a word of it, the module's epochs, else one
// epoch of the data, or one run.
void Training::prepareLimits() {
  bool saysRuns = options.steps || options.untilApplied;
  if (options.steps)
    runLimit = *options.steps;
  if (!runsPerEpoch) {
    if (!saysRuns)
      runLimit = 1;
    return;
  }
  uint64_t declared = UINT64_MAX;
  if (!session.plan().runs().empty())
    declared = session.plan().runs()[0].epochs;
  if (options.epochs)
    epochLimit = *options.epochs;
  else if (!saysRuns)
    epochLimit = declared == UINT64_MAX ? 1 : declared;
}

bool Training::limitIsReached() const {
  if (position().next != 0)
    return false; // a run ends where it ends
  if (runs >= runLimit || position().epoch >= epochLimit)
    return true;
  if (!options.untilApplied)
    return false;
  // The last step that commits is the one that a run is for.
  for (size_t i = session.sequence.size(); i-- > 0;)
    if (uint32_t step = session.sequence[i]; session.plan().steps()[step].commits)
      return appliedSoFar(step) >= static_cast<int64_t>(*options.untilApplied);
  return true; // nothing is ever applied
}

// As of the last row that has come, or of the state that was loaded.
int64_t Training::appliedSoFar(uint32_t step) const {
  if (auto found = applied.find(step); found != applied.end())
    return found->second;
  uint32_t field = session.plan().steps()[step].appliedField;
  return field == SAWTOOTH_NONE ? 0 : static_cast<int64_t>(session.store().slots(field)[0]);
}

// Otherwise a GPU may be given steps before the last ones have ended.
bool Training::mustWatchEachStep() const {
  if (options.untilApplied)
    return true;
  // A scaler that gives up ends the run, at the same step on every target.
  for (const SawtoothFieldRow &row : session.plan().fields()) {
    if (row.role != SAWTOOTH_ROLE_STUCK || row.scaler == SAWTOOTH_NONE)
      continue;
    std::string limit = session.plan().string(session.plan().scalers()[row.scaler].name) +
                        ".max_consecutive_skips"; // what the policies call it; 0 is never
    std::optional<uint32_t> field = session.plan().findField(limit);
    if (!field || session.store().slots(*field)[0] != 0)
      return true;
  }
  return false;
}

// What was started has ended, and its rows are taken.
Status Training::settle() {
  SAWTOOTH_TRY(session.engine().wait());
  return drain();
}

Status Training::evaluate() {
  bool interrupted = false;
  SAWTOOTH_TRY(evaluation->run(interrupted));
  if (interrupted)
    signal = notedSignal();
  return {};
}

Status Training::run() {
  if (evaluatesOnly) {
    SAWTOOTH_TRY(evaluate());
    return signal ? Status() : log.write(session.plan(), evaluation->row(), evaluation->values());
  }
  while (true) {
    if (epochIsDone()) {
      SAWTOOTH_TRY(finishEpoch());
      if (signal)
        return {};
      continue;
    }
    signal = notedSignal();
    if (signal || limitIsReached())
      return settle();
    SAWTOOTH_TRY(runNextStep());
  }
}

Status Training::runNextStep() {
  uint32_t step = session.sequence[position().next];
  StepRunner &executor = session.executor(step);
  if (auto feed = feeds.find(step); feed != feeds.end()) {
    if (orderEpoch != position().epoch) {
      order = shuffledOrder(session.store().seed(), position().epoch, feed->second->examples());
      orderEpoch = position().epoch;
    }
    uint64_t batch = feed->second->batch();
    feed->second->fill(std::span(order).subspan(position().batch * batch, batch));
    ++position().batch;
  }
  SAWTOOTH_TRY(session.engine().start(executor));
  ++started;
  position().program = session.name;
  if (++position().next == session.sequence.size()) {
    position().next = 0;
    position().program.clear();
    ++runs;
  }
  bool full = started - taken >= session.engine().capacity();
  SAWTOOTH_TRY(watchesEachStep || full ? settle() : drain());
  if (runsPerEpoch)
    progress.update("epoch " + std::to_string(position().epoch + 1), position().batch,
                    batchesPerEpoch);
  else if (options.steps)
    progress.update(session.name, runs, runLimit);
  return position().next == 0 ? saveIfDue() : Status();
}

Status Training::drain() {
  const Plan &plan = session.plan();
  while (session.engine().next(row)) {
    ++taken;
    applied[row.step] = row.appliedSteps;
    const SawtoothStepRow &step = plan.steps()[row.step];
    std::vector<LogValue> values = logValues(plan, step, row.logs);
    for (Tally *tally : {&tallies[row.step], &epochTallies[row.step]}) {
      ++tally->attempted;
      tally->applied += row.applied;
      tally->calibrationSkips += !row.applied && row.appliedSteps == 0;
      tally->logs = values;
    }
    epochLogs[row.step].add(plan, step, row.logs, 1);
    SAWTOOTH_TRY(log.write(plan, row, values));
    if (std::string text = skips.look(plan, row); !text.empty())
      progress.warn(text);
    if (std::string text = stuckText(plan, row); !text.empty()) {
      progress.clear();
      return Status::error(StatusCode::Stuck, text);
    }
  }
  return {};
}

Status Training::saveIfDue() {
  if (options.saveEvery == 0 || runs % options.saveEvery != 0)
    return {};
  SAWTOOTH_TRY(settle());
  SAWTOOTH_TRY(session.engine().pull());
  return saveState(session.store(), options.save, position());
}

static std::string stepCounts(uint64_t attempted, uint64_t applied, uint64_t calibration) {
  uint64_t skipped = attempted - applied;
  std::string text = grouped(applied) + " applied, " + grouped(skipped) + " skipped";
  if (skipped)
    text += " (" + grouped(calibration) + " during calibration, " + grouped(skipped - calibration) +
            " after)";
  return text;
}

static std::string scaleText(const StatusRow &row) {
  std::string text;
  for (const ScalerStatus &scaler : row.scalers)
    if (scaler.hasScale)
      text += ", scale " + numberText(scaler.scale);
  return text;
}

Status Training::finishEpoch() {
  SAWTOOTH_TRY(settle());
  if (evaluation)
    SAWTOOTH_TRY(evaluate());
  if (signal)
    return {}; // the evaluation is made up for when the run goes on
  std::string text = "epoch " + std::to_string(position().epoch + 1);
  if (epochLimit != UINT64_MAX)
    text += "/" + std::to_string(epochLimit);
  text += ":";
  for (auto &[step, tally] : epochTallies) {
    std::string logs = logText(epochLogs[step].values());
    text += (epochTallies.size() > 1 ? " " + session.stepName(step) : "") +
            (logs.empty() ? "" : " " + logs + ",") + " " + std::to_string(tally.applied) +
            " applied, " + std::to_string(tally.attempted - tally.applied) + " skipped;";
  }
  text.pop_back();
  text += scaleText(row);
  if (evaluation) {
    text += "; " + session.stepName(evaluation->step()) + " " + logText(evaluation->values());
    SAWTOOTH_TRY(log.write(session.plan(), evaluation->row(), evaluation->values()));
  }
  progress.line(text);
  ++position().epoch;
  position().batch = 0;
  epochTallies.clear();
  epochLogs.clear();
  return {};
}

std::string Training::summary() {
  progress.clear();
  std::string text;
  for (auto &[step, tally] : tallies) {
    text += (text.empty() ? "" : "; ") + session.stepName(step) + ": " + grouped(tally.attempted) +
            (tally.attempted == 1 ? " step" : " steps");
    if (session.plan().steps()[step].commits)
      text += ", " + stepCounts(tally.attempted, tally.applied, tally.calibrationSkips);
    if (!tally.logs.empty())
      text += ", " + logText(tally.logs);
  }
  if (text.empty() && !evaluatesOnly)
    text = session.name + ": no step run" +
           (runsPerEpoch && position().epoch >= epochLimit
                ? ", all of " + std::to_string(epochLimit) + " epochs were done before"
                : "");
  text += scaleText(row);
  if (evaluation && !evaluation->values().empty())
    text += (text.empty() ? "" : "; ") + session.stepName(evaluation->step()) + ": " +
            logText(evaluation->values());
  if (signal)
    text += " (interrupted)";
  return text;
}

} // namespace sawtooth::tool
