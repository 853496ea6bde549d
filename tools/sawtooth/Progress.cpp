// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Progress.h"

#include "Output.h"

#include <cstdio>
#include <unistd.h>

namespace sawtooth::tool {

Progress::Progress() : terminal(isatty(STDERR_FILENO)) {}

void Progress::update(const std::string &title, uint64_t done, uint64_t total) {
  auto now = std::chrono::steady_clock::now();
  if (!terminal || now < next)
    return;
  next = now + std::chrono::milliseconds(100);
  constexpr uint64_t width = 40;
  uint64_t filled = total ? static_cast<uint64_t>(double(done) / double(total) * width) : 0;
  filled = filled < width ? filled : width;
  std::string bar(filled, '=');
  bar.append(width - filled, ' ');
  std::fprintf(stderr, "\r\033[K%s [%s] %s/%s", title.c_str(), bar.c_str(), grouped(done).c_str(),
               grouped(total).c_str());
  std::fflush(stderr);
  drawn = true;
}

void Progress::clear() {
  if (drawn)
    std::fprintf(stderr, "\r\033[K");
  drawn = false;
}

void Progress::line(const std::string &text) {
  clear();
  progressLine(text);
}

void Progress::warn(const std::string &text) {
  clear();
  warning(text);
}

} // namespace sawtooth::tool
