// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the verifiers ask, as free functions.
#ifndef SAWTOOTH_AMP_VERIFY_H
#define SAWTOOTH_AMP_VERIFY_H

#include "amp/Amp.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace sawtooth::amp {

//===------------------------------------------------------------------------------------------===//
// Symbols
//===------------------------------------------------------------------------------------------===//

/// The definition of a symbol of the module, or null.
using Lookup = llvm::function_ref<mlir::Operation *(mlir::FlatSymbolRefAttr)>;

/// Says at `user` that `name` is none of the symbols wanted, e.g. "the name of a state"; lists the
/// module's symbols of the kinds `Ops` and the one that was probably meant.
template <typename... Ops>
mlir::InFlightDiagnostic emitUnknownSymbol(mlir::Operation *user, mlir::FlatSymbolRefAttr name,
                                           const llvm::Twine &wanted) {
  return emitUnknownSymbol(user, name, wanted,
                           [](mlir::Operation *op) { return llvm::isa<Ops...>(op); });
}
mlir::InFlightDiagnostic emitUnknownSymbol(mlir::Operation *user, mlir::FlatSymbolRefAttr name,
                                           const llvm::Twine &wanted,
                                           llvm::function_ref<bool(mlir::Operation *)> isWanted);

/// Every model that `type` (a list, or anything else) names must be declared.
mlir::LogicalResult verifyModel(mlir::Operation *user, mlir::Type type, Lookup lookup);

/// `units` holds the names of declared scalers, each once.
mlir::LogicalResult verifyUnits(mlir::Operation *user, mlir::ArrayAttr units, Lookup lookup);

//===------------------------------------------------------------------------------------------===//
// Bodies of rules and maps
//===------------------------------------------------------------------------------------------===//

/// Whether `op` may stand in a rule or map: scalar arithmetic that is the same on every machine.
/// Says what is wrong when not. `reductions` allows amp.reduce.
mlir::LogicalResult verifyScalarOp(mlir::Operation *op, bool reductions);

/// The extents of a rule under an instance: no reduction of a value that is lower already, no state
/// that is written with a value of higher extent than its own. `instance` is named in the message
/// when it is not the rule itself.
mlir::LogicalResult verifyExtents(RuleOp rule, llvm::ArrayRef<Extent> paramExtents,
                                  bool counterPerTensor, mlir::Operation *instance);

//===------------------------------------------------------------------------------------------===//
// Steps
//===------------------------------------------------------------------------------------------===//

/// A value's power of every loss scale, as far as direct use-def chains tell.
struct Scaling {
  bool known = false;
  llvm::SmallMapVector<mlir::Attribute, int, 2> powers; ///< by name of the scaler, no zeros
  mlir::Value origin;                  ///< where the chain began: argument, read, pack
  mlir::Operation *unscaled = nullptr; ///< the last amp.unscale on the way
};
Scaling findScaling(mlir::Value value, Lookup lookup);
/// That of a `scaled_by` attribute, which may be absent.
Scaling getDeclaredScaling(mlir::Attribute units);

/// The norms that `value` was clipped by, on its way through casts, clips, maps and applications.
llvm::SetVector<ClipByNormOp> findClips(mlir::Value value);

/// What the amp.is_finite ops behind `flag` test.
llvm::DenseSet<mlir::Value> findTested(mlir::Value flag);

/// Whether `op` is a linalg operation that adds up or multiplies in f16 or bf16.
bool accumulatesInHalf(mlir::Operation *op);

/// Says so at every operation in `root` that accumulates in 16 bits without
/// {amp.accumulate = "any"}.
mlir::LogicalResult verifyAccumulation(mlir::Operation *root);

/// Everything of a step that takes its declarations to check: scaling, flags, commits.
mlir::LogicalResult verifyStepFlow(StepOp step, Lookup lookup);

} // namespace sawtooth::amp

#endif // SAWTOOTH_AMP_VERIFY_H
