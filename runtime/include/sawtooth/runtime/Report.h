// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each step did, as rows of a status ring.
#ifndef SAWTOOTH_RUNTIME_REPORT_H
#define SAWTOOTH_RUNTIME_REPORT_H

#include "sawtooth/runtime/Executor.h"
#include "sawtooth/runtime/Ring.h"

namespace sawtooth::runtime {

struct ScalerStatus {
  bool hasScale = false;
  double scale = 0; // after the step's update
  int64_t skipped = 0, consecutiveSkips = 0;
  bool stuck = false; // the policy gave up
  bool operator==(const ScalerStatus &) const = default;
};

/// A row: what one run of a step came to.
struct StatusRow {
  uint64_t sequence = 0; // counts every run from 0; a gap is a row that the ring dropped
  uint32_t step = 0;     // number of the step
  bool applied = false;
  uint64_t causes = 0; // of a skip; bit i is the plan's cause i of the step
  // The step's counters after it.
  int64_t attempted = 0, appliedSteps = 0, skipped = 0, consecutiveSkips = 0, calibrationSkips = 0;
  std::vector<ScalerStatus> scalers; // by scaler number
  std::vector<uint64_t> logs;        // slots, in the order of the step's log rows
  bool operator==(const StatusRow &) const = default;
};

class RowCodec;

/// Writes a row after each run, and reads rows back. One thread may write while another reads.
class Reporter {
public:
  /// A ring for `rows` rows that nobody has read yet.
  Reporter(const Store &store, uint64_t rows);
  ~Reporter();

  /// After executor.run(). Allocates nothing.
  void record(const Executor &executor);
  /// Takes the oldest row; false when there is none.
  bool next(StatusRow &row);
  uint64_t dropped() const { return ring.dropped(); }

private:
  const Store &store;
  std::unique_ptr<const RowCodec> codec;
  uint64_t sequence = 0;
  std::vector<uint64_t> writing, reading;
  StatusRing ring;
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_REPORT_H
