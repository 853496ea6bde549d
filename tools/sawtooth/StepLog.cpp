// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StepLog.h"

#include <cmath>
#include <nlohmann/json.hpp>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

using Json = nlohmann::ordered_json;

std::vector<std::string> causeLabels(const Plan &plan, const SawtoothStepRow &step,
                                     uint64_t causes) {
  std::vector<std::string> labels;
  std::span<const SawtoothCauseRow> rows = Plan::rows(step.causes, plan.causes());
  for (unsigned bit = 0; bit < 64; ++bit)
    if (causes >> bit & 1)
      labels.push_back(bit < rows.size() ? plan.string(rows[bit].label)
                                         : "cause " + std::to_string(bit));
  return labels;
}

// JSON has no word for what is not finite.
static void setNumber(Json &object, const std::string &key, double value) {
  if (std::isfinite(value)) {
    object[key] = value;
    return;
  }
  object[key] = nullptr;
  object[key + ".class"] = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Status StepLog::open(const std::string &name) {
  path = name;
  if (path.empty())
    return {};
  file.open(path, std::ios::binary | std::ios::trunc);
  return file ? Status() : Status::error(StatusCode::Io, path + ": cannot write");
}

Status StepLog::write(const Plan &plan, const StatusRow &row, const std::vector<LogValue> &values) {
  if (path.empty())
    return {};
  const SawtoothStepRow &step = plan.steps()[row.step];
  Json line;
  line["step"] = row.attempted;
  line["name"] = plan.string(step.name);
  line["applied"] = row.applied;
  if (!row.applied)
    line["cause"] = causeLabels(plan, step, row.causes);
  line["scalers"] = Json::object();
  for (size_t i = 0; i < row.scalers.size(); ++i) {
    Json scaler;
    if (row.scalers[i].hasScale)
      setNumber(scaler, "scale", row.scalers[i].scale);
    scaler["skipped"] = row.scalers[i].skipped;
    scaler["consecutive_skips"] = row.scalers[i].consecutiveSkips;
    line["scalers"][plan.string(plan.scalers()[i].name)] = std::move(scaler);
  }
  line["log"] = Json::object();
  for (const LogValue &log : values) {
    if (log.integer)
      line["log"][log.key] = *log.integer;
    else
      setNumber(line["log"], log.key, log.value);
  }
  // A whole line at once, so that a reader never sees half of one for long.
  file << line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" << std::flush;
  return file ? Status() : Status::error(StatusCode::Io, path + ": cannot write");
}

} // namespace sawtooth::tool
