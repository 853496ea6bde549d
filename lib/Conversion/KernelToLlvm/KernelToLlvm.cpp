// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Conversion/Artifact.h"
#include "Patterns.h"

#include "sawtooth/Conversion/Passes.h"

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
    MLIRContext *context = &getContext();
    // The table of functions is the only way to them.
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration())
        function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));

    LLVMTypeConverter converter(context);
    RewritePatternSet patterns(context);
    populateKernelPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns))) ||
        failed(addArtifact(module)))
      signalPassFailure();
  }
};

} // namespace
