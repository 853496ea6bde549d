// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libcuda.so.1 that stands between the runtime and the simulator: it counts calls, plays devices
// and drivers that the simulator is not, and ends the process between any two calls.
#ifndef SAWTOOTH_TEST_SUPPORT_GPU_CUDASPY_H
#define SAWTOOTH_TEST_SUPPORT_GPU_CUDASPY_H

#include <stdint.h>

// What cudaSpy() of the library returns. The environment variable CUDASPY gives the first values as
// name=number, with colons between: "devices=2:killAt=17". CUDASPY_REPORT names a file to which the
// number of calls of each entry point is written, a line each, when the process ends.
struct CudaSpy {
  // Set by the test.
  int devices;      // default 1; each has a primary context of its own
  int version;      // of the driver; 0: the simulator's
  int initResult;   // of cuInit; 0: the simulator's
  int refuseImages; // the first so many images are refused ...
  int refuseWith;   // ... with this result; 222 unless set
  uint64_t killAt;  // the number of the call before which the process is killed; 0: never

  // Set by the library.
  uint64_t calls; // of entry points, but for those that find them
  uint64_t moduleLoads;
  const char *log[1 << 20]; // the calls' names, in order, as far as there is room
  void *context[1 << 20];   // and the context that was current
};

#endif // SAWTOOTH_TEST_SUPPORT_GPU_CUDASPY_H
