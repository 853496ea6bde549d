// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of emitting one pass, shared by the files that emit its parts: PassKernel.cpp (loops
// over chunk rows and elements), PassUniform.cpp (values that elements share), PassVector.cpp (one
// vector), PassStores.cpp (how it is stored).
#ifndef SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_PASSEMITTER_H
#define SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_PASSEMITTER_H

#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace sawtooth {

/// A list that the pass reads or writes, once however often it is named.
struct Stream {
  unsigned list;
  mlir::Type element;
  mlir::Value padded; // stack copy of a partial vector
  mlir::Value buffer; // the chunk's first element
};

/// One reduction of the pass.
struct Lanes {
  amp::ReduceKind kind;
  mlir::Value buffer; // 256 f32 on the stack; null for `or`, which a vector of i32 masks carries
};

/// Vectors that go through the body together.
struct Round {
  mlir::Value element; // of the chunk, the first
  mlir::Value rest;    // null unless the round is a single vector that may be partial
  mlir::Value partial; // i1, whether it is
  mlir::Value mask;    // i1 for each lane, whether it holds an element; null without reductions
  mlir::SmallVector<mlir::IRMapping, 4> vectors;                            // the body's values
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, mlir::Value> loaded; // by list, vector
  llvm::SmallDenseSet<unsigned> stored;                                     // writes that are done
};

class PassEmitter {
public:
  PassEmitter(const KernelContext &context, sweep::PassOp pass)
      : context(context), pass(pass), info(context.step.passes.at(pass)), location(pass.getLoc()),
        builder(pass.getContext()) {}

  mlir::LogicalResult emit(mlir::StringRef name);

private:
  /// How often a value of the body exists.
  enum class Extent { Step, Tensor, Element };

  mlir::LogicalResult classify();
  void emitUniform(KernelAbi &abi, Extent extent, mlir::Value tensor);
  mlir::Value uniformOp(KernelAbi &abi, mlir::Operation &op, mlir::Value tensor);
  void broadcastUniform();
  void emitChunk(KernelAbi &abi, mlir::Value row);
  mlir::SmallVector<mlir::Value> emitLoop(mlir::Value begin, mlir::Value end, unsigned unroll,
                                          mlir::Value count, mlir::ValueRange flags);
  void emitRound(mlir::Value element, unsigned vectors, mlir::Value rest,
                 mlir::MutableArrayRef<mlir::Value> flags);
  void loadRead(Round &round, mlir::Value value);
  mlir::Value addressOf(const Round &round, const Stream &stream, unsigned vector);
  void padPartial(Round &round);
  void copyElements(const Stream &stream, mlir::Value from, mlir::Value to, mlir::Value count);
  void reduce(Round &round, mlir::MutableArrayRef<mlir::Value> flags);
  void findPast();
  void choosePast(KernelAbi &abi, mlir::Value model);
  void fencePast();
  void storeEarly(Round &round, mlir::Operation &op);
  void storeWrites(Round &round);
  unsigned storedTogether(const Round &round, const Stream &stream);
  mlir::Value concatenate(mlir::Value low, mlir::Value high);
  mlir::SmallVector<mlir::Value> canonicalVectors(Round &round, unsigned write);
  void storeVectors(Round &round, const Stream &stream, mlir::ArrayRef<mlir::Value> vectors);
  void storePast(Round &round, const Stream &stream, mlir::ArrayRef<mlir::Value> vectors);
  mlir::Value halveLanes(const Lanes &lanes);
  unsigned unrolling();

  mlir::Value i64(int64_t value) {
    return mlir::arith::ConstantOp::create(builder, location, builder.getI64IntegerAttr(value));
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return mlir::arith::AddIOp::create(builder, location, a, b);
  }
  mlir::VectorType vectorOf(mlir::Type element) {
    return mlir::VectorType::get({context.width}, element);
  }
  mlir::Value stackBuffer(mlir::Type element, int64_t count);
  Stream &stream(mlir::FlatSymbolRefAttr name) { return streams.find(name)->second; }

  const KernelContext &context;
  sweep::PassOp pass;
  const PassInfo &info;
  mlir::Location location;
  mlir::OpBuilder builder;

  llvm::DenseMap<mlir::Value, Extent> extents;
  llvm::SetVector<mlir::Value> broadcasts; // uniform values that element operations use
  mlir::IRMapping uniform;                 // scalars: step and tensor values
  mlir::IRMapping splats;                  // their vectors
  llvm::MapVector<mlir::Attribute, Stream> streams;
  mlir::SmallVector<Lanes> reductions;
  llvm::SetVector<mlir::Attribute> past;     // lists that may be stored past the caches
  mlir::Value pastHolds;                     // i1: whether they are, for the chunk at hand
  mlir::SmallVector<mlir::Value> writeFlags; // i1 that predicates each write, or null
};

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_PASSEMITTER_H
