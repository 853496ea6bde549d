// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A short hand for IR of one thread among the threads of a block: indices, loops, barriers,
// shuffles, fences.
#ifndef SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_DEVICEBUILDER_H
#define SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_DEVICEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace sawtooth {

/// Threads of every block, and of a warp. As many threads as the contract has lanes, so that a
/// block folds a lane a thread.
inline constexpr unsigned kBlockThreads = 256, kWarpThreads = 32;
inline constexpr unsigned kBlockWarps = kBlockThreads / kWarpThreads;

class DeviceBuilder {
public:
  DeviceBuilder(mlir::OpBuilder &builder, mlir::Location location)
      : builder(builder), location(location) {}

  mlir::Value i32(int32_t value);
  mlir::Value i64(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value band(mlir::Value a, mlir::Value b);
  mlir::Value shiftRight(mlir::Value a, unsigned bits);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value extend(mlir::Value narrow); // i32 as unsigned to i64

  /// Numbers of the thread in its block (i64), of its lane and warp, of the block, and of blocks.
  mlir::Value thread();
  mlir::Value lane();
  mlir::Value warp();
  mlir::Value block();
  mlir::Value blocks();
  mlir::Value isFirstThread();

  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// Values of `body` or of `otherwise`.
  mlir::SmallVector<mlir::Value>
  choose(mlir::Value condition, mlir::TypeRange types,
         llvm::function_ref<mlir::SmallVector<mlir::Value>()> body,
         llvm::function_ref<mlir::SmallVector<mlir::Value>()> otherwise);
  void forRange(mlir::Value begin, mlir::Value end, mlir::Value step,
                llvm::function_ref<void(mlir::Value)> body);
  using LoopBody =
      llvm::function_ref<mlir::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)>;
  mlir::SmallVector<mlir::Value> forRange(mlir::Value begin, mlir::Value end, mlir::Value step,
                                          mlir::ValueRange inits, LoopBody body);

  /// Waits for the threads of the block, whose accesses before are then seen by all of them.
  void barrier();
  /// Orders what this thread, and whom it has synchronised with, has done before what it does
  /// after: as seen by the device, or by the whole system.
  void fenceDevice();
  void fenceSystem();
  /// All lanes of the warp must take part. 32 and 64 bits.
  mlir::Value shuffleDown(mlir::Value value, unsigned lanes);
  mlir::Value shuffleFrom(mlir::Value value, mlir::Value lane32);
  mlir::Value ballot(mlir::Value predicate); // i32
  mlir::Value anyLane(mlir::Value predicate);

  /// The address, in shared memory, of `count` slots of 8 bytes under one name for the module.
  mlir::Value sharedSlots(mlir::ModuleOp module, llvm::StringRef name, unsigned count);

private:
  mlir::Value shuffle(mlir::Value value, bool down, mlir::Value source);

  mlir::OpBuilder &builder;
  mlir::Location location;
};

/// A function that the device alone calls, or, with `kernel`, a launch starts: it then has the
/// attributes that say so. Sets `builder` to the start of its body.
mlir::func::FuncOp createDeviceFunction(mlir::OpBuilder &builder, mlir::ModuleOp module,
                                        mlir::Location location, llvm::StringRef name,
                                        mlir::TypeRange arguments, mlir::TypeRange results,
                                        bool kernel);

/// !llvm.ptr<1>: memory of the device that all blocks see.
mlir::Type globalPointer(mlir::MLIRContext *context);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_DEVICEBUILDER_H
