// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log file: one JSON object a line, for each step and each evaluation:
//   {"step": attempted, "name", "applied", "cause": ["gradient", …] when not applied,
//    "scalers": {"s": {"scale": after the update, "skipped", "consecutive_skips"}},
//    "log": {"loss": 0.3, …}}
// A number that is not finite is null, with "loss.class": "nan", "inf" or "-inf" beside it.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_STEPLOG_H
#define SAWTOOTH_TOOLS_SAWTOOTH_STEPLOG_H

#include "Logs.h"
#include "sawtooth/runtime/Report.h"

#include <fstream>

namespace sawtooth::tool {

/// Labels of the causes in a step's cause word.
std::vector<std::string> causeLabels(const runtime::Plan &plan, const SawtoothStepRow &step,
                                     uint64_t causes);

class StepLog {
public:
  /// An empty path logs nothing.
  runtime::Status open(const std::string &path);
  /// A line, flushed. `values` are the row's logs, or what an evaluation combined them to.
  runtime::Status write(const runtime::Plan &plan, const runtime::StatusRow &row,
                        const std::vector<LogValue> &values);

private:
  std::string path;
  std::ofstream file;
};

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_STEPLOG_H
