// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Logs.h"

#include "Output.h"
#include "sawtooth/runtime/Convert.h"

#include <algorithm>
#include <cmath>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

std::vector<LogValue> logValues(const Plan &plan, const SawtoothStepRow &step,
                                std::span<const uint64_t> slots) {
  std::vector<LogValue> values;
  std::span<const SawtoothLogRow> rows = Plan::rows(step.logs, plan.logs());
  for (size_t i = 0; i < rows.size(); ++i) {
    SawtoothType type = SawtoothType(rows[i].type);
    values.push_back({plan.string(rows[i].key), slotToDouble(type, slots[i]), {}});
    if (!isFloat(type))
      values.back().integer = slotToInteger(type, slots[i]);
  }
  return values;
}

static double combine(uint32_t reduce, double a, double b) {
  if (reduce == SAWTOOTH_REDUCE_LAST)
    return b;
  if (reduce == SAWTOOTH_REDUCE_SUM || reduce == SAWTOOTH_REDUCE_MEAN)
    return a + b;
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return reduce == SAWTOOTH_REDUCE_MAX ? std::fmax(a, b) : std::fmin(a, b);
}

// A sum that does not fit, and a mean, are floats.
static std::optional<int64_t> combine(uint32_t reduce, std::optional<int64_t> a,
                                      std::optional<int64_t> b) {
  int64_t sum;
  if (!a || !b || reduce == SAWTOOTH_REDUCE_MEAN ||
      (reduce == SAWTOOTH_REDUCE_SUM && __builtin_add_overflow(*a, *b, &sum)))
    return std::nullopt;
  if (reduce == SAWTOOTH_REDUCE_SUM)
    return sum;
  return reduce == SAWTOOTH_REDUCE_LAST  ? *b
         : reduce == SAWTOOTH_REDUCE_MAX ? std::max(*a, *b)
                                         : std::min(*a, *b);
}

void LogReducer::add(const Plan &plan, const SawtoothStepRow &step, std::span<const uint64_t> slots,
                     uint64_t examples) {
  std::vector<LogValue> values = logValues(plan, step, slots);
  double weight = static_cast<double>(examples);
  bool first = entries.empty();
  for (size_t i = 0; i < values.size(); ++i) {
    uint32_t reduce = Plan::rows(step.logs, plan.logs())[i].reduce;
    LogValue &log = values[i];
    if (reduce == SAWTOOTH_REDUCE_MEAN)
      log = {log.key, log.value * weight, {}};
    if (first) {
      entries.push_back({log, reduce, weight});
      continue;
    }
    Entry &entry = entries[i];
    entry.weight += weight;
    entry.log.value = combine(reduce, entry.log.value, log.value);
    entry.log.integer = combine(reduce, entry.log.integer, log.integer);
  }
}

std::vector<LogValue> LogReducer::values() const {
  std::vector<LogValue> values;
  for (const Entry &entry : entries) {
    values.push_back(entry.log);
    if (entry.reduce == SAWTOOTH_REDUCE_MEAN)
      values.back().value /= entry.weight;
  }
  return values;
}

std::string logText(const std::vector<LogValue> &values) {
  std::string text;
  for (const LogValue &log : values)
    text += (text.empty() ? "" : ", ") + log.key + " " + numberText(log.value, 4);
  return text;
}

} // namespace sawtooth::tool
