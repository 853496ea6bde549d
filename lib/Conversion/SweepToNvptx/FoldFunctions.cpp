// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FoldFunctions.h"

#include "sawtooth/runtime/Abi.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace sawtooth;

static constexpr unsigned lanesOfThread = SAWTOOTH_LANES / kWarpThreads;

std::pair<func::FuncOp, bool> FoldBuilder::declare(StringRef what, TypeRange arguments,
                                                   TypeRange results) {
  std::string name =
      ("sawtooth.fold_" + what + "_" + amp::stringifyReduceKind(kind) + "_" + Twine(stride)).str();
  if (auto function = module.lookupSymbol<func::FuncOp>(name))
    return {function, false};
  return {createDeviceFunction(builder, module, location, name, arguments, results,
                               /*kernel=*/false),
          true};
}

Value FoldBuilder::identity() {
  if (flag)
    return device.i64(0);
  return arith::ConstantOp::create(builder, location,
                                   reductionIdentity(kind, builder.getF64Type()));
}

Value FoldBuilder::load(Value address) {
  if (!flag)
    return abi.load(type, address);
  return device.extend(abi.load(builder.getI8Type(), address));
}

void FoldBuilder::store(Value value, Value address) {
  if (flag)
    value = arith::TruncIOp::create(builder, location, builder.getI8Type(), value);
  abi.store(value, address);
}

Value FoldBuilder::halve(SmallVector<Value> lanes) {
  while (lanes.size() > 1) {
    size_t half = lanes.size() / 2;
    for (size_t i = 0; i < half; ++i)
      lanes[i] = combine(lanes[i], lanes[i + half]);
    lanes.resize(half);
  }
  for (unsigned half = kWarpThreads / 2; half > 0; half /= 2)
    lanes[0] = combine(lanes[0], device.shuffleDown(lanes[0], half));
  return lanes[0];
}

/// Folds a lane of each thread of the block; all threads get the result.
Value FoldBuilder::halveBlock(Value lane) {
  Value slots = device.sharedSlots(module, "sawtooth.lanes", SAWTOOTH_LANES);
  Value folded = device.sharedSlots(module, "sawtooth.folded", 1);
  abi.store(lane, abi.element(slots, device.thread(), Layout::slotBytes));
  device.barrier();
  Value firstWarp =
      device.compare(arith::CmpIPredicate::ult, device.thread(), device.i64(kWarpThreads));
  device.when(firstWarp, [&] {
    Value own = abi.element(slots, device.thread(), Layout::slotBytes);
    SmallVector<Value> lanes;
    for (unsigned i = 0; i < lanesOfThread; ++i)
      lanes.push_back(abi.load(type, abi.offset(own, i * kWarpThreads * Layout::slotBytes)));
    Value result = halve(lanes);
    device.when(device.isFirstThread(), [&] { abi.store(result, folded); });
  });
  device.barrier();
  return abi.load(type, folded);
}

/// `count` values from `base` on by a warp; the result is in its first thread.
Value FoldBuilder::warpFold(Value base, Value count) {
  SmallVector<Value> start(lanesOfThread, identity());
  Value lane = device.lane();
  SmallVector<Value> lanes = device.forRange(
      device.i64(0), count, device.i64(SAWTOOTH_LANES), start,
      [&](Value round, ValueRange carried) {
        SmallVector<Value> next;
        Value first = device.add(round, lane), rest = device.sub(count, first);
        Value own = place(base, first);
        for (unsigned i = 0; i < lanesOfThread; ++i) {
          unsigned number = i * kWarpThreads;
          Value before = carried[i];
          next.append(device.choose(
              device.compare(arith::CmpIPredicate::sgt, rest, device.i64(number)), {type},
              [&] {
                return SmallVector<Value>{combine(before, load(abi.offset(own, number * stride)))};
              },
              [&] { return SmallVector<Value>{before}; }));
        }
        return next;
      });
  return halve(lanes);
}

/// The tensors of more than one chunk among 32, one after the other by the whole warp: `many` has a
/// bit for each, `row` and `count` are those of the lane's tensor.
void FoldBuilder::foldMany(ArrayRef<Value> arguments, Value base, Value many, Value row,
                           Value count) {
  Value column = arguments[0], out = arguments[3];
  scf::WhileOp::create(
      builder, location, many.getType(), many,
      [&](OpBuilder &, Location, ValueRange left) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(left.front().getParentBlock());
        Value more = device.compare(arith::CmpIPredicate::ne, left.front(), device.i32(0));
        scf::ConditionOp::create(builder, location, more, left);
      },
      [&](OpBuilder &, Location, ValueRange left) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(left.front().getParentBlock());
        Value bit = math::CountTrailingZerosOp::create(builder, location, left.front());
        Value first = device.shuffleFrom(row, bit);
        Value value = warpFold(place(column, first), device.shuffleFrom(count, bit));
        device.when(device.compare(arith::CmpIPredicate::eq, device.lane(), device.i64(0)), [&] {
          Value slot = abi.element(out, device.add(base, device.extend(bit)), Layout::slotBytes);
          store(value, device.select(isNull(out), place(column, first), slot));
        });
        Value lower = device.sub(left.front(), device.i32(1));
        scf::YieldOp::create(builder, location, device.band(left.front(), lower));
      });
}

func::FuncOp FoldBuilder::tensors() {
  Type pointer = globalPointer(builder.getContext()), index = builder.getI64Type();
  auto [function, isNew] = declare("tensors", {pointer, pointer, index, pointer}, {});
  if (!isNew)
    return function;
  auto arguments = llvm::to_vector_of<Value>(function.getArguments());
  Value column = arguments[0], firstRow = arguments[1], tensors = arguments[2], out = arguments[3];
  // A warp looks at 32 tensors at once: most have one chunk, and a lane is enough for that.
  Value start = device.mul(device.warp(), device.i64(kWarpThreads));
  Value falseBit = arith::ConstantOp::create(builder, location, builder.getBoolAttr(false));
  device.forRange(start, tensors, device.i64(kBlockThreads), [&](Value base) {
    Value tensor = device.add(base, device.lane());
    Value inside = device.compare(arith::CmpIPredicate::slt, tensor, tensors);
    SmallVector<Value> rows = device.choose(
        inside, {index, index},
        [&] {
          Value entry = abi.element(firstRow, tensor, sizeof(uint64_t));
          Value first = abi.loadI64(entry);
          return SmallVector<Value>{first, device.sub(abi.loadI64(entry, sizeof(uint64_t)), first)};
        },
        [&] {
          Value none = device.i64(0);
          return SmallVector<Value>{none, none};
        });
    Value row = rows[0], count = rows[1];
    Value slot = abi.element(out, tensor, Layout::slotBytes);
    Value target = device.select(isNull(out), place(column, row), slot);
    device.when(device.compare(arith::CmpIPredicate::eq, count, device.i64(1)),
                [&] { store(combine(identity(), load(place(column, row))), target); });
    Value empty =
        device.band(inside, device.compare(arith::CmpIPredicate::eq, count, device.i64(0)));
    device.when(device.select(isNull(out), falseBit, empty), [&] { store(identity(), target); });
    Value many = device.ballot(device.compare(arith::CmpIPredicate::sgt, count, device.i64(1)));
    foldMany(arguments, base, many, row, count);
  });
  func::ReturnOp::create(builder, location);
  return function;
}

func::FuncOp FoldBuilder::rows() {
  Type pointer = globalPointer(builder.getContext()), index = builder.getI64Type();
  auto [function, isNew] = declare("rows", {pointer, pointer, index}, {type});
  if (!isNew)
    return function;
  Value column = function.getArgument(0);
  SmallVector<Value> lane = device.forRange(
      device.thread(), function.getArgument(2), device.i64(SAWTOOTH_LANES), identity(),
      [&](Value tensor, ValueRange carried) {
        Value entry = abi.element(function.getArgument(1), tensor, sizeof(uint64_t));
        Value first = abi.loadI64(entry), behind = abi.loadI64(entry, sizeof(uint64_t));
        Value before = carried.front();
        // A tensor without a chunk has no row.
        return device.choose(
            device.compare(arith::CmpIPredicate::slt, first, behind), {type},
            [&] { return SmallVector<Value>{combine(before, load(place(column, first)))}; },
            [&] { return SmallVector<Value>{before}; });
      });
  Value result = halveBlock(lane.front());
  func::ReturnOp::create(builder, location, result);
  return function;
}

func::FuncOp FoldBuilder::column() {
  Type pointer = globalPointer(builder.getContext()), index = builder.getI64Type();
  auto [function, isNew] = declare("column", {pointer, index}, {type});
  if (!isNew)
    return function;
  Value base = function.getArgument(0), count = function.getArgument(1);
  // The last block folds while the rest of the device has nothing to do, so it must not wait for
  // one value after the other: a model of 10^9 elements has 60,000 chunks.
  auto fold = [&](Value begin, Value end, unsigned atOnce, Value start) {
    return device
        .forRange(begin, end, device.i64(atOnce * SAWTOOTH_LANES), start,
                  [&](Value number, ValueRange carried) {
                    SmallVector<Value> values;
                    for (unsigned i = 0; i < atOnce; ++i) {
                      Value next = device.add(number, device.i64(i * SAWTOOTH_LANES));
                      values.push_back(load(place(base, next)));
                    }
                    Value lane = carried.front();
                    for (Value value : values)
                      lane = combine(lane, value);
                    return SmallVector<Value>{lane};
                  })
        .front();
  };
  constexpr unsigned most = 8;
  Value whole = device.band(count, device.i64(-int64_t(most * SAWTOOTH_LANES)));
  Value lane = fold(device.thread(), whole, most, identity());
  lane = fold(device.add(whole, device.thread()), count, 1, lane);
  Value result = halveBlock(lane);
  func::ReturnOp::create(builder, location, result);
  return function;
}
