// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings of a launch and how they are shown.

#ifndef PTXSIM_EXEC_REPORT_H
#define PTXSIM_EXEC_REPORT_H

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ptxsim {

enum class Finding : uint8_t {
  OutOfBounds,
  FreedMemory,
  ReadOnlyWrite,
  Misaligned,
  UninitialisedMemory,
  UninitialisedRegister,
  Race,
  NonCoherent,
  BarrierDivergence,
  MissingLanes,
  InactiveLane,
  DivergentUniform,
  NoProgress,
  BadCall,
  Trap,
  Assert,
  InstructionLimit,
  StackOverflow
};

/// The kebab-case name that JSON reports and tests use, e.g. `out-of-bounds`.
const char *nameOf(Finding finding);

struct Report {
  Finding finding;
  std::string title;                ///< `Invalid __global__ read of size 4 bytes`
  std::vector<std::string> details; ///< further lines: address, buffer, other thread
  std::string kernel, file, text;   ///< `text` is the source line
  unsigned line = 0;
  uint32_t block[3] = {0, 0, 0}, thread[3] = {0, 0, 0};
  bool hasThread = false;
  uint64_t address = 0;
  std::string buffer;
  int64_t distance = 0; ///< bytes from the buffer's end (positive) or start (negative)
};

/// Collects the reports of launches; one for each finding and line of a launch.
class Reporter {
public:
  void start(uint64_t limit);
  /// False when the same finding at the same line was reported in this launch already.
  bool add(Report report);
  const std::vector<Report> &reports() const { return list; }
  uint64_t suppressed() const { return dropped; }

private:
  std::vector<Report> list;
  std::set<std::pair<Finding, unsigned>> seen;
  uint64_t most = 0, dropped = 0;
};

std::string toText(const Report &report);
/// One JSON object on one line.
std::string toJson(const Report &report);

} // namespace ptxsim

#endif
