// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceBuilder.h"

#include "sawtooth/Conversion/KernelAbi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace sawtooth;

static constexpr unsigned globalSpace = 1, sharedSpace = 3;

Type sawtooth::globalPointer(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(context, globalSpace);
}

func::FuncOp sawtooth::createDeviceFunction(OpBuilder &builder, ModuleOp module, Location location,
                                            StringRef name, TypeRange arguments, TypeRange results,
                                            bool kernel) {
  builder.setInsertionPointToEnd(module.getBody());
  auto function =
      func::FuncOp::create(builder, location, name, builder.getFunctionType(arguments, results));
  if (kernel) {
    function->setAttr(kKernelThreadsAttr, builder.getI32IntegerAttr(kBlockThreads));
  } else {
    function.setPrivate();
  }
  builder.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

Value DeviceBuilder::i32(int32_t value) {
  return arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(value));
}
Value DeviceBuilder::i64(int64_t value) {
  return arith::ConstantOp::create(builder, location, builder.getI64IntegerAttr(value));
}
Value DeviceBuilder::add(Value a, Value b) {
  return arith::AddIOp::create(builder, location, a, b);
}
Value DeviceBuilder::sub(Value a, Value b) {
  return arith::SubIOp::create(builder, location, a, b);
}
Value DeviceBuilder::mul(Value a, Value b) {
  return arith::MulIOp::create(builder, location, a, b);
}
Value DeviceBuilder::band(Value a, Value b) {
  return arith::AndIOp::create(builder, location, a, b);
}
Value DeviceBuilder::shiftRight(Value a, unsigned bits) {
  return bits == 0 ? a : arith::ShRUIOp::create(builder, location, a, i64(bits)).getResult();
}
Value DeviceBuilder::min(Value a, Value b) {
  return arith::MinSIOp::create(builder, location, a, b);
}
Value DeviceBuilder::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return arith::CmpIOp::create(builder, location, predicate, a, b);
}
Value DeviceBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, location, condition, a, b);
}
Value DeviceBuilder::extend(Value narrow) {
  return arith::ExtUIOp::create(builder, location, builder.getI64Type(), narrow);
}

Value DeviceBuilder::thread() {
  return extend(NVVM::ThreadIdXOp::create(builder, location, builder.getI32Type()));
}
Value DeviceBuilder::lane() { return band(thread(), i64(kWarpThreads - 1)); }
Value DeviceBuilder::warp() { return shiftRight(thread(), llvm::Log2_32(kWarpThreads)); }
Value DeviceBuilder::block() {
  return extend(NVVM::BlockIdXOp::create(builder, location, builder.getI32Type()));
}
Value DeviceBuilder::blocks() {
  return extend(NVVM::GridDimXOp::create(builder, location, builder.getI32Type()));
}
Value DeviceBuilder::isFirstThread() { return compare(arith::CmpIPredicate::eq, thread(), i64(0)); }

void DeviceBuilder::when(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(builder, location, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

SmallVector<Value> DeviceBuilder::choose(Value condition, TypeRange types,
                                         llvm::function_ref<SmallVector<Value>()> body,
                                         llvm::function_ref<SmallVector<Value>()> otherwise) {
  auto branch = scf::IfOp::create(builder, location, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (auto [block, emit] :
       {std::pair(branch.thenBlock(), body), std::pair(branch.elseBlock(), otherwise)}) {
    builder.setInsertionPointToStart(block);
    SmallVector<Value> values = emit();
    if (!types.empty()) // else the block has its terminator already
      scf::YieldOp::create(builder, location, values);
  }
  return llvm::to_vector_of<Value>(branch.getResults());
}

void DeviceBuilder::forRange(Value begin, Value end, Value step,
                             llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(builder, location, begin, end, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

SmallVector<Value> DeviceBuilder::forRange(Value begin, Value end, Value step, ValueRange inits,
                                           LoopBody body) {
  auto loop = scf::ForOp::create(builder, location, begin, end, step, inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!inits.empty()) // else the loop has its terminator already
    scf::YieldOp::create(builder, location, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void DeviceBuilder::barrier() { NVVM::Barrier0Op::create(builder, location); }

// Explicit fences around relaxed accesses: LLVM 22 drops the order and the scope of an atomic
// read-modify-write for NVPTX, but keeps those of a fence.
void DeviceBuilder::fenceDevice() {
  LLVM::FenceOp::create(builder, location, LLVM::AtomicOrdering::acq_rel, "device");
}
void DeviceBuilder::fenceSystem() {
  LLVM::FenceOp::create(builder, location, LLVM::AtomicOrdering::acq_rel, "");
}

Value DeviceBuilder::shuffle(Value value, bool down, Value source) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type word = builder.getI32Type();
  auto one = [&](Value part) -> Value {
    return NVVM::ShflOp::create(builder, location, word, i32(-1), part, source,
                                i32(kWarpThreads - 1),
                                down ? NVVM::ShflKind::down : NVVM::ShflKind::idx, UnitAttr());
  };
  Type integer = builder.getIntegerType(bits);
  Value whole = type == integer
                    ? value
                    : arith::BitcastOp::create(builder, location, integer, value).getResult();
  if (bits == 32) {
    whole = one(whole);
  } else {
    Value low = arith::TruncIOp::create(builder, location, word, whole);
    Value high = arith::TruncIOp::create(builder, location, word, shiftRight(whole, 32));
    low = extend(one(low));
    high = arith::ShLIOp::create(builder, location, extend(one(high)), i64(32));
    whole = arith::OrIOp::create(builder, location, low, high);
  }
  return type == integer ? whole
                         : arith::BitcastOp::create(builder, location, type, whole).getResult();
}

Value DeviceBuilder::shuffleDown(Value value, unsigned lanes) {
  return shuffle(value, /*down=*/true, i32(lanes));
}
Value DeviceBuilder::shuffleFrom(Value value, Value lane32) {
  return shuffle(value, /*down=*/false, lane32);
}
Value DeviceBuilder::ballot(Value predicate) {
  return NVVM::VoteSyncOp::create(builder, location, builder.getI32Type(), i32(-1), predicate,
                                  NVVM::VoteSyncKind::ballot);
}
Value DeviceBuilder::anyLane(Value predicate) {
  return NVVM::VoteSyncOp::create(builder, location, builder.getI1Type(), i32(-1), predicate,
                                  NVVM::VoteSyncKind::any);
}

Value DeviceBuilder::sharedSlots(ModuleOp module, StringRef name, unsigned count) {
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI64Type(), count);
    LLVM::GlobalOp::create(builder, location, type, /*isConstant=*/false, LLVM::Linkage::Internal,
                           name, /*value=*/Attribute(), /*alignment=*/8, sharedSpace);
  }
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), sharedSpace);
  return LLVM::AddressOfOp::create(builder, location, pointer, name);
}
