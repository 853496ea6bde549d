// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The forward and backward part of a step as generated functions.
#ifndef SAWTOOTH_CONVERSION_FORWARDTOKERNEL_H
#define SAWTOOTH_CONVERSION_FORWARDTOKERNEL_H

#include "sawtooth/Analysis/Layout.h"

#include <string>

namespace sawtooth {

/// One function that runs [0, units), in any order and split in any way.
struct ParallelAction {
  std::string function;
  std::string kernel; // of a GPU: its symbol
  uint64_t units;
};

struct ForwardKernels {
  mlir::SmallVector<ParallelAction> actions; // in order
  uint64_t arenaBytes = 0; // of temporaries; the arena starts at 64 bytes alignment
};

/// Lowers the callee of `op` to functions of the kernel ABI (createKernel in KernelAbi.h) at the
/// end of the module; the caller erases the op and the callee. Tensor arguments live in their slots
/// (step.arguments), leaves and packs in the buffer of their tensor (Layout::tensorNumber), scalars
/// in the frame or the args block, and each result `tensor<1xT>` in the frame slot of its scalar
/// (step.values). `prefix` starts the functions' names ("train.1_"), `width` is the number of f32
/// lanes of a vector (8 or 16). Says what is wrong, and fails, on anything outside the normal form.
mlir::FailureOr<ForwardKernels> lowerForward(sweep::ForwardOp op, const Layout &layout,
                                             const StepLayout &step, mlir::StringRef prefix,
                                             unsigned width);

/// The same for a GPU: kernels that take a context alone, one thread for each element of a result,
/// which are the units. `kernelName` gives each a name.
mlir::FailureOr<ForwardKernels> lowerForwardToThreads(sweep::ForwardOp op, const Layout &layout,
                                                      const StepLayout &step,
                                                      mlir::StringRef prefix,
                                                      llvm::function_ref<std::string()> kernelName);

} // namespace sawtooth

#endif // SAWTOOTH_CONVERSION_FORWARDTOKERNEL_H
