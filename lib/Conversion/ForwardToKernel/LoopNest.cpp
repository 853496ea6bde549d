// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopNest.h"
#include "VectorBody.h"
#include "sawtooth/Conversion/KernelAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace sawtooth;

/// Iterations of the body that a unit should be worth: fewer cost more to hand out than to do.
static constexpr int64_t unitIterations = 16384;

LoopSchedule sawtooth::scheduleLoops(linalg::GenericOp op, unsigned width) {
  LoopSchedule schedule;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr index : result.getResults())
    schedule.outer.push_back(cast<AffineDimExpr>(index).getPosition());
  schedule.lane = schedule.outer.pop_back_val();
  op.getReductionDims(schedule.reductions);

  unsigned divided = schedule.outer.empty() ? schedule.lane : schedule.outer.front();
  schedule.rows = sizes[divided];
  int64_t perRow = 1;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (dim != divided)
      perRow =
          std::min(unitIterations, perRow * std::clamp<int64_t>(sizes[dim], 1, unitIterations));
  schedule.rowsPerUnit = llvm::divideCeil(unitIterations, perRow);
  if (schedule.outer.empty())
    schedule.rowsPerUnit = llvm::alignTo(schedule.rowsPerUnit, width * tileVectors);
  schedule.units = llvm::divideCeil(schedule.rows, schedule.rowsPerUnit);
  return schedule;
}

namespace {
class NestEmitter {
public:
  NestEmitter(OpBuilder &builder, linalg::GenericOp op, const LoopSchedule &schedule,
              unsigned width, ArrayRef<ForwardOperand> operands, ArrayRef<Value> results,
              const IRMapping &captured)
      : builder(builder), location(op.getLoc()), op(op), schedule(schedule), width(width),
        sizes(op.getStaticLoopRanges()), abi(builder, location, Value()),
        body(builder, op, schedule.lane, operands, results, captured) {}

  void emit(Value begin, Value end) {
    forEach(begin, end, 1, [&](Value unit) {
      Value rows = abi.constant(schedule.rows), perUnit = abi.constant(schedule.rowsPerUnit);
      Value first = arith::MulIOp::create(builder, location, unit, perUnit);
      Value behind = arith::AddIOp::create(builder, location, first, perUnit);
      Value last = arith::MinSIOp::create(builder, location, behind, rows);
      SmallVector<Value> indices(op.getNumLoops());
      if (schedule.outer.empty())
        emitLanes(indices, first, last);
      else
        forEach(first, last, 1, [&](Value row) {
          indices[schedule.outer.front()] = row;
          emitOuter(ArrayRef(schedule.outer).drop_front(), indices);
        });
    });
  }

private:
  void forEach(Value begin, Value end, int64_t step, llvm::function_ref<void(Value)> emitBody) {
    auto loop = scf::ForOp::create(builder, location, begin, end, abi.constant(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitBody(loop.getInductionVar());
  }

  void emitOuter(ArrayRef<unsigned> dims, SmallVector<Value> &indices) {
    if (dims.empty())
      return emitLanes(indices, abi.constant(0), abi.constant(sizes[schedule.lane]));
    forEach(abi.constant(0), abi.constant(sizes[dims.front()]), 1, [&](Value index) {
      indices[dims.front()] = index;
      emitOuter(dims.drop_front(), indices);
    });
  }

  /// [first, last) along the lanes: several vectors at once, then one, then single elements.
  void emitLanes(SmallVector<Value> &indices, Value first, Value last) {
    for (auto [vectors, lanes] :
         {std::pair<unsigned, unsigned>(tileVectors, width), {1u, width}, {1u, 1u}}) {
      int64_t step = vectors * lanes;
      if (step > sizes[schedule.lane])
        continue; // never
      Value count = arith::SubIOp::create(builder, location, last, first);
      Value size = abi.constant(step);
      Value tiles = arith::DivSIOp::create(builder, location, count, size);
      Value covered = arith::MulIOp::create(builder, location, tiles, size);
      Value behind = arith::AddIOp::create(builder, location, first, covered);
      forEach(first, behind, step, [&, vectors = vectors, lanes = lanes](Value index) {
        indices[schedule.lane] = index;
        emitTile(indices, vectors, lanes);
      });
      first = behind;
    }
  }

  void emitTile(SmallVector<Value> &indices, unsigned vectors, unsigned lanes) {
    body.beginTile(vectors, lanes);
    if (schedule.reductions.empty()) {
      body.store(indices, body.compute(indices, /*accumulators=*/{}));
      return;
    }
    SmallVector<Value> sums = body.loadInits(indices);
    body.store(indices, emitReductions(schedule.reductions, indices, sums));
  }

  SmallVector<Value> emitReductions(ArrayRef<unsigned> dims, SmallVector<Value> &indices,
                                    ValueRange sums) {
    if (dims.empty())
      return body.compute(indices, sums);
    auto loop = scf::ForOp::create(builder, location, abi.constant(0),
                                   abi.constant(sizes[dims.front()]), abi.constant(1), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    indices[dims.front()] = loop.getInductionVar();
    SmallVector<Value> next = emitReductions(dims.drop_front(), indices, loop.getRegionIterArgs());
    scf::YieldOp::create(builder, location, next);
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  OpBuilder &builder;
  Location location;
  linalg::GenericOp op;
  const LoopSchedule &schedule;
  unsigned width;
  SmallVector<int64_t> sizes;
  KernelAbi abi;
  VectorBody body;
};
} // namespace

void sawtooth::emitLoops(OpBuilder &builder, linalg::GenericOp op, const LoopSchedule &schedule,
                         unsigned width, ArrayRef<ForwardOperand> operands, ArrayRef<Value> results,
                         const IRMapping &captured, Value begin, Value end) {
  NestEmitter(builder, op, schedule, width, operands, results, captured).emit(begin, end);
}
