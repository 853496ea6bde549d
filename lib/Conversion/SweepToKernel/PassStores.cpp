// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a vector of a pass is stored: NaNs canonical, under its flag, past the caches where nobody in
// the step reads it again.
#include "PassEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sawtooth;

/// Chunk rows from which on a model is too large for what is written to be found in a cache later
/// on: 4 M elements, of which a step moves 100 MB and more. A smaller model's copy would be thrown
/// out before the forward part that comes next reads it.
static constexpr int64_t kLargeModel = 256;

/// Finds the lists that this pass writes and nobody reads from here to the end of the step.
void PassEmitter::findPast() {
  past.insert_range(pass.getWrites());
  for (Operation *op = pass; op; op = op->getNextNode())
    if (auto reader = dyn_cast<sweep::PassOp>(op))
      for (Attribute name : reader.getReads())
        past.remove(name);
}

/// Decides for the chunk at hand whether they bypass the caches: such a store saves reading the
/// line first, a tenth of the time of a step with a 16-bit copy, but needs an aligned address.
void PassEmitter::choosePast(KernelAbi &abi, Value model) {
  if (past.empty())
    return;
  pastHolds = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sge,
                                    abi.chunkCount(model), i64(kLargeModel));
  for (Attribute name : past) {
    Value address = LLVM::PtrToIntOp::create(builder, location, builder.getI64Type(),
                                             streams.find(name)->second.buffer);
    Value offset =
        arith::AndIOp::create(builder, location, address, i64(context.width * sizeof(float) - 1));
    Value aligned =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, offset, i64(0));
    pastHolds = arith::AndIOp::create(builder, location, pastHolds, aligned);
  }
}

/// Such stores overtake others: they must have happened when the function returns.
void PassEmitter::fencePast() {
  if (!past.empty())
    LLVM::CallIntrinsicOp::create(builder, location, builder.getStringAttr("llvm.x86.sse.sfence"),
                                  ValueRange());
}

/// How many vectors of a list a round of several stores at once: those of 16 bits go in pairs, for
/// fewer instructions and fuller lines.
unsigned PassEmitter::storedTogether(const Round &round, const Stream &stream) {
  return round.vectors.size() > 1 && elementBytes(stream.element) == 2 ? 2 : 1;
}

/// Two vectors side by side; as integers, since LLVM has no way to move elements of bf16.
Value PassEmitter::concatenate(Value low, Value high) {
  auto type = cast<VectorType>(low.getType());
  auto bits = type.clone(builder.getIntegerType(type.getElementTypeBitWidth()));
  auto cast = [&](Type to, Value value) {
    return vector::BitCastOp::create(builder, location, to, value).getResult();
  };
  auto both = llvm::to_vector(llvm::seq<int64_t>(0, 2 * context.width));
  Value whole =
      vector::ShuffleOp::create(builder, location, cast(bits, low), cast(bits, high), both);
  return cast(VectorType::get({2 * context.width}, type.getElementType()), whole);
}

/// The vectors to store for write number `write`, their NaNs canonical. A narrowed value is cleaned
/// before it is narrowed, where the test is one comparison.
SmallVector<Value> PassEmitter::canonicalVectors(Round &round, unsigned write) {
  auto name = cast<FlatSymbolRefAttr>(pass.getWrites()[write]);
  Value value = leave().getWrites()[write];
  arith::TruncFOp narrowing = narrowingOf(value);
  SmallVector<Value> vectors;
  unsigned together = storedTogether(round, stream(name));
  for (unsigned i = 0; i < round.vectors.size(); i += together) {
    auto part = [&](unsigned number) {
      return round.vectors[number].lookup(narrowing ? narrowing.getIn() : value);
    };
    Value vector = part(i);
    if (together == 2)
      vector = concatenate(vector, part(i + 1));
    vector = canonicalizeNan(builder, location, vector);
    if (narrowing) {
      Type type = cast<VectorType>(vector.getType()).clone(value.getType());
      vector = arith::TruncFOp::create(builder, location, type, vector);
    }
    vectors.push_back(vector);
  }
  return vectors;
}

void PassEmitter::storeVectors(Round &round, const Stream &stream, ArrayRef<Value> vectors) {
  KernelAbi abi(builder, location, Value());
  for (auto [i, vector] : llvm::enumerate(vectors))
    abi.store(vector, addressOf(round, stream, i * storedTogether(round, stream)));
}

/// The same past the caches.
void PassEmitter::storePast(Round &round, const Stream &stream, ArrayRef<Value> vectors) {
  for (auto [i, vector] : llvm::enumerate(vectors)) {
    // LLVM forgets the hint for vectors of f16, and for the halves into which it would split a
    // store of two vectors that is not volatile.
    Value bits =
        vector::BitCastOp::create(builder, location, vectorOf(builder.getI32Type()), vector);
    LLVM::StoreOp::create(builder, location, bits,
                          addressOf(round, stream, i * storedTogether(round, stream)),
                          context.width * sizeof(float), /*isVolatile=*/true,
                          /*isNonTemporal=*/true);
  }
}

/// Stores what `op` of the body has computed for good, if nothing speaks against doing so at once:
/// it frees registers. Writes under a flag, and those past the caches, wait for the end of the
/// round, where one branch does for all of them.
void PassEmitter::storeEarly(Round &round, Operation &op) {
  Block &body = pass.getBody().front();
  for (auto [write, value] : llvm::enumerate(leave().getWrites())) {
    auto name = cast<FlatSymbolRefAttr>(pass.getWrites()[write]);
    if (value.getDefiningOp() != &op || writeFlags[write] || round.rest || past.contains(name))
      continue;
    // The body sees lists as they were.
    for (auto [read, argument] : llvm::zip(pass.getReads(), body.getArguments()))
      if (read == name)
        loadRead(round, argument);
    storeVectors(round, stream(name), canonicalVectors(round, write));
    round.stored.insert(write);
  }
}

void PassEmitter::storeWrites(Round &round) {
  KernelAbi abi(builder, location, Value());
  auto names = llvm::to_vector(pass.getWrites().getAsRange<FlatSymbolRefAttr>());
  for (auto &[flag, all] : writeGroups()) {
    SmallVector<unsigned> writes =
        llvm::filter_to_vector(all, [&](unsigned write) { return !round.stored.contains(write); });
    if (writes.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    if (flag) {
      auto when = scf::IfOp::create(builder, location, flag, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(when.thenBlock());
    }
    llvm::MapVector<unsigned, SmallVector<Value>> chosen; // those whose way is chosen by chunk
    for (unsigned write : writes) {
      SmallVector<Value> vectors = canonicalVectors(round, write);
      if (!round.rest && past.contains(names[write]))
        chosen[write] = vectors;
      else
        storeVectors(round, stream(names[write]), vectors);
    }
    // One branch for all of them, behind everything that the processor can compute together.
    if (!chosen.empty()) {
      auto way = scf::IfOp::create(builder, location, pastHolds, /*withElseRegion=*/true);
      for (auto &[write, vectors] : chosen) {
        const Stream &target = stream(names[write]);
        OpBuilder::InsertionGuard inner(builder);
        builder.setInsertionPoint(way.thenBlock()->getTerminator());
        storePast(round, target, vectors);
        builder.setInsertionPoint(way.elseBlock()->getTerminator());
        storeVectors(round, target, vectors);
      }
    }
    if (!round.partial)
      continue;
    auto spill = scf::IfOp::create(builder, location, round.partial, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(spill.thenBlock());
    for (unsigned write : writes) {
      const Stream &target = stream(names[write]);
      Value place = abi.element(target.buffer, round.element, elementBytes(target.element));
      copyElements(target, target.padded, place, round.rest);
    }
  }
}
