// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Conversion/ForwardToKernel.h"

using namespace mlir;
using namespace sawtooth;

FailureOr<ForwardKernels> sawtooth::lowerForward(sweep::ForwardOp op, const Layout &,
                                                 const StepLayout &, StringRef, unsigned) {
  return op.emitError(
      "expected a step without a forward part: its code generation is not linked in");
}
