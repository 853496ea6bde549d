// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The patterns behind `expand-math` and `expand-float-casts`, for other pipelines.
#ifndef SAWTOOTH_TRANSFORMS_MATHPATTERNS_H
#define SAWTOOTH_TRANSFORMS_MATHPATTERNS_H

namespace mlir {
class RewritePatternSet;
}

namespace sawtooth {

/// math.exp, log, tanh, erf, cos, powf and amp.powi on floats of at most 64 bits, and vectors of
/// them, become arith, and amp.opaque its operand. Errors and order are those of the documentation
/// of `expand-math`.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns);

/// Conversions from and to f16 and bf16 that a chip or its library would get wrong become integer
/// arithmetic, as the documentation of `expand-float-casts` says.
void populateExpandFloatCastsPatterns(mlir::RewritePatternSet &patterns);

} // namespace sawtooth

#endif // SAWTOOTH_TRANSFORMS_MATHPATTERNS_H
