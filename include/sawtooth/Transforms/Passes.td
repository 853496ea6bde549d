// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_TRANSFORMS_PASSES
#define SAWTOOTH_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def AmpLink : Pass<"amp-link", "::mlir::ModuleOp"> {
  let summary = "clones in the rules, policies and layers that a module names";
  let description = [{
    Optimizers, policies and layers are named, not written, in a module. This pass looks for each
    name in the module itself, then in the files of its `amp.import`s (relative to the file that
    holds the import; imports of imports included), then among the built-in files, and clones what
    it finds, with all that this names in turn. `amp.import` is gone afterwards.

    Two imported files that define the same name, a name that nobody defines and an imported file
    that holds anything but rules, functions and imports are errors. Fast-math flags, which the
    numerics contract does not know, are dropped with a remark, here and in what is cloned in.

    ```mlir
    amp.model @model
    amp.optimizer @opt by @lion over @model
    ```
    becomes
    ```mlir
    amp.model @model
    amp.optimizer @opt by @lion over @model
    amp.rule @lion optimizer params(…) state(…) inputs(…) { … }
    ```
  }];
  let statistics = [
    Statistic<"linked", "symbols-linked", "Number of symbols cloned in">,
    Statistic<"flags", "fast-math-dropped", "Number of operations that lost fast-math flags">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // SAWTOOTH_TRANSFORMS_PASSES
