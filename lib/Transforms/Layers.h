// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layer functions, ready to be copied into steps.
#ifndef SAWTOOTH_TRANSFORMS_LAYERS_H
#define SAWTOOTH_TRANSFORMS_LAYERS_H

#include "amp/Amp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/MapVector.h"

namespace sawtooth {

/// Argument and result attribute of a layer: names for the dimensions of a tensor, in order. Equal
/// names are equal sizes.
inline constexpr llvm::StringLiteral kDimsAttr = "amp.dims";

/// The first amp.call or func.call in the step, or null.
mlir::Operation *findLayerCall(amp::StepOp step);

/// The layers of a module, each copied once for every storage type that it is called with.
class LayerLibrary {
public:
  explicit LayerLibrary(mlir::ModuleOp module) : symbols(module) {}

  /// The callee of `call` (amp.call or func.call) in the storage type of the call's arguments, with
  /// named linalg ops written out. Says on the call what does not fit, and fails: an unknown layer,
  /// a wrong number of arguments or results, types, sizes that disagree, several storage types, a
  /// layer that calls itself.
  mlir::FailureOr<mlir::func::FuncOp> instantiate(mlir::Operation *call);

  /// Erases the layers that were called, unless something else names them.
  void eraseUsed();

private:
  mlir::SymbolTable symbols;
  llvm::MapVector<std::pair<mlir::Operation *, mlir::Type>, mlir::OwningOpRef<mlir::func::FuncOp>>
      instances;
};

/// Checks the call's operand and result types against the layer's, whose storage type is already
/// that of the call.
mlir::LogicalResult checkLayerCall(mlir::Operation *call, mlir::func::FuncOp layer);

} // namespace sawtooth

#endif // SAWTOOTH_TRANSFORMS_LAYERS_H
