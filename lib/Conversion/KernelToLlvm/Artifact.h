// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_LIB_CONVERSION_KERNELTOLLVM_ARTIFACT_H
#define SAWTOOTH_LIB_CONVERSION_KERNELTOLLVM_ARTIFACT_H

#include "mlir/IR/BuiltinOps.h"

namespace sawtooth {

/// Adds the SawtoothArtifact of Abi.h as constants, and `sawtooth_query`, from the module
/// attributes that sweep-to-kernel leaves. Nothing without them.
mlir::LogicalResult addArtifact(mlir::ModuleOp module);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_KERNELTOLLVM_ARTIFACT_H
