// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API from C: trains w of the hand-written SGD module and says where it ends.
#include "sawtooth/runtime/Runtime.h"

#include <stdio.h>

// Returns the message of the first error, or null; `w` is one element, `g` an f16.
const char *trainInC(const SawtoothArtifact *artifact, float *w, uint16_t *g, int steps,
                     double *scale, char *message, int size) {
  int64_t one = 1;
  SawtoothBuffer weight = {"a", SAWTOOTH_F32, 1, &one, w};
  SawtoothBuffer gradient = {"a", SAWTOOTH_F16, 1, &one, g};
  SawtoothRuntime *runtime = 0;
  SawtoothError *error = sawtoothRuntimeCreate(artifact, 0, &runtime);
  if (!error)
    error = sawtoothRuntimeBind(runtime, "w", &weight, 1);
  if (!error)
    error = sawtoothRuntimeBind(runtime, "g", &gradient, 1);
  if (!error)
    error = sawtoothRuntimePrepare(runtime);
  if (!error)
    error = sawtoothRuntimeSet(runtime, "lr", 0.5);
  for (int i = 0; i < steps && !error; ++i)
    error = sawtoothRuntimeRun(runtime, "train", 0);
  if (!error)
    error = sawtoothRuntimeGet(runtime, "s.scale", 0, scale);
  int failed = error != 0;
  if (failed)
    snprintf(message, (unsigned)size, "%s", sawtoothErrorMessage(error));
  sawtoothErrorDestroy(error);
  sawtoothRuntimeDestroy(runtime);
  return failed ? message : 0;
}
