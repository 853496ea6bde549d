// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_PROGRESS_H
#define SAWTOOTH_TOOLS_SAWTOOTH_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <string>

namespace sawtooth::tool {

/// A bar on stderr, drawn when that is a terminal, at most ten times a second. Lines go through
/// here too, so that they do not run into it.
class Progress {
public:
  Progress();
  ~Progress() { clear(); }

  /// "TITLE [====    ] done/total".
  void update(const std::string &title, uint64_t done, uint64_t total);
  void clear();
  void line(const std::string &text);
  void warn(const std::string &text);

private:
  bool terminal, drawn = false;
  std::chrono::steady_clock::time_point next;
};

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_PROGRESS_H
