// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Report.h"

#include "sawtooth/runtime/Convert.h"

#include <algorithm>
#include <bit>

namespace sawtooth::runtime {

// A row in the ring: sequence, step, applied, causes, five counters; for each scaler its scale (f64
// bits) with a word of what is known, skips, consecutive skips, stuck; the logs.
static constexpr uint64_t headSlots = 9, slotsPerScaler = 5;

static uint64_t widestLog(const Plan &plan) {
  uint32_t widest = 0;
  for (const SawtoothStepRow &step : plan.steps())
    widest = std::max(widest, step.logs.count);
  return widest;
}

Reporter::Reporter(const Store &store, uint64_t rows)
    : store(store), scalerSlots(store.plan().scalers().size() * slotsPerScaler),
      logSlots(widestLog(store.plan())), writing(headSlots + scalerSlots + logSlots),
      ring(rows, headSlots + scalerSlots + logSlots) {}

void Reporter::record(const Executor &executor, const Outcome &outcome) {
  const SawtoothStepRow &step = executor.step();
  std::fill(writing.begin(), writing.end(), 0);
  auto counter = [&](uint32_t field) { return static_cast<uint64_t>(executor.counter(field)); };
  uint64_t head[headSlots] = {sequence++,
                              executor.number(),
                              outcome.applied,
                              outcome.causes,
                              counter(step.attemptedField),
                              counter(step.appliedField),
                              counter(step.skippedField),
                              counter(step.consecutiveField),
                              counter(step.calibrationField)};
  std::copy_n(head, headSlots, writing.begin());
  const Plan &plan = store.plan();
  for (uint32_t field = 0; field < plan.fields().size(); ++field) {
    const SawtoothFieldRow &row = plan.fields()[field];
    if (row.scaler == SAWTOOTH_NONE || row.role == SAWTOOTH_ROLE_NONE ||
        row.extent != SAWTOOTH_PER_STEP)
      continue;
    uint64_t *to = &writing[headSlots + row.scaler * slotsPerScaler];
    uint64_t slot = store.slots(field)[0];
    SawtoothType type = SawtoothType(row.type);
    if (row.role == SAWTOOTH_ROLE_SCALE) {
      to[0] = 1;
      to[1] = std::bit_cast<uint64_t>(slotToDouble(type, slot));
    } else {
      to[row.role] = static_cast<uint64_t>(isFloat(type) ? slotToDouble(type, slot) != 0
                                                         : slotToInteger(type, slot));
    }
  }
  for (size_t log = 0; log < step.logs.count; ++log)
    writing[headSlots + scalerSlots + log] = executor.logSlot(log);
  ring.push(writing);
}

static_assert(SAWTOOTH_ROLE_SKIPPED == 2 && SAWTOOTH_ROLE_STUCK == 4,
              "roles are places in a scaler's slots");

bool Reporter::next(StatusRow &row) {
  if (!ring.pop(reading))
    return false;
  row.sequence = reading[0];
  row.step = static_cast<uint32_t>(reading[1]);
  row.applied = reading[2];
  row.causes = reading[3];
  int64_t *counters[] = {&row.attempted, &row.appliedSteps, &row.skipped, &row.consecutiveSkips,
                         &row.calibrationSkips};
  for (size_t i = 0; i < 5; ++i)
    *counters[i] = static_cast<int64_t>(reading[4 + i]);
  row.scalers.resize(scalerSlots / slotsPerScaler);
  for (size_t i = 0; i < row.scalers.size(); ++i) {
    const uint64_t *from = &reading[headSlots + i * slotsPerScaler];
    row.scalers[i] = {from[0] != 0, std::bit_cast<double>(from[1]), static_cast<int64_t>(from[2]),
                      static_cast<int64_t>(from[3]), from[4] != 0};
  }
  row.logs.assign(reading.begin() + headSlots + scalerSlots, reading.end());
  row.logs.resize(store.plan().steps()[row.step].logs.count);
  return true;
}

} // namespace sawtooth::runtime
