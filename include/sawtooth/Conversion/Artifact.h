// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_CONVERSION_ARTIFACT_H
#define SAWTOOTH_CONVERSION_ARTIFACT_H

#include "mlir/IR/BuiltinOps.h"

namespace sawtooth {

/// Module attribute: an array of dictionaries with kind, chip, suffix, ptx (i32) and data (a
/// string) for the rows of SawtoothImage.
inline constexpr llvm::StringLiteral kImagesAttr = "sawtooth.images";

/// Adds the SawtoothArtifact of Abi.h as constants, and `sawtooth_query`, from the module
/// attributes that sweep-to-kernel leaves, and kImagesAttr. Nothing without them.
mlir::LogicalResult addArtifact(mlir::ModuleOp module);

} // namespace sawtooth

#endif // SAWTOOTH_CONVERSION_ARTIFACT_H
