// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What must hold of a file before MLIR's parser sees it.
#ifndef SAWTOOTH_TRANSFORMS_SOURCECHECK_H
#define SAWTOOTH_TRANSFORMS_SOURCECHECK_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace sawtooth {

/// Brackets may nest this deep, those behind aliases included; nothing that people write comes
/// near.
inline constexpr unsigned maximumNesting = 200;
/// Of an affine map or set, in characters.
inline constexpr unsigned maximumAffineLength = 4096;

/// The parser recurses for every bracket, whoever walks an attribute or type for every alias in it,
/// and both for every term of an affine expression, so a long enough file would overflow the stack;
/// and it reads bytecode too, which is trusted far more than text. Says where in `path` the
/// text goes too far, and fails.
mlir::LogicalResult checkSource(llvm::StringRef text, llvm::StringRef path,
                                mlir::MLIRContext *context);

} // namespace sawtooth

#endif // SAWTOOTH_TRANSFORMS_SOURCECHECK_H
