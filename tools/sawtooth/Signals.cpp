// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Signals.h"

#include <csignal>

namespace sawtooth::tool {

static volatile std::sig_atomic_t noted = 0;

static void noteOne(int signal) { noted = signal; }

void noteSignals() {
  struct sigaction action = {};
  action.sa_handler = noteOne;
  // Whoever presses the keys twice does not want to wait for the step.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int notedSignal() { return noted; }

} // namespace sawtooth::tool
