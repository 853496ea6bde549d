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

/// Brackets may nest this deep; nothing that people write comes near.
inline constexpr unsigned maximumNesting = 200;

/// The parser recurses for every bracket, so a file of nothing but brackets would overflow the
/// stack; and it reads bytecode too, which is trusted far more than text. Says where in `path` the
/// text goes too far, and fails.
mlir::LogicalResult checkSource(llvm::StringRef text, llvm::StringRef path,
                                mlir::MLIRContext *context);

} // namespace sawtooth

#endif // SAWTOOTH_TRANSFORMS_SOURCECHECK_H
