// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options as values. Only the driver's entry and ptxsim-run read the environment.

#ifndef PTXSIM_EXEC_OPTIONS_H
#define PTXSIM_EXEC_OPTIONS_H

#include <cstdint>
#include <string>

namespace ptxsim {

struct Options {
  std::string chip = "sm_80";
  bool race = true;      ///< races and .nc misuse
  bool uninit = true;    ///< memory and registers that nobody wrote
  bool fail = true;      ///< findings of the two checks above make the launch fail
  bool approx = false;   ///< allow .approx forms, perturbed within their documented error
  bool lazy = false;     ///< streams execute when somebody waits for them
  bool ptxas = true;     ///< assemble every module where ptxas is found
  bool stats = false;    ///< count what ptxsim-run --stats prints, print at exit
  std::string ptxasPath; ///< instead of searching for it
  uint64_t seed = 0;     ///< order of warps, blocks and divergent paths; 0 is program order
  uint64_t progress = 30'000'000; ///< warp instructions without any change before "no progress"
  uint64_t limit = 0;             ///< warp instructions a launch may take; 0 is no limit
  uint64_t memory = uint64_t(8) << 30; ///< bytes of device memory
  uint64_t reports = 20;               ///< reports printed a launch
  std::string report;                  ///< JSON file; empty: text on stderr

  /// Parses `name=value:name=value`. On error returns a message that lists what exists.
  std::string parse(const std::string &text);
};

/// One line an option: name, default, meaning. For --help and the documentation.
std::string describeOptions();

} // namespace ptxsim

#endif
