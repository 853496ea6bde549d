// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Crashes.h"

#include "Output.h"

#include <csignal>
#include <cstring>
#include <unistd.h>

namespace sawtooth::tool {

// Nothing here may allocate, lock or unwind: who knows what was going on.
static void say(const char *text) { (void)!write(STDERR_FILENO, text, std::strlen(text)); }

static void report(int signal) {
  const char *name = sigabbrev_np(signal);
  say("sawtooth: error: internal error: SIG");
  say(name ? name : "?");
  say("; what is said above, if anything, tells where in the input\n");
  _exit(WrongInput);
}

void reportCrashes() {
  // Of its own, for when the ordinary stack is what ran out.
  static char stack[64 * 1024];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof(stack);
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = report;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP})
    sigaction(signal, &action, nullptr);
}

} // namespace sawtooth::tool
