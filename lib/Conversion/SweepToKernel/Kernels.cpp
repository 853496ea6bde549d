// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace sawtooth;

static constexpr llvm::StringLiteral foldsText =
#include "Folds.mlir.inc"
    ;
static constexpr llvm::StringLiteral foldsOrText =
#include "FoldsOr.mlir.inc"
    ;

Value sawtooth::loadStepValue(KernelAbi &abi, const StepLayout &step, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return abi.load(value.getType(), abi.argumentSlot(step.arguments[argument.getArgNumber()]));
  return abi.load(value.getType(), abi.frameSlot(step.values.at(value)));
}

/// A constant of `type` (or a splat of it for vectors of it).
static Value splat(OpBuilder &builder, Location location, Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    element = DenseElementsAttr::get(vector, Attribute(element));
  return arith::ConstantOp::create(builder, location, element);
}

Value sawtooth::canonicalizeNan(OpBuilder &builder, Location location, Value value) {
  Type type = value.getType();
  auto floatType = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (!floatType)
    return value;
  const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
  llvm::APFloat quiet = llvm::APFloat::getQNaN(semantics);
  // LLVM takes "NaN if the root is NaN, else the root" for the root itself, whatever NaN that
  // gives.
  if (floatType.getWidth() > 16 && !value.getDefiningOp<math::SqrtOp>()) {
    Value isNan = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNO, value, value);
    Value nan = splat(builder, location, type, builder.getFloatAttr(floatType, quiet));
    return arith::SelectOp::create(builder, location, isNan, nan, value);
  }
  // A comparison in 16 bits would widen first; the bits tell as well.
  auto bitsType = builder.getIntegerType(floatType.getWidth());
  Type shape = bitsType;
  if (auto vector = dyn_cast<VectorType>(type))
    shape = vector.clone(bitsType);
  auto constant = [&](const llvm::APInt &bits) {
    return splat(builder, location, shape, builder.getIntegerAttr(bitsType, bits));
  };
  Value bits = arith::BitcastOp::create(builder, location, shape, value);
  Value magnitude = arith::AndIOp::create(
      builder, location, bits, constant(llvm::APInt::getSignedMaxValue(floatType.getWidth())));
  Value isNan = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sgt, magnitude,
                                      constant(llvm::APFloat::getInf(semantics).bitcastToAPInt()));
  bits = arith::SelectOp::create(builder, location, isNan, constant(quiet.bitcastToAPInt()), bits);
  return arith::BitcastOp::create(builder, location, type, bits);
}

TypedAttr sawtooth::reductionIdentity(amp::ReduceKind kind, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (kind == amp::ReduceKind::Add)
    return FloatAttr::get(type, llvm::APFloat::getZero(semantics));
  return FloatAttr::get(
      type, llvm::APFloat::getInf(semantics, /*Negative=*/kind == amp::ReduceKind::Max));
}

Value sawtooth::combine(OpBuilder &builder, Location location, amp::ReduceKind kind, Value a,
                        Value b) {
  switch (kind) {
  case amp::ReduceKind::Add:
    return arith::AddFOp::create(builder, location, a, b);
  case amp::ReduceKind::Min:
    return arith::MinimumFOp::create(builder, location, a, b);
  case amp::ReduceKind::Max:
    return arith::MaximumFOp::create(builder, location, a, b);
  case amp::ReduceKind::Or:
    break;
  }
  return arith::OrIOp::create(builder, location, a, b);
}

static std::string replaceAll(StringRef text, StringRef from, StringRef to) {
  std::string out;
  for (size_t at = text.find(from); at != StringRef::npos; at = text.find(from)) {
    out += text.substr(0, at).str() + to.str();
    text = text.substr(at + from.size());
  }
  return out + text.str();
}

func::FuncOp sawtooth::foldFunction(ModuleOp module, StringRef what, amp::ReduceKind kind) {
  StringRef kindName = amp::stringifyReduceKind(kind);
  std::string name = ("sawtooth." + what + "_" + kindName).str();
  SymbolTable symbols(module);
  if (auto function = symbols.lookup<func::FuncOp>(name))
    return function;
  std::string text = foldsOrText.str();
  if (kind != amp::ReduceKind::Or) {
    bool add = kind == amp::ReduceKind::Add, min = kind == amp::ReduceKind::Min;
    text = replaceAll(foldsText, "OP",
                      add   ? "arith.addf"
                      : min ? "arith.minimumf"
                            : "arith.maximumf");
    text = replaceAll(text, "IDENTITY",
                      add   ? "0.0"
                      : min ? "0x7FF0000000000000"
                            : "0xFFF0000000000000");
    text = replaceAll(text, "KIND", kindName);
  }
  OwningOpRef<ModuleOp> folds =
      parseSourceString<ModuleOp>(text, ParserConfig(module.getContext()));
  if (!folds)
    return nullptr;
  for (auto function : llvm::make_early_inc_range(folds->getOps<func::FuncOp>())) {
    function->remove();
    module.push_back(function);
  }
  return SymbolTable(module).lookup<func::FuncOp>(name);
}

Operation *sawtooth::cloneExact(OpBuilder &builder, Operation *op, IRMapping &mapping) {
  Operation *clone = builder.clone(*op, mapping);
  clone->walk([](Operation *inner) {
    auto flags = dyn_cast<arith::ArithFastMathInterface>(inner);
    auto attr = flags ? flags.getFastMathFlagsAttr() : nullptr;
    if (attr && attr.getValue() != arith::FastMathFlags::none)
      inner->setAttr(
          flags.getFastMathAttrName(),
          arith::FastMathFlagsAttr::get(inner->getContext(), arith::FastMathFlags::none));
  });
  return clone;
}
