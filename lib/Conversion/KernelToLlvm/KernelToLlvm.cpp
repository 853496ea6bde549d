// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Patterns.h"
#include "sawtooth/Conversion/Artifact.h"

#include "sawtooth/Conversion/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace sawtooth {
#define GEN_PASS_DEF_KERNELTOLLVM
#include "sawtooth/Conversion/Passes.h.inc"
} // namespace sawtooth

using namespace mlir;
using namespace sawtooth;

namespace {

struct KernelToLlvm : sawtooth::impl::KernelToLlvmBase<KernelToLlvm> {
  void runOnOperation() final {
    ModuleOp module = getOperation();
    LLVMConversionTarget target(getContext());
    // The table of functions is the only way to them.
    if (failed(convertKernels(module, target,
                              [](func::FuncOp function) { return !function.isDeclaration(); })) ||
        failed(addArtifact(module)))
      signalPassFailure();
  }
};

} // namespace
