// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Patterns.h"

#include "sawtooth/Conversion/KernelAbi.h"
#include "sawtooth/Conversion/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
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
    LLVMConversionTarget target(getContext());
    target.addLegalDialect<NVVM::NVVMDialect>();
    if (failed(convertKernels(module, target, [](func::FuncOp function) {
          return !function->hasAttr(kKernelThreadsAttr);
        })))
      return signalPassFailure();
    // Barriers and shuffles may be in any of them: nobody may move a call or make it conditional.
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      function.setConvergent(true);
      function.setNoInline(true);
      auto threads = dyn_cast_or_null<IntegerAttr>(function->removeAttr(kKernelThreadsAttr));
      if (!threads)
        continue;
      Builder builder(&getContext());
      function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
      function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                        builder.getDenseI32ArrayAttr({int32_t(threads.getInt())}));
    }
  }
};

} // namespace
