// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The body of a pass on one vector of a thread: loads, operations, stores.
#include "DevicePass.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sawtooth;

Value DevicePass::loadWide(const Stream &stream, Value element) {
  KernelAbi abi(builder, location, Value());
  uint64_t bytes = elementBytes(stream.element);
  return LLVM::LoadOp::create(builder, location, vectorOf(stream.element),
                              abi.element(stream.buffer, element, bytes), width * bytes);
}

/// A vector of each stream, zeros from `rest` on. One branch an element for all streams.
SmallVector<Value> DevicePass::loadSingly(ArrayRef<Stream *> streams, Value element, Value rest) {
  KernelAbi abi(builder, location, Value());
  SmallVector<Value> vectors;
  SmallVector<Type> types;
  for (Stream *stream : streams) {
    VectorType type = vectorOf(stream->element);
    vectors.push_back(arith::ConstantOp::create(builder, location, builder.getZeroAttr(type)));
    types.push_back(stream->element);
  }
  for (unsigned i = 0; i < width; ++i) {
    Value inside = device.compare(arith::CmpIPredicate::sgt, rest, i64(i));
    SmallVector<Value> elements = device.choose(
        inside, types,
        [&] {
          Value place = device.add(element, i64(i));
          return llvm::map_to_vector(streams, [&](Stream *stream) {
            return abi.load(stream->element,
                            abi.element(stream->buffer, place, elementBytes(stream->element)));
          });
        },
        [&] {
          return llvm::map_to_vector(types, [&](Type type) -> Value {
            return arith::ConstantOp::create(builder, location, builder.getZeroAttr(type));
          });
        });
    for (auto [vector, value] : llvm::zip(vectors, elements))
      vector = vector::InsertOp::create(builder, location, value, vector, i);
  }
  return vectors;
}

void DevicePass::emitVector(IRMapping &mapping, Value element, Value rest, Value aligned) {
  llvm::MapVector<Attribute, Value> loaded;
  SmallVector<Stream *> sources;
  for (auto name : pass.getReads().getAsRange<FlatSymbolRefAttr>())
    if (loaded.try_emplace(name).second)
      sources.push_back(&stream(name));
  auto loadAllWide = [&] {
    return llvm::map_to_vector(sources, [&](Stream *stream) { return loadWide(*stream, element); });
  };
  Value full;
  SmallVector<Value> vectors;
  if (rest) {
    full = device.band(aligned, device.compare(arith::CmpIPredicate::sge, rest, i64(width)));
    auto types = llvm::map_to_vector(
        sources, [&](Stream *stream) -> Type { return vectorOf(stream->element); });
    vectors =
        device.choose(full, types, loadAllWide, [&] { return loadSingly(sources, element, rest); });
  } else {
    vectors = loadAllWide();
  }
  for (auto [entry, vector] : llvm::zip_equal(loaded, vectors))
    entry.second = vector;
  mapping = splats;
  for (auto [name, argument] : llvm::zip(pass.getReads(), pass.getBody().getArguments()))
    mapping.map(argument, loaded[name]);
  cloneBody(mapping);
  storeWrites(mapping, element, rest, full);
}

/// The vector to store for `value` of the body, its NaNs canonical. The conversion to 16 bits gives
/// a NaN of its own, so that one is chosen behind it, by the value before.
Value DevicePass::canonicalElement(IRMapping &mapping, Value value) {
  Value vector = mapping.lookup(value);
  arith::TruncFOp narrowing = narrowingOf(value);
  if (!narrowing)
    return canonicalizeNan(builder, location, vector);
  Value wide = mapping.lookup(narrowing.getIn());
  auto type = cast<VectorType>(vector.getType());
  auto quiet = llvm::APFloat::getQNaN(cast<FloatType>(type.getElementType()).getFloatSemantics());
  Value nan = arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, quiet));
  Value isNan = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNO, wide, wide);
  return device.select(isNan, nan, vector);
}

void DevicePass::storeSingly(Stream &stream, Value vector, Value element, Value rest) {
  KernelAbi abi(builder, location, Value());
  for (unsigned i = 0; i < width; ++i)
    device.when(device.compare(arith::CmpIPredicate::sgt, rest, i64(i)), [&] {
      Value place = device.add(element, i64(i));
      abi.store(vector::ExtractOp::create(builder, location, vector, i),
                abi.element(stream.buffer, place, elementBytes(stream.element)));
    });
}

void DevicePass::storeWrites(IRMapping &mapping, Value element, Value rest, Value full) {
  KernelAbi abi(builder, location, Value());
  auto names = llvm::to_vector(pass.getWrites().getAsRange<FlatSymbolRefAttr>());
  for (auto &[flag, writes] : writeGroups()) {
    auto storeGroup = [&, &writes = writes] {
      for (unsigned i : writes) {
        Stream &target = stream(names[i]);
        Value vector = canonicalElement(mapping, leave().getWrites()[i]);
        auto storeWide = [&] {
          uint64_t bytes = elementBytes(target.element);
          LLVM::StoreOp::create(builder, location, vector,
                                abi.element(target.buffer, element, bytes), width * bytes);
        };
        if (!rest) {
          storeWide();
          continue;
        }
        device.choose(
            full, {}, [&] { return storeWide(), SmallVector<Value>(); },
            [&] { return storeSingly(target, vector, element, rest), SmallVector<Value>(); });
      }
    };
    if (flag)
      device.when(flag, storeGroup);
    else
      storeGroup();
  }
}

/// Which elements of a vector lie before the end of the chunk.
Value DevicePass::maskOf(Value rest) {
  VectorType indices = vectorOf(builder.getI32Type());
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, width));
  Value lanes = arith::ConstantOp::create(builder, location,
                                          DenseElementsAttr::get(indices, ArrayRef(numbers)));
  // At most a chunk, and at least minus a round, so 32 bits hold it.
  Value narrow = arith::TruncIOp::create(builder, location, builder.getI32Type(), rest);
  Value limit = vector::BroadcastOp::create(builder, location, indices, narrow);
  return device.compare(arith::CmpIPredicate::slt, lanes, limit);
}
