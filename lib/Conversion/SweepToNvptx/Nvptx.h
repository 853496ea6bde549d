// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the emitters of sweep-to-nvptx share.
#ifndef SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_NVPTX_H
#define SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_NVPTX_H

#include "../SweepToKernel/Kernels.h"
#include "DeviceBuilder.h"

namespace sawtooth {

/// One launch of a kernel: programs that every block runs first, passes, and programs of the block
/// that is done last. Without passes there is one block with work.
struct Launch {
  std::string kernel;
  mlir::SmallVector<sweep::ScalarOp> entry;
  mlir::SmallVector<sweep::PassOp> passes;
  mlir::SmallVector<sweep::ScalarOp> after;
  unsigned index = 0; // of its step: which ticket is its
  bool last = false;  // of its step
};

/// What the parts of one kernel are emitted from. Step values that its own entry programs compute
/// stand in shared memory, everything else in the frame.
struct LaunchContext {
  const KernelContext &kernel;
  const Launch &launch;
  llvm::DenseMap<mlir::Value, unsigned> shared; // slot of a result of an entry program

  mlir::Value sharedSlot(mlir::OpBuilder &builder, mlir::Location location, unsigned slot) const;
  /// As a pass, a gate or an entry program reads it.
  mlir::Value load(mlir::OpBuilder &builder, KernelAbi &abi, mlir::Location location,
                   mlir::Value value) const;
};

/// Emits, at `builder`, this block's share of a pass. `ctx` is the kernel's argument. The first
/// pass of a launch needs no division to find its share.
mlir::LogicalResult emitDevicePass(const LaunchContext &context, sweep::PassOp pass,
                                   mlir::OpBuilder &builder, mlir::Value ctx, unsigned warpsPerRow,
                                   bool first);

/// Emits, at `builder`, a program that every block runs, its first thread for all.
mlir::LogicalResult emitEntryProgram(const LaunchContext &context, sweep::ScalarOp program,
                                     mlir::OpBuilder &builder, mlir::Value ctx);
/// Emits, at `builder`, a program of the last block, by all of its threads. What it has written is
/// seen by them after the next barrier.
mlir::LogicalResult emitLastProgram(const LaunchContext &context, sweep::ScalarOp program,
                                    mlir::OpBuilder &builder, mlir::Value ctx);
/// Whether a program walks over tensors, which no block should do for others.
bool walksTensors(sweep::ScalarOp program);

/// Emits, at `builder`, what brings the partials of a pass to the frame and the per-tensor arrays,
/// by all threads of the last block.
void emitDeviceFold(const LaunchContext &context, sweep::PassOp pass, mlir::OpBuilder &builder,
                    mlir::Value ctx);
/// One value of `count` (i64) 8-byte slots from `base` on, in the contract's order; known to all
/// threads of the block, all of which must take part.
mlir::Value emitArrayFold(mlir::ModuleOp module, mlir::OpBuilder &builder, mlir::Location location,
                          amp::ReduceKind kind, mlir::Value base, mlir::Value count);

/// Emits, at `builder`, the end of the step's last launch: a row of the ring.
void emitRingRow(const LaunchContext &context, mlir::OpBuilder &builder, mlir::Value ctx,
                 mlir::Location location);

/// Emits the kernel of a launch at the end of the module.
mlir::LogicalResult emitLaunch(const KernelContext &context, const Launch &launch,
                               unsigned warpsPerRow);

/// How many warps share a chunk row of the launch's passes; 0 without passes.
unsigned warpsPerRow(const Launch &launch);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_NVPTX_H
