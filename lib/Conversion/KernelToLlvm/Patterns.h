// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_LIB_CONVERSION_KERNELTOLLVM_PATTERNS_H
#define SAWTOOTH_LIB_CONVERSION_KERNELTOLLVM_PATTERNS_H

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace sawtooth {

/// Brings the dialects that kernels are written in to llvm, for every target: what `target` has as
/// legal beside that dialect stays. Functions for which `isInternal` are not seen from outside.
mlir::LogicalResult convertKernels(mlir::ModuleOp module, mlir::LLVMConversionTarget &target,
                                   llvm::function_ref<bool(mlir::func::FuncOp)> isInternal);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_KERNELTOLLVM_PATTERNS_H
