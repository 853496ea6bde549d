// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What amp.step and sweep.step look like: @train(%g: TYPE {ATTRIBUTES}, …) attributes {…} { … }
#ifndef SAWTOOTH_AMP_STEPSYNTAX_H
#define SAWTOOTH_AMP_STEPSYNTAX_H

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace sawtooth::amp {

/// Reads a step. The names of its arguments become their attribute `amp.name`, unless they have
/// one.
mlir::ParseResult parseStep(mlir::OpAsmParser &parser, mlir::OperationState &result);
/// Leaves `amp.name` out: it is what the argument prints as.
void printStep(mlir::OpAsmPrinter &printer, mlir::FunctionOpInterface step);

} // namespace sawtooth::amp

#endif // SAWTOOTH_AMP_STEPSYNTAX_H
