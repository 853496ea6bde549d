// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The body of a linalg.generic on vectors of neighbouring elements.
#ifndef SAWTOOTH_CONVERSION_FORWARDTOKERNEL_VECTORBODY_H
#define SAWTOOTH_CONVERSION_FORWARDTOKERNEL_VECTORBODY_H

#include "LoopNest.h"
#include "sawtooth/Conversion/KernelAbi.h"

namespace sawtooth {

/// Emits loads, the body's arithmetic and stores for a tile of `vectors` vectors of `lanes`
/// elements along one parallel dimension (scalars when `lanes` is 1). What does not depend on that
/// dimension stays scalar and is loaded once.
///
/// `indices` are those of all loops; the one of the lane dimension is that of the tile's first
/// element. Values of a tile are ordered by vector, then result.
class VectorBody {
public:
  VectorBody(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, unsigned lane,
             llvm::ArrayRef<ForwardOperand> operands, llvm::ArrayRef<mlir::Value> results,
             const mlir::IRMapping &captured);

  void beginTile(unsigned tileVectors, unsigned tileLanes) {
    vectors = tileVectors;
    lanes = tileLanes;
  }
  /// The values that reductions start from.
  llvm::SmallVector<mlir::Value> loadInits(llvm::ArrayRef<mlir::Value> indices);
  /// One run of the body; `accumulators` stand for the results' old elements, which are loaded
  /// where the body uses them and `accumulators` is empty.
  llvm::SmallVector<mlir::Value> compute(llvm::ArrayRef<mlir::Value> indices,
                                         mlir::ValueRange accumulators);
  void store(llvm::ArrayRef<mlir::Value> indices, llvm::ArrayRef<mlir::Value> values);

private:
  /// The position of an element in a row-major buffer: offset + sum of strides[d] * index d.
  struct Access {
    int64_t offset = 0;
    llvm::SmallVector<int64_t> strides;
  };
  static Access accessOf(mlir::linalg::GenericOp op, mlir::OpOperand &operand);

  mlir::Value position(const Access &access, llvm::ArrayRef<mlir::Value> indices);
  mlir::Value load(unsigned operand, llvm::ArrayRef<mlir::Value> indices);
  mlir::Value laneIndex(mlir::Value first);
  mlir::Value widen(mlir::Value value);
  mlir::Value canonical(mlir::Value value);
  llvm::SmallVector<mlir::Value> indicesOfVector(llvm::ArrayRef<mlir::Value> indices,
                                                 unsigned vector);
  llvm::SmallVector<mlir::Value> clone(mlir::IRMapping &mapping,
                                       llvm::ArrayRef<mlir::Value> indices);

  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::linalg::GenericOp op;
  unsigned lane;
  llvm::ArrayRef<ForwardOperand> operands;
  llvm::ArrayRef<mlir::Value> results;
  const mlir::IRMapping &captured;
  KernelAbi abi;
  llvm::SmallVector<Access> accesses; // by operand
  unsigned vectors = 1, lanes = 1;
};

} // namespace sawtooth

#endif // SAWTOOTH_CONVERSION_FORWARDTOKERNEL_VECTORBODY_H
