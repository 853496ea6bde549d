// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the emitters of sweep-to-kernel share, and in part those of other targets.
#ifndef SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_KERNELS_H
#define SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_KERNELS_H

#include "sawtooth/Analysis/Layout.h"
#include "sawtooth/Conversion/KernelAbi.h"
#include "sawtooth/Conversion/PlanBuilder.h"

#include "mlir/IR/IRMapping.h"

namespace sawtooth {

/// What every kernel of a step is generated from.
struct KernelContext {
  mlir::ModuleOp module;
  const Layout &layout;
  const StepLayout &step;
  unsigned width; // f32 lanes of a vector
};

/// The plan's row for a pass, whose function is `name`.
mlir::FailureOr<ActionPlan> planPass(sweep::PassOp pass, const StepLayout &step, std::string name);
/// Lowers the cut steps of a module, each by `lower`, and gives the module its plan instead of them
/// and of the declarations. What is handed back tells the functions; its passes are gone.
mlir::FailureOr<mlir::SmallVector<StepPlan>>
lowerSteps(mlir::ModuleOp module, mlir::StringRef target,
           llvm::function_ref<mlir::FailureOr<StepPlan>(const Layout &, const StepLayout &)> lower);

/// Emits a pass as a function over chunk rows, with all the contract's order and tails.
mlir::LogicalResult emitPass(const KernelContext &context, sweep::PassOp pass,
                             mlir::StringRef name);

/// Emits a scalar program as a function that first folds the partials of `passes`.
mlir::LogicalResult emitScalarProgram(const KernelContext &context, sweep::ScalarOp program,
                                      mlir::ArrayRef<sweep::PassOp> passes, mlir::StringRef name);

/// A step value as a kernel reads it: from the frame or from the arguments.
mlir::Value loadStepValue(KernelAbi &abi, const StepLayout &step, mlir::Value value);

/// The same value, any NaN replaced by the canonical one of its type. Scalars and vectors.
mlir::Value canonicalizeNan(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value);

/// The value that an empty reduction of `kind` gives: 0, inf or -inf.
mlir::TypedAttr reductionIdentity(amp::ReduceKind kind, mlir::FloatType type);
/// a combined with b: addf, minimumf, maximumf.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location location, amp::ReduceKind kind,
                    mlir::Value a, mlir::Value b);

/// Functions that fold in f64 (Folds.mlir.in), put into the module when first asked for:
/// "fold", "fold_step", "fold_tensors".
mlir::func::FuncOp foldFunction(mlir::ModuleOp module, mlir::StringRef what, amp::ReduceKind kind);

/// A clone of `op` without fast-math flags: the contract knows none.
mlir::Operation *cloneExact(mlir::OpBuilder &builder, mlir::Operation *op,
                            mlir::IRMapping &mapping);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_KERNELS_H
