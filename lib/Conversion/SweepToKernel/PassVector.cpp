// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The body of a pass on one vector of elements: loads, operations, stores, reductions.
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

/// The body for the vector at `element`. `rest` is null, or the number of elements from there to
/// the end of the chunk, which may be less than a vector.
void PassEmitter::emitVector(Value element, Value rest, MutableArrayRef<Value> flags) {
  KernelAbi abi(builder, location, Value());
  Block &body = pass.getBody().front();
  Value partial, mask;
  if (rest) {
    Value width = i64(context.width);
    partial = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, rest, width);
    if (!reductions.empty()) {
      VectorType indices = vectorOf(builder.getI32Type());
      auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, context.width));
      Value lane = arith::ConstantOp::create(builder, location,
                                             DenseElementsAttr::get(indices, ArrayRef(numbers)));
      // At most a chunk, so 32 bits hold it.
      Value narrow = arith::TruncIOp::create(builder, location, builder.getI32Type(), rest);
      Value limit = vector::BroadcastOp::create(builder, location, indices, narrow);
      mask = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, lane, limit);
    }
  }

  // Where each stream's vector is: in the tensor, or padded on the stack.
  llvm::DenseMap<Attribute, Value> addresses;
  for (auto &[name, stream] : streams) {
    Value address = abi.element(stream.buffer, element, elementBytes(stream.element));
    if (partial)
      address = arith::SelectOp::create(builder, location, partial, stream.padded, address);
    addresses[name] = address;
  }
  if (partial && !pass.getReads().empty()) {
    auto pad = scf::IfOp::create(builder, location, partial, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(pad.thenBlock());
    for (auto &[name, stream] : streams) {
      if (!llvm::is_contained(pass.getReads(), name))
        continue;
      VectorType type = vectorOf(stream.element);
      Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(type));
      abi.store(zero, stream.padded);
      copyElements(stream, abi.element(stream.buffer, element, elementBytes(stream.element)),
                   stream.padded, rest);
    }
  }

  IRMapping mapping(splats);
  llvm::DenseMap<Attribute, Value> loaded;
  for (auto [name, argument] :
       llvm::zip(pass.getReads().getAsRange<FlatSymbolRefAttr>(), body.getArguments())) {
    Value &vector = loaded[name];
    if (!vector)
      vector = abi.load(vectorOf(stream(name).element), addresses[name]);
    mapping.map(argument, vector);
  }
  for (Operation &op : body.without_terminator()) {
    if (extents.at(op.getResult(0)) != Extent::Element)
      continue;
    // The exponent of a power stays a scalar.
    if (auto power = dyn_cast<amp::PowiOp>(op))
      if (!mapping.contains(power.getExponent()))
        mapping.map(power.getExponent(), uniform.lookup(power.getExponent()));
    Operation *clone = cloneExact(builder, &op, mapping);
    for (OpResult result : clone->getResults())
      result.setType(vectorOf(result.getType()));
  }
  SmallVector<Value> writes;
  for (FlatSymbolRefAttr name : pass.getWrites().getAsRange<FlatSymbolRefAttr>())
    writes.push_back(addresses[name]);
  storeWrites(mapping, writes, element, rest, partial);
  reduce(mapping, element, mask, flags);
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

void PassEmitter::storeWrites(IRMapping &mapping, ArrayRef<Value> addresses, Value element,
                              Value rest, Value partial) {
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
    for (unsigned i : writes)
      abi.store(canonicalElement(mapping, leave.getWrites()[i]), addresses[i]);
    if (!partial)
      continue;
    auto spill = scf::IfOp::create(builder, location, partial, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(spill.thenBlock());
    for (unsigned i : writes) {
      const Stream &target = stream(names[i]);
      copyElements(target, target.padded,
                   abi.element(target.buffer, element, elementBytes(target.element)), rest);
    }
  }
}

void PassEmitter::reduce(IRMapping &mapping, Value element, Value mask,
                         MutableArrayRef<Value> flags) {
  KernelAbi abi(builder, location, Value());
  auto leave = cast<sweep::LeaveOp>(pass.getBody().front().getTerminator());
  Value lane = arith::AndIOp::create(builder, location, element, i64(SAWTOOTH_LANES - 1));
  size_t flag = 0;
  for (auto [lanes, reduced] : llvm::zip_equal(reductions, leave.getReduces())) {
    Value value = mapping.lookup(reduced);
    if (!lanes.buffer) {
      if (mask)
        value = arith::AndIOp::create(builder, location, value, mask);
      Value bits = arith::ExtSIOp::create(builder, location, vectorOf(builder.getI32Type()), value);
      flags[flag] = arith::OrIOp::create(builder, location, flags[flag], bits);
      ++flag;
      continue;
    }
    Value address = abi.element(lanes.buffer, lane, sizeof(float));
    Value before = abi.load(value.getType(), address);
    Value after = combine(builder, location, lanes.kind, before, value);
    if (mask)
      after = arith::SelectOp::create(builder, location, mask, after, before);
    abi.store(after, address);
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
