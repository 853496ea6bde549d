// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of a pass. A warp works on a chunk in rounds of 256 elements; its thread t holds lanes
// {4t … 4t+3} and {128+4t … 128+4t+3} of the contract, in registers.
#include "DevicePass.h"

#include "sawtooth/runtime/Abi.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sawtooth;

static constexpr unsigned groups = SAWTOOTH_LANES / (kWarpThreads * kDeviceWidth);
static_assert(groups == 2, "halving starts with the two vectors of a thread");

static amp::ReduceKind kindOf(Attribute reduction) {
  return cast<sweep::ReductionAttr>(reduction).getKind();
}

/// What a thread carries through the rounds: two vectors for a sum, minimum or maximum, one bit for
/// a flag.
SmallVector<Value> DevicePass::startSums() {
  SmallVector<Value> sums;
  for (Attribute reduction : pass.getReductions()) {
    if (kindOf(reduction) == amp::ReduceKind::Or) {
      sums.push_back(arith::ConstantOp::create(builder, location, builder.getBoolAttr(false)));
      continue;
    }
    TypedAttr start = reductionIdentity(kindOf(reduction), builder.getF32Type());
    Value vector = arith::ConstantOp::create(
        builder, location,
        DenseElementsAttr::get(vectorOf(builder.getF32Type()), Attribute(start)));
    sums.append(groups, vector);
  }
  return sums;
}

void DevicePass::accumulate(IRMapping &mapping, unsigned group, Value mask,
                            MutableArrayRef<Value> sums) {
  size_t at = 0;
  for (auto [reduction, reduced] : llvm::zip_equal(pass.getReductions(), leave().getReduces())) {
    Value value = mapping.lookup(reduced);
    if (kindOf(reduction) == amp::ReduceKind::Or) {
      if (mask)
        value = device.band(value, mask);
      Value any = vector::ReductionOp::create(builder, location, vector::CombiningKind::OR, value);
      sums[at] = arith::OrIOp::create(builder, location, sums[at], any);
      ++at;
      continue;
    }
    Value &sum = sums[at + group];
    Value after = combine(builder, location, kindOf(reduction), sum, value);
    sum = mask ? device.select(mask, after, sum) : after;
    at += groups;
  }
}

/// Rounds of elements [begin, end), `unroll` at once. With `count` (the chunk's elements), what
/// lies beyond it is left out, and so are wide accesses unless `aligned`.
SmallVector<Value> DevicePass::emitRounds(Value begin, Value end, unsigned unroll, Value count,
                                          Value aligned, ValueRange start) {
  Value own = device.mul(device.lane(), i64(kDeviceWidth));
  Value step = i64(unroll * SAWTOOTH_LANES);
  return device.forRange(begin, end, step, start, [&](Value round, ValueRange carried) {
    auto sums = llvm::to_vector_of<Value>(carried);
    Value first = device.add(round, own);
    for (unsigned i = 0; i < unroll * groups; ++i) {
      Value element = device.add(first, i64(i * kWarpThreads * kDeviceWidth));
      Value rest = count ? device.sub(count, element) : Value();
      IRMapping mapping;
      emitVector(mapping, element, rest, aligned);
      accumulate(mapping, i % groups, rest ? maskOf(rest) : Value(), sums);
    }
    return sums;
  });
}

void DevicePass::emitReduction(KernelAbi &abi, const Part &part) {
  // Enough loads on their way at once where the body is short; a long one fills registers.
  size_t operations = llvm::range_size(pass.getBody().front());
  unsigned unroll = operations <= 24 ? 2 : 1;
  Value aligned = isAligned();
  broadcastUniform();
  Value whole = device.band(part.end, i64(-int64_t(unroll * SAWTOOTH_LANES)));
  whole = device.select(aligned, whole, i64(0));
  SmallVector<Value> sums =
      emitRounds(part.begin, whole, unroll, /*count=*/Value(), aligned, startSums());
  sums = emitRounds(whole, part.end, 1, part.end, aligned, sums);
  storePartials(abi, part.row, sums);
}

/// Folds the 256 lanes by halving, in f32: lane l with l + 128 in the thread, then with l + 64 and
/// so on down to l + 4 between threads, then the last four lanes in the first thread.
void DevicePass::storePartials(KernelAbi &abi, Value row, ArrayRef<Value> sums) {
  SmallVector<Value> results;
  for (Attribute reduction : pass.getReductions()) {
    amp::ReduceKind kind = kindOf(reduction);
    if (kind == amp::ReduceKind::Or) {
      results.push_back(device.extend(device.anyLane(sums.front())));
      sums = sums.drop_front();
      continue;
    }
    Value vector = combine(builder, location, kind, sums[0], sums[1]);
    sums = sums.drop_front(groups);
    SmallVector<Value> lanes;
    for (unsigned i = 0; i < kDeviceWidth; ++i)
      lanes.push_back(vector::ExtractOp::create(builder, location, vector, i));
    for (unsigned half = kWarpThreads / 2; half > 0; half /= 2)
      for (Value &lane : lanes)
        lane = combine(builder, location, kind, lane, device.shuffleDown(lane, half));
    for (unsigned half = kDeviceWidth / 2; half > 0; half /= 2)
      for (unsigned i = 0; i < half; ++i)
        lanes[i] = combine(builder, location, kind, lanes[i], lanes[i + half]);
    results.push_back(
        arith::ExtFOp::create(builder, location, builder.getF64Type(), lanes.front()));
  }
  device.when(device.compare(arith::CmpIPredicate::eq, device.lane(), i64(0)), [&] {
    Value partials = abi.element(abi.partials(), row, context.step.partials * Layout::slotBytes);
    for (auto [column, result] : llvm::enumerate(results))
      abi.store(result, abi.offset(partials, (info.firstColumn + column) * Layout::slotBytes));
  });
}
