// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The folds of the numerics contract (rule 4) by the threads of one block: value i goes to lane
// i mod 256, ascending, and the lanes fold by halving. A thread of a full warp holds lanes t, t +
// 32 and so on to t + 224, so that halving is three combinations in the thread and five shuffles.
#include "Nvptx.h"

#include "sawtooth/runtime/Abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cstddef>

using namespace mlir;
using namespace sawtooth;

namespace {

/// Emits the functions for one kind of reduction. Flags are the first byte of their slot and
/// combined as i64, everything else is f64.
class FoldBuilder {
public:
  /// `stride` bytes lie between two values of a column. It is part of the functions' names: as a
  /// constant it costs no registers.
  FoldBuilder(ModuleOp module, Location location, amp::ReduceKind kind, uint64_t stride)
      : module(module), location(location), kind(kind), stride(stride),
        builder(module.getContext()), device(builder, location), abi(builder, location, Value()) {
    flag = kind == amp::ReduceKind::Or;
    type = flag ? Type(builder.getI64Type()) : Type(builder.getF64Type());
  }

  /// (column, firstRow, tensors, out): one value for each tensor, to its slot of `out` or,
  /// when that is null, in place of its first partial. Barriers are the caller's.
  func::FuncOp tensors();
  /// (column, firstRow, tensors) -> value: those in place combined to one.
  func::FuncOp rows();
  /// (base, count) -> value: any column.
  func::FuncOp column();

private:
  std::pair<func::FuncOp, bool> declare(StringRef what, TypeRange arguments, TypeRange results);
  Value identity();
  Value load(Value address);
  void store(Value value, Value address);
  Value place(Value column, Value row) { return abi.element(column, row, stride); }
  Value combine(Value a, Value b) { return sawtooth::combine(builder, location, kind, a, b); }
  Value isNull(Value pointer) {
    Value null = LLVM::ZeroOp::create(builder, location, pointer.getType());
    return LLVM::ICmpOp::create(builder, location, LLVM::ICmpPredicate::eq, pointer, null);
  }
  /// Folds the lanes of a warp; the result is in its first thread.
  Value halve(SmallVector<Value> lanes);
  Value halveBlock(Value lane);
  Value warpFold(Value base, Value count);
  void foldMany(ArrayRef<Value> arguments, Value base, Value many, Value row, Value count);

  ModuleOp module;
  Location location;
  amp::ReduceKind kind;
  uint64_t stride;
  OpBuilder builder;
  DeviceBuilder device;
  KernelAbi abi;
  bool flag;
  Type type;
};

constexpr unsigned lanesOfThread = SAWTOOTH_LANES / kWarpThreads;

} // namespace

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
  SmallVector<Value> lane =
      device.forRange(device.thread(), function.getArgument(1), device.i64(SAWTOOTH_LANES),
                      identity(), [&](Value number, ValueRange carried) {
                        Value value = load(place(function.getArgument(0), number));
                        return SmallVector<Value>{combine(carried.front(), value)};
                      });
  Value result = halveBlock(lane.front());
  func::ReturnOp::create(builder, location, result);
  return function;
}

/// A folded value as the frame has it.
static Value fromFold(OpBuilder &builder, Location location, amp::ReduceKind kind, Value value) {
  if (kind != amp::ReduceKind::Or)
    return value;
  DeviceBuilder device(builder, location);
  return device.compare(arith::CmpIPredicate::ne, value, device.i64(0));
}

Value sawtooth::emitArrayFold(ModuleOp module, OpBuilder &builder, Location location,
                              amp::ReduceKind kind, Value base, Value count) {
  func::FuncOp fold = FoldBuilder(module, location, kind, Layout::slotBytes).column();
  auto call = func::CallOp::create(builder, location, fold, ValueRange{base, count});
  return fromFold(builder, location, kind, call.getResult(0));
}

/// One reduction of a pass that has run. Every thread knows the result of one over the step.
static Value foldColumn(const KernelContext &context, OpBuilder &builder, Location location,
                        KernelAbi &abi, const PassInfo &info, sweep::ReductionAttr reduction,
                        unsigned number, Value out) {
  DeviceBuilder device(builder, location);
  uint64_t bytes = context.step.partials * Layout::slotBytes;
  FoldBuilder folds(context.module, location, reduction.getKind(), bytes);
  Value model = abi.model(info.model);
  Value column = abi.offset(abi.partials(), (info.firstColumn + number) * Layout::slotBytes);
  if (!out && reduction.getKind() == amp::ReduceKind::Or) {
    Value first = abi.element(column, abi.firstChunk(model), bytes);
    auto call = func::CallOp::create(builder, location, folds.column(),
                                     ValueRange{first, abi.chunkCount(model)});
    return fromFold(builder, location, reduction.getKind(), call.getResult(0));
  }
  Value firstRow = abi.loadPointer(model, offsetof(SawtoothModel, firstRow));
  Value tensors = abi.tensorCount(model);
  bool perTensor = bool(out);
  if (!perTensor)
    out = LLVM::ZeroOp::create(builder, location, column.getType());
  func::CallOp::create(builder, location, folds.tensors(),
                       ValueRange{column, firstRow, tensors, out});
  if (perTensor)
    return {};
  device.barrier();
  auto call =
      func::CallOp::create(builder, location, folds.rows(), ValueRange{column, firstRow, tensors});
  return call.getResult(0);
}

void sawtooth::emitDeviceFold(const LaunchContext &context, sweep::PassOp pass, OpBuilder &builder,
                              Value ctx) {
  if (pass.getReductions().empty())
    return;
  const StepLayout &step = context.kernel.step;
  const PassInfo &info = step.passes.at(pass);
  Location location = pass.getLoc();
  DeviceBuilder device(builder, location);
  KernelAbi abi(builder, location, ctx);
  auto fold = [&] {
    for (auto [number, attr, result] : llvm::enumerate(
             pass.getReductions().getAsRange<sweep::ReductionAttr>(), pass.getResults())) {
      uint64_t place = step.values.at(result);
      Value out;
      if (attr.getExtent() == amp::Extent::Tensor)
        out = abi.perTensorSlot(abi.model(info.model), place, device.i64(0));
      Value value = foldColumn(context.kernel, builder, location, abi, info, attr, number, out);
      if (value)
        device.when(device.isFirstThread(), [&] { abi.store(value, abi.frameSlot(place)); });
    }
    return SmallVector<Value>();
  };
  if (!pass.getGate()) {
    fold();
    return;
  }
  // Nothing that is kept depends on the results of a pass that did not run; they are 0.
  device.choose(loadStepValue(abi, step, pass.getGate()), {}, fold, [&] {
    device.when(device.isFirstThread(), [&] {
      for (Value result : pass.getResults())
        if (!isa<sweep::PerTensorType>(result.getType())) {
          Value zero =
              arith::ConstantOp::create(builder, location, builder.getZeroAttr(result.getType()));
          abi.store(zero, abi.frameSlot(step.values.at(result)));
        }
    });
    return SmallVector<Value>();
  });
}
