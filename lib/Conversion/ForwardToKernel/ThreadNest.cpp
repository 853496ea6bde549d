// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One linalg.generic by the threads of a GPU, each of which computes elements of the results alone.
#include "../SweepToNvptx/DeviceBuilder.h"
#include "LoopNest.h"
#include "VectorBody.h"

using namespace mlir;
using namespace sawtooth;

uint64_t sawtooth::countThreads(linalg::GenericOp op) {
  uint64_t count = 1;
  for (auto [size, kind] : llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::parallel)
      count *= size;
  return count;
}

namespace {
class ThreadEmitter {
public:
  ThreadEmitter(OpBuilder &builder, linalg::GenericOp op, ArrayRef<ForwardOperand> operands,
                ArrayRef<Value> results, const IRMapping &captured)
      : builder(builder), op(op), sizes(op.getStaticLoopRanges()), device(builder, op.getLoc()),
        body(builder, op, /*lane=*/0, operands, results, captured) {
    op.getReductionDims(reductions);
  }

  void emit() {
    Value threads = device.i64(kBlockThreads);
    Value first = device.add(device.mul(device.block(), threads), device.thread());
    device.forRange(first, device.i64(countThreads(op)), device.mul(device.blocks(), threads),
                    [&](Value element) { emitElement(element); });
  }

private:
  void emitElement(Value element) {
    // Row-major over the first result, which all parallel dimensions index.
    SmallVector<Value> indices(op.getNumLoops());
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    Value left = element;
    for (AffineExpr index : llvm::reverse(result.getResults())) {
      unsigned dim = cast<AffineDimExpr>(index).getPosition();
      Value size = device.i64(sizes[dim]);
      indices[dim] = arith::RemUIOp::create(builder, op.getLoc(), left, size);
      left = arith::DivUIOp::create(builder, op.getLoc(), left, size);
    }
    body.beginTile(/*vectors=*/1, /*lanes=*/1);
    if (reductions.empty()) {
      body.store(indices, body.compute(indices, /*accumulators=*/{}));
      return;
    }
    SmallVector<Value> start = body.loadInits(indices);
    body.store(indices, reduce(reductions, indices, start));
  }

  SmallVector<Value> reduce(ArrayRef<unsigned> dims, SmallVector<Value> &indices, ValueRange sums) {
    if (dims.empty())
      return body.compute(indices, sums);
    return device.forRange(device.i64(0), device.i64(sizes[dims.front()]), device.i64(1), sums,
                           [&](Value index, ValueRange carried) {
                             indices[dims.front()] = index;
                             return reduce(dims.drop_front(), indices, carried);
                           });
  }

  OpBuilder &builder;
  linalg::GenericOp op;
  SmallVector<int64_t> sizes;
  SmallVector<unsigned> reductions;
  DeviceBuilder device;
  VectorBody body;
};
} // namespace

void sawtooth::emitThreads(OpBuilder &builder, linalg::GenericOp op,
                           ArrayRef<ForwardOperand> operands, ArrayRef<Value> results,
                           const IRMapping &captured) {
  ThreadEmitter(builder, op, operands, results, captured).emit();
}
