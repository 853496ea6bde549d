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

/// Stores the vectors of a round past the caches, 16-bit ones in pairs: a store should fill as much
/// of a line as one can.
void PassEmitter::storePast(Round &round, const Stream &stream, ArrayRef<Value> vectors) {
  size_t pair = elementBytes(stream.element) == 2 ? 2 : 1;
  for (size_t i = 0; i < vectors.size(); i += pair) {
    Value vector = vectors[i];
    if (pair == 2) {
      auto both = llvm::to_vector(llvm::seq<int64_t>(0, 2 * context.width));
      vector = vector::ShuffleOp::create(builder, location, vector, vectors[i + 1], both);
    }
    // LLVM forgets the hint for vectors of f16, and for the halves into which it would split a
    // store of two vectors that is not volatile.
    vector = vector::BitCastOp::create(builder, location, vectorOf(builder.getI32Type()), vector);
    LLVM::StoreOp::create(builder, location, vector, addressOf(round, stream, i),
                          context.width * sizeof(float), /*isVolatile=*/true,
                          /*isNonTemporal=*/true);
  }
}

/// The vector to store for `value` of the body, its NaNs canonical. A narrowed value is cleaned
/// before it is narrowed, where the test is one comparison.
Value PassEmitter::canonicalElement(IRMapping &mapping, Value value) {
  Value vector = mapping.lookup(value);
  auto narrowing = value.getDefiningOp<arith::TruncFOp>();
  auto extent = extents.find(value);
  if (!narrowing || extent == extents.end() || extent->second != Extent::Element)
    return canonicalizeNan(builder, location, vector);
  Value wide = canonicalizeNan(builder, location, mapping.lookup(narrowing.getIn()));
  return arith::TruncFOp::create(builder, location, vector.getType(), wide);
}

void PassEmitter::storeWrites(Round &round) {
  KernelAbi abi(builder, location, Value());
  auto leave = cast<sweep::LeaveOp>(pass.getBody().front().getTerminator());
  auto names = llvm::to_vector(pass.getWrites().getAsRange<FlatSymbolRefAttr>());
  // One branch for all writes under a flag.
  llvm::MapVector<Value, SmallVector<unsigned>> groups;
  for (unsigned i = 0; i < names.size(); ++i)
    groups[writeFlags[i]].push_back(i);
  for (auto &[flag, writes] : groups) {
    OpBuilder::InsertionGuard guard(builder);
    if (flag) {
      auto when = scf::IfOp::create(builder, location, flag, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(when.thenBlock());
    }
    llvm::MapVector<unsigned, SmallVector<Value>> chosen; // those whose way is chosen by chunk
    for (unsigned write : writes) {
      SmallVector<Value> vectors;
      for (IRMapping &mapping : round.vectors)
        vectors.push_back(canonicalElement(mapping, leave.getWrites()[write]));
      if (!round.rest && past.contains(names[write])) {
        chosen[write] = vectors;
        continue;
      }
      for (auto [i, vector] : llvm::enumerate(vectors))
        abi.store(vector, addressOf(round, stream(names[write]), i));
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
        for (auto [i, vector] : llvm::enumerate(vectors))
          abi.store(vector, addressOf(round, target, i));
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
