// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RowCodec.h"

#include "sawtooth/runtime/Convert.h"

#include <algorithm>
#include <bit>

namespace sawtooth::runtime {

static uint64_t widestLog(const Plan &plan) {
  uint32_t widest = 0;
  for (const SawtoothStepRow &step : plan.steps())
    widest = std::max(widest, step.logs.count);
  return widest;
}

RowCodec::RowCodec(const Plan &plan)
    : scalerSlots(plan.scalers().size() * slotsPerScaler), logSlots(widestLog(plan)) {}

static_assert(SAWTOOTH_ROLE_SKIPPED == 2 && SAWTOOTH_ROLE_STUCK == 4,
              "roles are places in a scaler's slots");

void RowCodec::encode(uint64_t sequence, const Plan &plan, uint32_t number, const uint64_t *frame,
                      const uint64_t *state, std::span<uint64_t> row) const {
  const SawtoothStepRow &step = plan.steps()[number];
  std::fill(row.begin(), row.end(), 0);
  auto counter = [&](uint32_t field) {
    return field == SAWTOOTH_NONE ? 0 : state[plan.fields()[field].offset / 8];
  };
  bool applied = reinterpret_cast<const char *>(frame)[step.applied] != 0;
  uint64_t causes = applied || step.cause == SAWTOOTH_NONE ? 0 : frame[step.cause / 8];
  uint64_t values[head] = {sequence,
                           number,
                           applied,
                           causes,
                           counter(step.attemptedField),
                           counter(step.appliedField),
                           counter(step.skippedField),
                           counter(step.consecutiveField),
                           counter(step.calibrationField)};
  std::copy_n(values, head, row.begin());
  for (const SawtoothFieldRow &field : plan.fields()) {
    if (field.scaler == SAWTOOTH_NONE || field.role == SAWTOOTH_ROLE_NONE ||
        field.extent != SAWTOOTH_PER_STEP)
      continue;
    uint64_t *to = &row[head + field.scaler * slotsPerScaler];
    uint64_t slot = state[field.offset / 8];
    SawtoothType type = SawtoothType(field.type);
    if (field.role == SAWTOOTH_ROLE_SCALE) {
      to[0] = 1;
      to[1] = std::bit_cast<uint64_t>(slotToDouble(type, slot));
    } else {
      to[field.role] = static_cast<uint64_t>(isFloat(type) ? slotToDouble(type, slot) != 0
                                                           : slotToInteger(type, slot));
    }
  }
  std::span<const SawtoothLogRow> logs = Plan::rows(step.logs, plan.logs());
  for (size_t log = 0; log < std::min<size_t>(logs.size(), logSlots); ++log)
    row[head + scalerSlots + log] = frame[logs[log].offset / 8];
}

void RowCodec::decode(const Plan &plan, std::span<const uint64_t> from, StatusRow &row) const {
  row.sequence = from[0];
  row.step = static_cast<uint32_t>(from[1]);
  row.applied = from[2];
  row.causes = from[3];
  int64_t *counters[] = {&row.attempted, &row.appliedSteps, &row.skipped, &row.consecutiveSkips,
                         &row.calibrationSkips};
  for (size_t i = 0; i < 5; ++i)
    *counters[i] = static_cast<int64_t>(from[4 + i]);
  row.scalers.resize(scalerSlots / slotsPerScaler);
  for (size_t i = 0; i < row.scalers.size(); ++i) {
    const uint64_t *scaler = &from[head + i * slotsPerScaler];
    row.scalers[i] = {scaler[0] != 0, std::bit_cast<double>(scaler[1]),
                      static_cast<int64_t>(scaler[2]), static_cast<int64_t>(scaler[3]),
                      scaler[4] != 0};
  }
  row.logs.assign(from.begin() + static_cast<ptrdiff_t>(head + scalerSlots), from.end());
  row.logs.resize(plan.steps()[row.step].logs.count);
}

} // namespace sawtooth::runtime
