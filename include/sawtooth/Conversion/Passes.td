// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_CONVERSION_PASSES
#define SAWTOOTH_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def AmpToSweep : Pass<"amp-to-sweep", "::mlir::ModuleOp"> {
  let summary = "steps become flat blocks of scalars; state becomes lists and fields";
  let description = [{
    Every `amp.step` becomes an uncut `sweep.step`: rules and maps are inlined by cloning, named ops
    are written out as scalars of the numerics contract, reductions as `sweep.reduce`, commits as
    `sweep.store` and `sweep.set`. Declarations become `sweep.list`, `sweep.field` and
    `sweep.scaler`. Static parameters of rules are folded first: an optimizer's state that the
    folded rule neither reads nor changes is not declared at all.

    Rules must be in the module, and the tensor part of a step outlined into a function. What is
    left of `amp` are the models, programs and runs.

    ```mlir
    amp.state @w : !amp.tensors<@m x f32> = required
    amp.step @zero() {
      %w = amp.read @w : !amp.tensors<@m x f32>
      %c = amp.clip_by_value %w limit(%limit) : !amp.tensors<@m x f32>
      amp.commit %c to @w always : !amp.tensors<@m x f32>
    }
    ```
    becomes
    ```mlir
    sweep.list state @w : !amp.tensors<@m x f32> {init = #amp.required, label = "w"}
    sweep.step @zero() attributes {commits} {
      %w = sweep.element @w : f32
      %0 = arith.maximumf %w, %low : f32
      %1 = arith.minimumf %0, %high : f32
      sweep.store %1 to @w : f32
      …
      sweep.outcome %true []
    }
    ```
  }];
  let dependentDialects = ["::sawtooth::sweep::SweepDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

#endif // SAWTOOTH_CONVERSION_PASSES
