// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Analysis/Extent.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sawtooth;

bool Extents::isElementReduction(sweep::ReduceOp op) const {
  // f64 is the arithmetic of tensors, f32 that of elements; a truth value can be of either.
  Type type = op.getValue().getType();
  return type.isF32() || (type.isInteger(1) && !isTensor(op.getValue()));
}

static LogicalResult expectAtMost(Operation *op, StringRef what, ValueExtent got,
                                  amp::Extent extent, FlatSymbolRefAttr model = {}) {
  if (got.extent > extent)
    return op->emitOpError() << "expected " << what << " of extent " << amp::stringifyExtent(extent)
                             << ", got " << amp::stringifyExtent(got.extent);
  if (got.model && model && got.model != model)
    return op->emitOpError() << "expected " << what << " of model " << model << ", got one of "
                             << got.model;
  return success();
}

LogicalResult Extents::visit(Operation *op, const SymbolTable &symbols) {
  auto find = [&](auto symbol, StringRef what) {
    Operation *found = symbols.lookup(symbol);
    if (!found)
      op->emitOpError() << "expected the symbol of " << what << ", got @" << symbol;
    return found;
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](sweep::ElementOp element) -> LogicalResult {
        auto list = dyn_cast_or_null<sweep::ListOp>(find(element.getList(), "a list"));
        if (!list)
          return failure();
        extents[element] = {amp::Extent::Element, list.getTensors().getModel()};
        return success();
      })
      .Case([&](sweep::GetOp get) -> LogicalResult {
        auto field = dyn_cast_or_null<sweep::FieldOp>(find(get.getField(), "a field"));
        if (!field)
          return failure();
        if (field.getModelAttr())
          extents[get] = {amp::Extent::Tensor, field.getModelAttr()};
        return success();
      })
      .Case<sweep::NumelOp, sweep::DimOp, sweep::RankOp>([&](auto size) {
        extents[size] = {amp::Extent::Tensor, size.getModelAttr()};
        return success();
      })
      .Case([&](sweep::ReduceOp reduce) -> LogicalResult {
        bool overTensor = reduce.getExtent() == amp::Extent::Tensor;
        amp::Extent highest =
            isElementReduction(reduce) ? amp::Extent::Element : amp::Extent::Tensor;
        if (highest == amp::Extent::Tensor && overTensor)
          return reduce.emitOpError("combines values of tensors, expected it over step");
        if (overTensor)
          extents[reduce] = {amp::Extent::Tensor, reduce.getModelAttr()};
        return expectAtMost(reduce, "a value", get(reduce.getValue()), highest,
                            reduce.getModelAttr());
      })
      .Case([&](sweep::StoreOp store) -> LogicalResult {
        auto list = dyn_cast_or_null<sweep::ListOp>(find(store.getList(), "a list"));
        if (!list || failed(expectAtMost(store, "a value", get(store.getValue()),
                                         amp::Extent::Element, list.getTensors().getModel())))
          return failure();
        return store.getFlag()
                   ? expectAtMost(store, "a flag", get(store.getFlag()), amp::Extent::Step)
                   : success();
      })
      .Case([&](sweep::SetOp set) -> LogicalResult {
        auto field = dyn_cast_or_null<sweep::FieldOp>(find(set.getField(), "a field"));
        if (!field)
          return failure();
        amp::Extent extent = field.getModelAttr() ? amp::Extent::Tensor : amp::Extent::Step;
        if (failed(expectAtMost(set, "a value", get(set.getValue()), extent, field.getModelAttr())))
          return failure();
        return set.getFlag() ? expectAtMost(set, "a flag", get(set.getFlag()), amp::Extent::Step)
                             : success();
      })
      .Case<sweep::LogOp, sweep::OutcomeOp, sweep::ForwardOp>([&](auto user) {
        for (Value operand : user->getOperands())
          if (failed(expectAtMost(user, "values", get(operand), amp::Extent::Step)))
            return failure();
        return success();
      })
      .Default([&](Operation *pure) -> LogicalResult {
        ValueExtent result;
        for (Value operand : pure->getOperands()) {
          ValueExtent extent = get(operand);
          if (result.model && extent.model && result.model != extent.model)
            return pure->emitOpError()
                   << "mixes values of " << result.model << " and " << extent.model;
          result.extent = std::max(result.extent, extent.extent);
          if (extent.model)
            result.model = extent.model;
        }
        for (Value value : pure->getResults())
          extents[value] = result;
        return success();
      });
}

FailureOr<Extents> Extents::compute(sweep::StepOp step) {
  Extents result;
  SymbolTable symbols(step->getParentOfType<ModuleOp>());
  for (Operation &op : step.getBody().front())
    if (failed(result.visit(&op, symbols)))
      return failure();
  return result;
}
