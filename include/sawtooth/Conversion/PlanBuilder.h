// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tables of runtime/include/sawtooth/runtime/Abi.h from a module in cut form.
#ifndef SAWTOOTH_CONVERSION_PLANBUILDER_H
#define SAWTOOTH_CONVERSION_PLANBUILDER_H

#include "sawtooth/Analysis/Layout.h"
#include "sawtooth/runtime/Abi.h"

#include <string>

namespace sawtooth {

/// Module attributes of the kernel stage: the plan's bytes, and the symbols of the generated
/// functions in the order of SawtoothArtifact::functions.
inline constexpr llvm::StringLiteral kPlanAttr = "sawtooth.plan";
inline constexpr llvm::StringLiteral kFunctionsAttr = "sawtooth.functions";

/// One row of SawtoothPlan::actions before it is one.
struct ActionPlan {
  std::string function;
  SawtoothActionKind kind = SAWTOOTH_SCALAR;
  sweep::PassOp pass;           // of a PASS
  std::optional<uint64_t> flag; // frame offset of the i1 that gates it
  uint64_t units = 0;           // of a PARALLEL
};

/// One row of SawtoothPlan::launches: the next `actions` of the step.
struct LaunchPlan {
  std::string kernel;
  unsigned threads = 0, warpsPerRow = 0, actions = 0;
  uint64_t units = 0;
};

struct StepPlan {
  mlir::SmallVector<ActionPlan> actions;
  mlir::SmallVector<LaunchPlan> launches; // of a GPU
  uint64_t arenaBytes = 0;
};

/// The plan's bytes: a function of the module, the layout and the actions alone. `steps` is in the
/// order of layout.steps(); functions are numbered in the order of their actions.
mlir::FailureOr<std::string> buildPlan(mlir::ModuleOp module, const Layout &layout,
                                       mlir::ArrayRef<StepPlan> steps, llvm::StringRef target);

} // namespace sawtooth

#endif // SAWTOOTH_CONVERSION_PLANBUILDER_H
