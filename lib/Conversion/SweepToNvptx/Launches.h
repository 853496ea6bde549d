// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A step as launches: which programs and passes share a kernel.
#ifndef SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_LAUNCHES_H
#define SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_LAUNCHES_H

#include "Nvptx.h"

#include <variant>

namespace sawtooth {

/// The launches of a cut step in order: kernels of the tail, and forward parts, each of which
/// becomes several. Together they hold the step's operations in their order.
mlir::SmallVector<std::variant<Launch, sweep::ForwardOp>> divideStep(sweep::StepOp step);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_LAUNCHES_H
