// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How often each value of an uncut step exists.
#ifndef SAWTOOTH_ANALYSIS_EXTENT_H
#define SAWTOOTH_ANALYSIS_EXTENT_H

#include "sweep/Sweep.h"

#include "llvm/ADT/DenseMap.h"

namespace sawtooth {

/// Once a step, once for each tensor of `model`, or once for each of its elements.
struct ValueExtent {
  amp::Extent extent = amp::Extent::Step;
  mlir::FlatSymbolRefAttr model; // null at step extent
};

/// Extents of the values of an uncut step: a value exists as often as the most frequent of its
/// operands; only reductions lower that.
class Extents {
public:
  /// Fails after a diagnostic when a value mixes two models, or a value is used where one of a
  /// lower extent is needed (a step's field, a flag, a log).
  static mlir::FailureOr<Extents> compute(sweep::StepOp step);

  ValueExtent get(mlir::Value value) const { return extents.lookup(value); }
  bool isElement(mlir::Value value) const { return get(value).extent == amp::Extent::Element; }
  bool isTensor(mlir::Value value) const { return get(value).extent == amp::Extent::Tensor; }
  bool isStep(mlir::Value value) const { return get(value).extent == amp::Extent::Step; }
  /// Whether `op` runs over elements, in a pass; otherwise it folds values of tensors.
  bool isElementReduction(sweep::ReduceOp op) const;

private:
  mlir::LogicalResult visit(mlir::Operation *op, const mlir::SymbolTable &symbols);

  llvm::DenseMap<mlir::Value, ValueExtent> extents;
};

} // namespace sawtooth

#endif // SAWTOOTH_ANALYSIS_EXTENT_H
