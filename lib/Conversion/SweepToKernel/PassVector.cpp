// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The body of a pass on a few vectors of elements: loads, operations, reductions.
#include "PassEmitter.h"

#include "sawtooth/runtime/Abi.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sawtooth;

/// Copies `count` < width elements one by one, as integers: a copy must not touch a NaN's payload.
void PassEmitter::copyElements(const Stream &stream, Value from, Value to, Value count) {
  KernelAbi abi(builder, location, Value());
  uint64_t bytes = elementBytes(stream.element);
  auto loop = scf::ForOp::create(builder, location, i64(0), count, i64(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value index = loop.getInductionVar();
  abi.store(abi.load(builder.getIntegerType(8 * bytes), abi.element(from, index, bytes)),
            abi.element(to, index, bytes));
}

/// The body for `vectors` vectors from `element` on. `rest` is null, or, for a single vector, the
/// number of elements from there to the end of the chunk, which may be less than a vector.
///
/// Every operation is emitted for all vectors before the next one: a processor that waits for a
/// square root of one of them finds the others' work close by, well within what it looks ahead.
void PassEmitter::emitRound(Value element, unsigned vectors, Value rest,
                            MutableArrayRef<Value> flags) {
  KernelAbi abi(builder, location, Value());
  Block &body = pass.getBody().front();
  Round round;
  round.element = element;
  round.rest = rest;
  if (rest)
    padPartial(round);
  for (unsigned i = 0; i < vectors; ++i)
    round.vectors.emplace_back(splats);

  for (Operation &op : body.without_terminator()) {
    if (extents.at(op.getResult(0)) != Extent::Element)
      continue;
    for (Value operand : op.getOperands())
      loadRead(round, operand);
    if (!rest && dividesRoot(op)) {
      for (IRMapping &mapping : round.vectors)
        mapping.map(op.getResult(0),
                    divideRoot(mapping.lookup(op.getOperand(0)), op.getOperand(1)));
    } else {
      cloneOp(op, round.vectors);
    }
    storeEarly(round, op);
  }
  for (Value operand : leave()->getOperands())
    loadRead(round, operand);
  storeWrites(round);
  reduce(round, flags);
}

/// Loads the list that `value` is an argument of the body for, unless that has been done: where it
/// is used first, so that few vectors are in registers at a time.
void PassEmitter::loadRead(Round &round, Value value) {
  KernelAbi abi(builder, location, Value());
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &pass.getBody().front() ||
      argument.getArgNumber() >= pass.getReads().size() || round.vectors.front().contains(argument))
    return;
  auto name = cast<FlatSymbolRefAttr>(pass.getReads()[argument.getArgNumber()]);
  for (auto [i, mapping] : llvm::enumerate(round.vectors)) {
    Value &vector = round.loaded[{name, i}];
    if (!vector)
      vector = abi.load(vectorOf(stream(name).element), addressOf(round, stream(name), i));
    mapping.map(argument, vector);
  }
}

/// Where vector `i` of the round is: in the tensor, or padded on the stack.
Value PassEmitter::addressOf(const Round &round, const Stream &stream, unsigned i) {
  KernelAbi abi(builder, location, Value());
  uint64_t bytes = elementBytes(stream.element);
  Value address = abi.offset(abi.element(stream.buffer, round.element, bytes),
                             uint64_t(i) * context.width * bytes);
  if (round.partial)
    address = arith::SelectOp::create(builder, location, round.partial, stream.padded, address);
  return address;
}

/// Prepares for a vector that may be partial: what it reads is copied to the stack then.
void PassEmitter::padPartial(Round &round) {
  KernelAbi abi(builder, location, Value());
  round.partial = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, round.rest,
                                        i64(context.width));
  if (!reductions.empty()) {
    VectorType indices = vectorOf(builder.getI32Type());
    auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, context.width));
    Value lane = arith::ConstantOp::create(builder, location,
                                           DenseElementsAttr::get(indices, ArrayRef(numbers)));
    // At most a chunk, so 32 bits hold it.
    Value narrow = arith::TruncIOp::create(builder, location, builder.getI32Type(), round.rest);
    Value limit = vector::BroadcastOp::create(builder, location, indices, narrow);
    round.mask = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, lane, limit);
  }
  if (pass.getReads().empty())
    return;
  auto pad = scf::IfOp::create(builder, location, round.partial, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(pad.thenBlock());
  for (auto &[name, stream] : streams) {
    if (!llvm::is_contained(pass.getReads(), name))
      continue;
    VectorType type = vectorOf(stream.element);
    Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(type));
    abi.store(zero, stream.padded);
    copyElements(stream, abi.element(stream.buffer, round.element, elementBytes(stream.element)),
                 stream.padded, round.rest);
  }
}

void PassEmitter::reduce(Round &round, MutableArrayRef<Value> flags) {
  KernelAbi abi(builder, location, Value());
  // A round of vectors starts at a multiple of its size, so its lanes are side by side.
  Value lane = arith::AndIOp::create(builder, location, round.element, i64(SAWTOOTH_LANES - 1));
  size_t flag = 0;
  for (auto [lanes, reduced] : llvm::zip_equal(reductions, leave().getReduces())) {
    for (auto [i, mapping] : llvm::enumerate(round.vectors)) {
      Value value = mapping.lookup(reduced);
      if (!lanes.buffer) {
        if (round.mask)
          value = arith::AndIOp::create(builder, location, value, round.mask);
        Value bits =
            arith::ExtSIOp::create(builder, location, vectorOf(builder.getI32Type()), value);
        flags[flag] = arith::OrIOp::create(builder, location, flags[flag], bits);
        continue;
      }
      Value address = abi.offset(abi.element(lanes.buffer, lane, sizeof(float)),
                                 i * context.width * sizeof(float));
      Value before = abi.load(value.getType(), address);
      Value after = combine(builder, location, lanes.kind, before, value);
      if (round.mask)
        after = arith::SelectOp::create(builder, location, round.mask, after, before);
      abi.store(after, address);
    }
    flag += !lanes.buffer;
  }
}

/// Folds the 256 lanes by halving, in f32: the upper half onto the lower one.
Value PassEmitter::halveLanes(const Lanes &lanes) {
  KernelAbi abi(builder, location, Value());
  unsigned width = context.width;
  SmallVector<Value> vectors;
  for (unsigned lane = 0; lane < SAWTOOTH_LANES; lane += width)
    vectors.push_back(
        abi.load(vectorOf(builder.getF32Type()), abi.offset(lanes.buffer, lane * sizeof(float))));
  while (vectors.size() > 1) {
    size_t half = vectors.size() / 2;
    for (size_t i = 0; i < half; ++i)
      vectors[i] = combine(builder, location, lanes.kind, vectors[i], vectors[i + half]);
    vectors.resize(half);
  }
  Value vector = vectors.front();
  for (int64_t half = width / 2; half > 0; half /= 2) {
    auto part = [&](int64_t offset) {
      auto taken = llvm::to_vector(llvm::seq<int64_t>(offset, offset + half));
      return vector::ShuffleOp::create(builder, location, vector, vector, taken);
    };
    vector = combine(builder, location, lanes.kind, part(0), part(half));
  }
  return vector::ExtractOp::create(builder, location, vector, 0);
}
