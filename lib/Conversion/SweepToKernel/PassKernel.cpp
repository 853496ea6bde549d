// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A pass over a model: loops over chunk rows and over the elements of each.
//
// The elements of a chunk go through vectors of `width` f32 lanes. Sums, minima and maxima are kept
// in a buffer of 256 lanes on the stack, element e in lane e mod 256, so the order of the contract
// is kept for every width. What is left of a chunk after whole rounds of vectors, and of a vector
// after whole ones, goes through the same body; a partial vector works on padded copies on the
// stack, so no byte outside the tensor is touched.
#include "PassEmitter.h"

#include "sawtooth/runtime/Abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cstddef>

using namespace mlir;
using namespace sawtooth;

Value PassEmitter::stackBuffer(Type element, int64_t count) {
  return LLVM::AllocaOp::create(builder, location, LLVM::LLVMPointerType::get(builder.getContext()),
                                element, i64(count), /*alignment=*/64);
}

/// Vectors in a round of the main loop: enough that the loop itself costs nothing, few enough that
/// a long body is not compiled many times. A pass that only reads has little else to do, and with
/// 32 registers goes on a little faster in longer rounds.
unsigned PassEmitter::unrolling() {
  size_t operations = llvm::range_size(pass.getBody().front());
  if (operations > 24)
    return 2;
  return pass.getWrites().empty() && context.width == 16 ? 8 : 4;
}

LogicalResult PassEmitter::emit(StringRef name) {
  if (failed(classify()))
    return failure();
  func::FuncOp function = createKernel(builder, context.module, location, name);
  KernelAbi abi(builder, location, function.getArgument(0));

  auto addStreams = [&](ArrayAttr names) {
    for (FlatSymbolRefAttr list : names.getAsRange<FlatSymbolRefAttr>()) {
      if (streams.contains(list))
        continue;
      Type element = context.layout.list(list).getTensors().getElementType();
      streams[list] = {
          context.layout.listNumber(list), element, stackBuffer(element, context.width), {}};
    }
  };
  addStreams(pass.getReads());
  addStreams(pass.getWrites());
  findPast();
  for (auto reduction : pass.getReductions().getAsRange<sweep::ReductionAttr>()) {
    bool flag = reduction.getKind() == amp::ReduceKind::Or;
    reductions.push_back(
        {reduction.getKind(), flag ? Value() : stackBuffer(builder.getF32Type(), SAWTOOTH_LANES)});
  }

  emitStepValues(abi); // once a call

  auto rows = scf::ForOp::create(builder, location, function.getArgument(1),
                                 function.getArgument(2), i64(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(rows.getBody());
    emitChunk(abi, rows.getInductionVar());
  }
  fencePast();
  func::ReturnOp::create(builder, location);
  return success();
}

void PassEmitter::emitChunk(KernelAbi &abi, Value row) {
  unsigned width = context.width, unroll = unrolling();
  Value chunk = abi.element(abi.chunkTable(), row, sizeof(SawtoothChunk));
  Value narrow = abi.load(builder.getI32Type(), abi.offset(chunk, offsetof(SawtoothChunk, tensor)));
  Value tensor = arith::ExtUIOp::create(builder, location, builder.getI64Type(), narrow);
  Value index = abi.loadI64(chunk, offsetof(SawtoothChunk, index));
  Value model = abi.model(info.model);
  Value first = arith::MulIOp::create(builder, location, index, i64(SAWTOOTH_CHUNK));
  Value left = arith::SubIOp::create(builder, location, abi.numel(model, tensor), first);
  Value count = arith::MinSIOp::create(builder, location, left, i64(SAWTOOTH_CHUNK));
  for (auto &[name, stream] : streams)
    stream.buffer = abi.element(abi.listBuffer(model, stream.list, tensor), first,
                                elementBytes(stream.element));
  choosePast(abi, model);
  emitTensorValues(abi, tensor);
  broadcastUniform();
  Value fit = prepareDivisors();

  SmallVector<Value> flags;
  for (Lanes &lanes : reductions) {
    VectorType type = vectorOf(lanes.buffer ? Type(builder.getF32Type()) : builder.getI32Type());
    TypedAttr start = lanes.buffer ? reductionIdentity(lanes.kind, builder.getF32Type())
                                   : TypedAttr(builder.getI32IntegerAttr(0));
    Value vector = arith::ConstantOp::create(builder, location,
                                             DenseElementsAttr::get(type, Attribute(start)));
    if (!lanes.buffer) {
      flags.push_back(vector);
      continue;
    }
    for (unsigned lane = 0; lane < SAWTOOTH_LANES; lane += width)
      abi.store(vector, abi.offset(lanes.buffer, lane * sizeof(float)));
  }

  Value whole = arith::AndIOp::create(builder, location, count, i64(-int64_t(unroll * width)));
  if (fit)
    whole = arith::SelectOp::create(builder, location, fit, whole, i64(0));
  flags = emitLoop(i64(0), whole, unroll, /*count=*/Value(), flags);
  flags = emitLoop(whole, count, 1, count, flags);

  Value partials = abi.element(abi.partials(), row, context.step.partials * Layout::slotBytes);
  size_t flag = 0;
  for (auto [column, lanes] : llvm::enumerate(reductions)) {
    Value result;
    if (lanes.buffer) {
      result = arith::ExtFOp::create(builder, location, builder.getF64Type(), halveLanes(lanes));
    } else {
      Value any =
          vector::ReductionOp::create(builder, location, vector::CombiningKind::OR, flags[flag++]);
      Value bit = arith::CmpIOp::create(
          builder, location, arith::CmpIPredicate::ne, any,
          arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(0)));
      result = arith::ExtUIOp::create(builder, location, builder.getI64Type(), bit);
    }
    abi.store(result, abi.offset(partials, (info.firstColumn + column) * Layout::slotBytes));
  }
}

/// Elements [begin, end) in rounds of `unroll` vectors. With `count` (the chunk's elements) and a
/// single vector a round, the last one may be partial. Carries and returns the masks of the `or`
/// reductions.
SmallVector<Value> PassEmitter::emitLoop(Value begin, Value end, unsigned unroll, Value count,
                                         ValueRange flags) {
  Value step = i64(unroll * context.width);
  auto loop = scf::ForOp::create(builder, location, begin, end, step, flags);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> carried = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
  Value element = loop.getInductionVar();
  Value rest = count ? arith::SubIOp::create(builder, location, count, element) : Value();
  emitRound(element, unroll, rest, carried);
  // A loop without carried values has its terminator already.
  if (!flags.empty())
    scf::YieldOp::create(builder, location, carried);
  return llvm::to_vector_of<Value>(loop.getResults());
}

LogicalResult sawtooth::emitPass(const KernelContext &context, sweep::PassOp pass, StringRef name) {
  return PassEmitter(context, pass).emit(name);
}
