// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/InitAll.h"

#include "amp/Amp.h"
#include "sawtooth/Conversion/Passes.h"
#include "sawtooth/Pipelines/Pipelines.h"
#include "sawtooth/Transforms/Passes.h"
#include "sweep/Sweep.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

void sawtooth::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<amp::AmpDialect, sweep::SweepDialect>();
  registry
      .insert<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, mlir::arith::ArithDialect,
              mlir::cf::ControlFlowDialect, mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
              mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
              mlir::tensor::TensorDialect, mlir::ub::UBDialect, mlir::vector::VectorDialect>();
}

void sawtooth::registerAllPasses() {
  registerSawtoothConversionPasses();
  registerSawtoothTransformsPasses();
  registerPipelines();
  mlir::registerTransformsPasses();
}
