// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Skips.h"

#include "Output.h"
#include "StepLog.h"

using namespace sawtooth::runtime;

namespace sawtooth::tool {

static std::string joined(const std::vector<std::string> &labels) {
  std::string text;
  for (const std::string &label : labels)
    text += (text.empty() ? "" : ", ") + label;
  return text.empty() ? "an unnamed flag" : text;
}

std::string SkipReporter::look(const Plan &plan, const StatusRow &row) {
  std::vector<double> before = std::move(scales);
  scales.clear();
  for (const ScalerStatus &scaler : row.scalers)
    scales.push_back(scaler.scale);
  if (row.applied)
    return "";
  // Beyond this many kinds they are counted as one.
  constexpr size_t kinds = 8;
  std::pair<uint32_t, uint64_t> kind(row.step, row.causes);
  if (counts.size() >= kinds && !counts.count(kind))
    kind = {SAWTOOTH_NONE, 0};
  uint64_t count = ++counts[kind];
  uint64_t power = 1;
  while (power < count && power <= UINT64_MAX / 10)
    power *= 10;
  if (count != power)
    return "";

  const SawtoothStepRow &step = plan.steps()[row.step];
  std::string name = plan.string(step.name);
  std::string cause =
      kind.first == SAWTOOTH_NONE ? "various causes" : joined(causeLabels(plan, step, row.causes));
  if (count > 1)
    return name + ": " + grouped(count) + " steps skipped so far, not finite: " + cause;
  std::string text = name + ": step " + grouped(static_cast<uint64_t>(row.attempted)) +
                     " skipped, not finite: " + cause;
  for (size_t i = 0; i < row.scalers.size(); ++i)
    if (row.scalers[i].hasScale && i < before.size() && before[i] != scales[i])
      text += "; scale " + numberText(before[i]) + " -> " + numberText(scales[i]);
    else if (row.scalers[i].hasScale)
      text += "; scale now " + numberText(scales[i]);
  if (row.appliedSteps == 0)
    text += " (calibration)";
  return text;
}

std::string stuckText(const Plan &plan, const StatusRow &row) {
  for (size_t i = 0; i < row.scalers.size(); ++i) {
    const ScalerStatus &scaler = row.scalers[i];
    if (!scaler.stuck)
      continue;
    return "scaler '" + plan.string(plan.scalers()[i].name) +
           "' is stuck: " + std::to_string(scaler.consecutiveSkips) +
           " steps in a row were skipped, the scale is " + numberText(scaler.scale) +
           "; no scale makes this finite: " +
           joined(causeLabels(plan, plan.steps()[row.step], row.causes));
  }
  return "";
}

} // namespace sawtooth::tool
