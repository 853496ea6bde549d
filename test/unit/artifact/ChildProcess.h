// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs pieces of a test in processes of their own.
#ifndef SAWTOOTH_TEST_UNIT_ARTIFACT_CHILDPROCESS_H
#define SAWTOOTH_TEST_UNIT_ARTIFACT_CHILDPROCESS_H

#include <cstdio>
#include <exception>
#include <sys/wait.h>
#include <unistd.h>

namespace sawtooth::runtime::test {

/// Starts `body` in a child; its exit status is what `body` returns.
template <typename Body>
pid_t start(Body body) {
  fflush(nullptr);
  pid_t child = fork();
  if (child != 0)
    return child;
  int result = 99;
  try {
    result = body();
  } catch (const std::exception &error) {
    fprintf(stderr, "%s\n", error.what());
  }
  fflush(nullptr);
  _exit(result);
}

/// The exit status of a child, or 128 and the signal that ended it.
inline int finish(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

template <typename Body>
int inChild(Body body) {
  return finish(start(body));
}

} // namespace sawtooth::runtime::test

#endif // SAWTOOTH_TEST_UNIT_ARTIFACT_CHILDPROCESS_H
