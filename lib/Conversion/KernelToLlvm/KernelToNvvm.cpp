// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Patterns.h"

#include "sawtooth/Conversion/KernelAbi.h"
#include "sawtooth/Conversion/Passes.h"

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace sawtooth {
#define GEN_PASS_DEF_KERNELTONVVM
#include "sawtooth/Conversion/Passes.h.inc"
} // namespace sawtooth

using namespace mlir;
using namespace sawtooth;

namespace {

struct KernelToNvvm : sawtooth::impl::KernelToNvvmBase<KernelToNvvm> {
  void runOnOperation() final {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    for (auto function : module.getOps<func::FuncOp>())
      if (!function->hasAttr(kKernelThreadsAttr))
        function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
    LLVMTypeConverter converter(context);
    RewritePatternSet patterns(context);
    populateKernelPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    target.addLegalDialect<NVVM::NVVMDialect>();
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    // Barriers and shuffles may be in any of them: nobody may move a call or make it conditional.
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      function.setConvergent(true);
      function.setNoInline(true);
      auto threads = dyn_cast_or_null<IntegerAttr>(function->removeAttr(kKernelThreadsAttr));
      if (!threads)
        continue;
      Builder builder(context);
      function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
      function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                        builder.getDenseI32ArrayAttr({int32_t(threads.getInt())}));
    }
  }
};

} // namespace
