// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks for the driver and says what came of it: a process for each driver that there may be.
#include "sawtooth/runtime/cuda/Device.h"

#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace sawtooth::runtime;

static int say(const char *who) {
  Result<cuda::DevicePointer> device = cuda::Device::primary(0);
  std::printf("%s: %s\n", who,
              device.ok() ? (*device)->name().c_str() : device.status().message().c_str());
  std::fflush(stdout);
  return device.ok() ? 0 : 1;
}

int main(int argc, char **argv) {
  int code = say("parent");
  if (argc > 1 && std::strcmp(argv[1], "fork") == 0) {
    pid_t child = fork();
    if (child == 0)
      _exit(say("child"));
    waitpid(child, nullptr, 0);
  }
  return code;
}
