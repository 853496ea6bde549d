// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Models, lists with their initial values, fields and scalers.
#include "Tables.h"

#include "sawtooth/Conversion/KernelAbi.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sawtooth;

FailureOr<uint64_t> sawtooth::slotBits(Operation *op, Attribute value, Type type) {
  if (auto number = dyn_cast<FloatAttr>(value); number && isa<FloatType>(type)) {
    llvm::APFloat converted = number.getValue();
    bool inexact;
    converted.convert(cast<FloatType>(type).getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                      &inexact);
    return converted.bitcastToAPInt().getZExtValue();
  }
  if (auto number = dyn_cast<IntegerAttr>(value); number && isa<IntegerType>(type)) {
    unsigned width = type.getIntOrFloatBitWidth();
    if (width == 1)
      return uint64_t(number.getValue().isZero() ? 0 : 1);
    return static_cast<uint64_t>(number.getValue().getSExtValue()) &
           llvm::maskTrailingOnes<uint64_t>(width);
  }
  op->emitError("expected a constant of type ") << type << ", got " << value;
  return failure();
}

void PlanBuilder::addModels() {
  for (const ModelInfo &info : layout.models()) {
    auto row = zeroed<SawtoothModelRow>();
    amp::ModelOp model = info.op;
    row.name = string(model.getSymName());
    row.tensors = {uint32_t(tensors.size()), uint32_t(info.tensors.size())};
    for (const TensorInfo &tensor : info.tensors) {
      auto tensorRow = zeroed<SawtoothTensorRow>();
      tensorRow.name = string(tensor.name);
      tensorRow.rank = tensor.dims.size();
      std::fill(std::begin(tensorRow.dims), std::end(tensorRow.dims), 1);
      llvm::copy(tensor.dims, tensorRow.dims);
      tensors.push_back(tensorRow);
    }
    models.push_back(row);
  }
}

LogicalResult PlanBuilder::addInit(sweep::ListOp list, StringRef glob, Attribute value,
                                   uint32_t stream) {
  auto row = zeroed<SawtoothInit>();
  row.glob = string(glob);
  row.stream = stream;
  row.source = SAWTOOTH_NONE;
  if (isa<amp::RequiredAttr>(value)) {
    row.kind = SAWTOOTH_INIT_REQUIRED;
  } else if (auto cast = dyn_cast<amp::CastAttr>(value)) {
    row.kind = SAWTOOTH_INIT_CAST;
    std::optional<unsigned> source = layout.findList(cast.getSource().getAttr());
    if (!source)
      return list.emitError("expected the name of a list to cast from, got ") << cast.getSource();
    row.source = *source;
  } else if (isa<amp::UniformAttr>(value)) {
    row.kind = SAWTOOTH_INIT_UNIFORM;
  } else if (auto normal = dyn_cast<amp::NormalAttr>(value)) {
    row.kind = SAWTOOTH_INIT_NORMAL;
    row.value = normal.getStd().getValueAsDouble();
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    row.kind = SAWTOOTH_INIT_CONSTANT;
    row.value = number.getValueAsDouble();
  } else {
    return list.emitError(
               "expected an initial value (a number, required, cast, uniform or normal), got ")
           << value;
  }
  inits.push_back(row);
  return success();
}

LogicalResult PlanBuilder::addLists() {
  uint32_t stream = 0;
  for (sweep::ListOp list : layout.lists()) {
    auto row = zeroed<SawtoothListRow>();
    row.name = string(list.getLabel());
    row.location = locationOf(list);
    row.kind = uint32_t(list.getKind());
    row.type = abiType(list.getTensors().getElementType());
    row.model = layout.modelNumber(list.getTensors().getModel());
    row.step = row.copyOf = SAWTOOTH_NONE;
    if (list.getStepAttr()) {
      std::optional<unsigned> step = layout.findStep(list.getStepAttr().getAttr());
      if (!step)
        return list.emitError("expected the name of a step, got ") << list.getStepAttr();
      row.step = *step;
    }
    if (list.getCopyOfAttr())
      row.copyOf = layout.listNumber(list.getCopyOfAttr());
    row.init.first = inits.size();
    if (list.getKind() == sweep::ListKind::State) {
      if (auto patterns = dyn_cast_or_null<amp::PatternsAttr>(list.getInitAttr())) {
        for (auto [glob, value] : llvm::zip_equal(patterns.getGlobs(), patterns.getValues()))
          if (failed(addInit(list, glob.getValue(), value, stream)))
            return failure();
      } else if (list.getInitAttr()) {
        if (failed(addInit(list, "*", list.getInitAttr(), stream)))
          return failure();
      } else if (!list.getCopyOfAttr()) {
        return list.emitError("expected an initial value of state, got none");
      }
      ++stream;
    }
    row.init.count = inits.size() - row.init.first;
    lists.push_back(row);
  }
  return success();
}

LogicalResult PlanBuilder::addFields() {
  for (const FieldInfo &info : layout.fields()) {
    sweep::FieldOp field = info.op;
    auto row = zeroed<SawtoothFieldRow>();
    row.name = string(field.getSymName());
    row.alias = string(field.getAlias().value_or(""));
    row.location = locationOf(field);
    row.type = abiType(field.getType());
    row.extent = info.model ? SAWTOOTH_PER_TENSOR : SAWTOOTH_PER_STEP;
    row.kind = uint32_t(field.getKind());
    row.role = uint32_t(field.getRole().value_or(amp::Role::None));
    row.model = info.model.value_or(SAWTOOTH_NONE);
    row.scaler = field.getScalerAttr()
                     ? layout.findScaler(field.getScalerAttr().getAttr()).value_or(SAWTOOTH_NONE)
                     : SAWTOOTH_NONE;
    row.offset = info.offset;
    row.patterns.first = patterns.size();
    if (auto byName = dyn_cast<amp::PatternsAttr>(field.getInit())) {
      for (auto [glob, value] : llvm::zip_equal(byName.getGlobs(), byName.getValues())) {
        FailureOr<uint64_t> bits = slotBits(field, value, field.getType());
        if (failed(bits))
          return failure();
        auto pattern = zeroed<SawtoothPattern>();
        pattern.glob = string(glob.getValue());
        pattern.value = *bits;
        patterns.push_back(pattern);
      }
    } else {
      FailureOr<uint64_t> bits = slotBits(field, field.getInit(), field.getType());
      if (failed(bits))
        return failure();
      row.initial = *bits;
    }
    row.patterns.count = patterns.size() - row.patterns.first;
    fields.push_back(row);
  }
  for (sweep::ScalerOp scaler : layout.scalers())
    scalers.push_back({string(scaler.getSymName()), string(scaler.getPolicy())});
  return success();
}
