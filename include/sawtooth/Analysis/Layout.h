// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where everything of a module lives at run time: the numbers and offsets that generated code and
// the plan must agree on. A function of the module alone, so that every target and every run
// numbers alike.
#ifndef SAWTOOTH_ANALYSIS_LAYOUT_H
#define SAWTOOTH_ANALYSIS_LAYOUT_H

#include "sweep/Sweep.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace sawtooth {

/// A tensor of a model whose names and shapes the steps' leaves and packs say.
struct TensorInfo {
  mlir::StringAttr name;
  mlir::SmallVector<int64_t> dims;
};

struct ModelInfo {
  amp::ModelOp op;
  /// In byte order of the names; empty when no step names a tensor (then binding does).
  mlir::SmallVector<TensorInfo> tensors;
};

/// A field's place: bytes into the state block, or the number of its array in
/// SawtoothModel::perTensor.
struct FieldInfo {
  sweep::FieldOp op;
  std::optional<unsigned> model; // of a per-tensor field
  uint64_t offset = 0;
};

/// A pass's columns of SawtoothCtx::partials: [firstColumn, firstColumn + reductions).
struct PassInfo {
  sweep::PassOp op;
  unsigned model = 0;
  unsigned firstColumn = 0;
};

/// What one cut step keeps where.
struct StepLayout {
  sweep::StepOp op;
  /// By block argument: bytes into the args block (scalars), or the slot of SawtoothCtx::tensor.
  mlir::SmallVector<uint64_t> arguments;
  /// Results of scalar programs, passes and forward parts: bytes into the frame, or, for
  /// !sweep.per_tensor, the number of its array in SawtoothModel::perTensor.
  llvm::DenseMap<mlir::Value, uint64_t> values;
  /// Frame offset of each sweep.log.
  llvm::DenseMap<mlir::Operation *, uint64_t> logs;
  llvm::DenseMap<mlir::Operation *, PassInfo> passes;
  sweep::OutcomeOp outcome;
  uint64_t applied = 0;          // frame offset of an i1
  std::optional<uint64_t> cause; // frame offset of an i64
  uint64_t frameBytes = 0;
  uint64_t argsBytes = 0;
  unsigned tensorArguments = 0;
  unsigned partials = 0;       // columns of a row of partials
  unsigned perTensorSlots = 0; // arrays of SawtoothModel::perTensor, those of the fields first
};

class Layout {
public:
  /// Lays out a module of declarations and cut steps. Says on the offending op what is wrong
  /// (unknown symbols, contradictory shapes) and fails.
  static mlir::FailureOr<Layout> compute(mlir::ModuleOp module);

  /// Slots of the frame, the arguments, the state and per-tensor arrays are this many bytes; a
  /// value stands at the slot's start in its natural type, i1 as one byte.
  static constexpr uint64_t slotBytes = 8;

  mlir::ArrayRef<ModelInfo> models() const { return modelInfos; }
  mlir::ArrayRef<sweep::ListOp> lists() const { return listOps; }
  mlir::ArrayRef<FieldInfo> fields() const { return fieldInfos; }
  mlir::ArrayRef<sweep::ScalerOp> scalers() const { return scalerOps; }
  mlir::ArrayRef<StepLayout> steps() const { return stepLayouts; }
  uint64_t stateBytes() const { return stateSize; }
  unsigned perTensorFields() const { return perTensorCount; }

  /// Numbers of declared symbols. compute() has checked every reference in the steps, so these do
  /// not fail on them.
  unsigned modelNumber(mlir::FlatSymbolRefAttr name) const {
    return modelNumbers.at(name.getAttr());
  }
  unsigned listNumber(mlir::FlatSymbolRefAttr name) const { return listNumbers.at(name.getAttr()); }
  unsigned fieldNumber(mlir::FlatSymbolRefAttr name) const {
    return fieldNumbers.at(name.getAttr());
  }
  std::optional<unsigned> findList(mlir::StringAttr name) const { return find(listNumbers, name); }
  std::optional<unsigned> findField(mlir::StringAttr name) const {
    return find(fieldNumbers, name);
  }
  std::optional<unsigned> findScaler(mlir::StringAttr name) const {
    return find(scalerNumbers, name);
  }
  std::optional<unsigned> findStep(mlir::StringAttr name) const { return find(stepNumbers, name); }

  sweep::ListOp list(mlir::FlatSymbolRefAttr name) const { return listOps[listNumber(name)]; }
  const FieldInfo &field(mlir::FlatSymbolRefAttr name) const {
    return fieldInfos[fieldNumber(name)];
  }
  unsigned modelOfList(mlir::FlatSymbolRefAttr name) const;
  /// Number of a tensor that a leaf or pack names, in byte order of all names of its model.
  unsigned tensorNumber(unsigned model, mlir::StringAttr name) const;
  const StepLayout &step(sweep::StepOp op) const;

private:
  using Numbers = llvm::DenseMap<mlir::StringAttr, unsigned>;
  static std::optional<unsigned> find(const Numbers &numbers, mlir::StringAttr name) {
    auto it = numbers.find(name);
    return it == numbers.end() ? std::nullopt : std::optional<unsigned>(it->second);
  }
  mlir::LogicalResult declare(mlir::ModuleOp module);
  mlir::LogicalResult nameTensors(sweep::StepOp step);
  mlir::LogicalResult checkReferences(sweep::StepOp step) const;
  mlir::FailureOr<StepLayout> layOut(sweep::StepOp step) const;

  mlir::SmallVector<ModelInfo> modelInfos;
  mlir::SmallVector<sweep::ListOp> listOps;
  mlir::SmallVector<FieldInfo> fieldInfos;
  mlir::SmallVector<sweep::ScalerOp> scalerOps;
  mlir::SmallVector<StepLayout> stepLayouts;
  Numbers modelNumbers, listNumbers, fieldNumbers, scalerNumbers, stepNumbers;
  uint64_t stateSize = 0;
  unsigned perTensorCount = 0;
};

} // namespace sawtooth

#endif // SAWTOOTH_ANALYSIS_LAYOUT_H
