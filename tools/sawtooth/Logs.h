// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logged values over several steps: as each is declared to be combined.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_LOGS_H
#define SAWTOOTH_TOOLS_SAWTOOTH_LOGS_H

#include "sawtooth/runtime/Plan.h"

#include <optional>
#include <string>
#include <vector>

namespace sawtooth::tool {

struct LogValue {
  std::string key;
  double value;                   // of an integer, the nearest
  std::optional<int64_t> integer; // exact, as long as it fits
};

/// The logs of one run of a step, from its slots.
std::vector<LogValue> logValues(const runtime::Plan &plan, const SawtoothStepRow &step,
                                std::span<const uint64_t> slots);

class LogReducer {
public:
  /// Takes the logs of one run over `examples` examples: means are weighted by them. A NaN stays
  /// in maxima and minima.
  void add(const runtime::Plan &plan, const SawtoothStepRow &step, std::span<const uint64_t> slots,
           uint64_t examples);
  std::vector<LogValue> values() const;
  void clear() { entries.clear(); }

private:
  struct Entry {
    LogValue log;
    uint32_t reduce;
    double weight;
  };
  std::vector<Entry> entries;
};

/// "loss 0.412, accuracy 0.95".
std::string logText(const std::vector<LogValue> &values);

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_LOGS_H
