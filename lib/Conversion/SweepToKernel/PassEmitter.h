// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of emitting one pass, shared by the files that emit its parts: PassKernel.cpp (loops
// over chunk rows and elements), PassUniform.cpp (values that elements share), PassVector.cpp (one
// vector), PassStores.cpp (how it is stored), PassDivision.cpp (divisions by what elements share).
#ifndef SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_PASSEMITTER_H
#define SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_PASSEMITTER_H

#include "PassBodyEmitter.h"

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

class PassEmitter : PassBodyEmitter {
public:
  using PassBodyEmitter::PassBodyEmitter;

  mlir::LogicalResult emit(mlir::StringRef name);

private:
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
  bool dividesRoot(mlir::Operation &op);
  mlir::Value prepareDivisors();
  mlir::Value divideRoot(mlir::Value root, mlir::Value divisor);
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

  mlir::Value stackBuffer(mlir::Type element, int64_t count);
  Stream &stream(mlir::FlatSymbolRefAttr name) { return streams.find(name)->second; }

  llvm::DenseMap<mlir::Value, mlir::Value> reciprocals; // splats, of the divisors of roots
  llvm::MapVector<mlir::Attribute, Stream> streams;
  mlir::SmallVector<Lanes> reductions;
  llvm::SetVector<mlir::Attribute> past; // lists that may be stored past the caches
  mlir::Value pastHolds;                 // i1: whether they are, for the chunk at hand
};

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_SWEEPTOKERNEL_PASSEMITTER_H
