// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_AMP_DIALECT
#define SAWTOOTH_AMP_DIALECT

include "mlir/IR/OpBase.td"

def Amp_Dialect : Dialect {
  let name = "amp";
  let cppNamespace = "::sawtooth::amp";
  let summary = "what a mixed-precision training step means";
  let description = [{
    The `amp` dialect says what one training step means: which tensors are trained together
    (`amp.model`), what outlives a step (`amp.state`, `amp.scaler`, `amp.optimizer`), and the step
    itself (`amp.step`), a transaction over values whose commits either all happen or, when their
    flag is false, do not. Optimizers and scaler policies are rules (`amp.rule`): data, not C++.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // SAWTOOTH_AMP_DIALECT
