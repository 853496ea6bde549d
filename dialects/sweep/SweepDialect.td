// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_SWEEP_DIALECT
#define SAWTOOTH_SWEEP_DIALECT

include "mlir/IR/OpBase.td"

def Sweep_Dialect : Dialect {
  let name = "sweep";
  let cppNamespace = "::sawtooth::sweep";
  let summary = "how often memory is read";
  let description = [{
    A step as plain scalar programs and passes over memory. It has two forms. Uncut, the body of a
    `sweep.step` is one block of scalars of mixed extent: what is computed once a step, once a
    tensor and once an element stands side by side, and reductions lower the extent. Cut, the body
    is a sequence of `sweep.scalar` programs and `sweep.pass`es, each pass reading every list that
    it needs once; values cross the cuts in the frame.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::sawtooth::amp::AmpDialect"];
}

#endif // SAWTOOTH_SWEEP_DIALECT
