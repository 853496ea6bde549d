// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What fits a layer and what does not.
#include "Layers.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace sawtooth;

/// Whether a tensor of type `actual` may stand where the layer says `declared`.
static bool fits(Type actual, Type declared) {
  auto actualTensor = dyn_cast<RankedTensorType>(actual);
  auto declaredTensor = dyn_cast<RankedTensorType>(declared);
  if (!actualTensor || !declaredTensor)
    return actual == declared;
  return actualTensor.getElementType() == declaredTensor.getElementType() &&
         succeeded(verifyCompatibleShape(actualTensor, declaredTensor));
}

namespace {
/// Sizes by name of dimension, and who said them first.
struct NamedSizes {
  struct Size {
    int64_t value;
    std::string source;
  };
  llvm::StringMap<Size> sizes;

  LogicalResult add(Operation *call, Type type, ArrayAttr names, const Twine &source) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!names || !tensor)
      return success();
    for (auto [name, value] : llvm::zip(names.getAsRange<StringAttr>(), tensor.getShape())) {
      if (ShapedType::isDynamic(value))
        continue;
      auto [it, isNew] = sizes.try_emplace(name.getValue(), Size{value, source.str()});
      if (!isNew && it->second.value != value)
        return call->emitError() << "expected dimension '" << name.getValue() << "' of " << source
                                 << " to be " << it->second.value << " as in " << it->second.source
                                 << ", got " << value;
    }
    return success();
  }
};
} // namespace

static LogicalResult checkTypes(Operation *call, func::FuncOp layer, TypeRange actual,
                                TypeRange declared, StringRef kind) {
  if (actual.size() != declared.size())
    return call->emitError() << "expected " << declared.size() << ' ' << kind << "s of @"
                             << layer.getName() << ", got " << actual.size();
  for (unsigned index = 0; index < actual.size(); ++index)
    if (!fits(actual[index], declared[index]))
      return call->emitError() << "expected " << kind << ' ' << index << " of @" << layer.getName()
                               << " to be " << declared[index] << ", got " << actual[index];
  return success();
}

LogicalResult sawtooth::checkLayerCall(Operation *call, func::FuncOp layer) {
  if (failed(
          checkTypes(call, layer, call->getOperandTypes(), layer.getArgumentTypes(), "argument")) ||
      failed(checkTypes(call, layer, call->getResultTypes(), layer.getResultTypes(), "result")))
    return failure();
  NamedSizes sizes;
  for (unsigned index = 0; index < call->getNumOperands(); ++index)
    if (failed(sizes.add(call, call->getOperand(index).getType(),
                         layer.getArgAttrOfType<ArrayAttr>(index, kDimsAttr),
                         "argument " + Twine(index))))
      return failure();
  for (unsigned index = 0; index < call->getNumResults(); ++index)
    if (failed(sizes.add(call, call->getResult(index).getType(),
                         layer.getResultAttrOfType<ArrayAttr>(index, kDimsAttr),
                         "result " + Twine(index))))
      return failure();
  return success();
}
