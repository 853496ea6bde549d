// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_LIB_CONVERSION_KERNELTOLLVM_PATTERNS_H
#define SAWTOOTH_LIB_CONVERSION_KERNELTOLLVM_PATTERNS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace sawtooth {

/// From the dialects that kernels are written in to llvm, for every target.
void populateKernelPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_KERNELTOLLVM_PATTERNS_H
