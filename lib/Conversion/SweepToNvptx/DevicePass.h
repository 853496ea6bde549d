// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of emitting one pass for a GPU, shared by the files that emit its parts: DevicePass.cpp
// (shares of the work), DeviceVector.cpp (one vector a thread), DeviceLanes.cpp (reductions).
//
// Accesses are of four elements a thread, neighbours' next to each other, so that a warp asks for
// each sector once. Where an address is not aligned for that, and for what is left of a chunk after
// whole vectors, elements are accessed one by one.
#ifndef SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_DEVICEPASS_H
#define SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_DEVICEPASS_H

#include "../SweepToKernel/PassBodyEmitter.h"
#include "Nvptx.h"

namespace sawtooth {

class DevicePass : PassBodyEmitter {
public:
  DevicePass(const LaunchContext &launch, const KernelContext &context, sweep::PassOp pass)
      : PassBodyEmitter(context, pass), launch(launch), device(builder, location) {}

  mlir::LogicalResult emit(mlir::OpBuilder &at, mlir::Value ctx, unsigned warpsPerRow, bool first);

private:
  /// A list that the pass reads or writes, once however often it is named.
  struct Stream {
    unsigned list;
    mlir::Type element;
    mlir::Value buffer; // the chunk's first element
  };
  /// A chunk, or a part of it: elements [begin, end) of it (i64).
  struct Part {
    mlir::Value row, begin, end;
  };

  mlir::Value loadCaptured(KernelAbi &abi, mlir::Value value) final {
    return launch.load(builder, abi, location, value);
  }
  mlir::Value firstUnit(mlir::Value begin, mlir::Value stride, bool first);
  mlir::Value narrow(mlir::Value value); // to i32
  /// Tables and tensor values of a chunk; returns its number of elements.
  mlir::Value enterChunk(KernelAbi &abi, mlir::Value row);
  mlir::Value isAligned();

  /// Without reductions: whole vectors, and single elements.
  void emitMap(const Part &part);

  /// With reductions: rounds of 256 elements, one for each lane of the contract.
  void emitReduction(KernelAbi &abi, const Part &part);
  mlir::SmallVector<mlir::Value> emitRounds(mlir::Value begin, mlir::Value end, unsigned unroll,
                                            mlir::Value count, mlir::Value aligned,
                                            mlir::ValueRange sums);
  mlir::SmallVector<mlir::Value> startSums();
  void accumulate(mlir::IRMapping &mapping, unsigned group, mlir::Value mask,
                  mlir::MutableArrayRef<mlir::Value> sums);
  void storePartials(KernelAbi &abi, mlir::Value row, mlir::ArrayRef<mlir::Value> sums);

  /// The body for the vector at `element`. `rest` is null, or the number of elements from there to
  /// the end of the chunk (it may be negative); then `aligned` says whether whole vectors are.
  void emitVector(mlir::IRMapping &mapping, mlir::Value element, mlir::Value rest,
                  mlir::Value aligned);
  mlir::Value loadWide(const Stream &stream, mlir::Value element);
  mlir::SmallVector<mlir::Value> loadSingly(mlir::ArrayRef<Stream *> streams, mlir::Value element,
                                            mlir::Value rest);
  void storeWrites(mlir::IRMapping &mapping, mlir::Value element, mlir::Value rest,
                   mlir::Value full);
  void storeSingly(Stream &stream, mlir::Value vector, mlir::Value element, mlir::Value rest);
  mlir::Value canonicalElement(mlir::IRMapping &mapping, mlir::Value value);
  mlir::Value maskOf(mlir::Value rest);
  Stream &stream(mlir::FlatSymbolRefAttr name) { return streams.find(name)->second; }

  const LaunchContext &launch;
  DeviceBuilder device;
  llvm::MapVector<mlir::Attribute, Stream> streams;
};

/// Elements of a thread's access: 16 bytes of f32.
inline constexpr unsigned kDeviceWidth = 4;

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_SWEEPTONVPTX_DEVICEPASS_H
