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

def SweepToKernel : Pass<"sweep-to-kernel", "::mlir::ModuleOp"> {
  let summary = "cut steps become functions over raw memory, and a plan that says how to run them";
  let description = [{
    Every `sweep.scalar` and `sweep.pass` of a cut step becomes a function of the kernel ABI
    (`runtime/include/sawtooth/runtime/Abi.h`); a `sweep.forward` becomes one or several. Passes are
    written out as loops over chunk rows and explicit vectors of `width` f32 lanes; reductions keep
    the contract's order, stores make NaNs canonical, and a partial vector works on padded copies on
    the stack. The scalar program behind a pass first folds its partials.

    All declarations are gone afterwards: what the runtime needs of them stands in the module
    attribute `sawtooth.plan`, as bytes, and `sawtooth.functions` numbers the functions.

    ```mlir
    sweep.step @scale(%k: f32) attributes {commits, cut} {
      sweep.pass over @model reads [@w] writes [@w] [-1] [] {
      ^bb0(%w: f32):
        %0 = arith.mulf %w, %k : f32
        sweep.leave write(%0 : f32)
      }
      …
    }
    ```
    becomes
    ```mlir
    func.func @scale.0_pass(%ctx: !llvm.ptr, %begin: i64, %end: i64) {
      %k = llvm.load %argument : !llvm.ptr -> f32
      scf.for %row = %begin to %end step %c1 : i64 {
        …
        scf.for %element = %c0 to %whole step %c64 : i64 {
          %w = llvm.load %address {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %0 = arith.mulf %w, %ks : vector<16xf32>
          …
    ```
  }];
  let options = [
    Option<"width", "width", "unsigned", "16", "f32 lanes of a vector: 8 or 16">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def SweepToNvptx : Pass<"sweep-to-nvptx", "::mlir::ModuleOp"> {
  let summary = "cut steps become kernels of a GPU, and a plan that says how to launch them";
  let description = [{
    The passes of one level become one kernel over the chunk table, whose only argument is a
    `SawtoothCtx` (`runtime/include/sawtooth/runtime/Abi.h`) in the device's memory. Every block
    runs the scalar programs before the step's first pass; the block that is done last folds the
    partials and runs the programs behind. So a step's tail takes as many launches as it has passes,
    whatever there is to update. Every `linalg.generic` of a forward part is a kernel of its own.

    A warp works on a chunk, or a part of one, each thread on four elements at a time. Reductions
    keep the contract's order, stores make NaNs canonical. What is not aligned for whole vectors,
    and what is left after them, is accessed element by element.

    The module then holds code of the device alone, the plan stands in the attribute
    `sawtooth.plan`.

    ```mlir
    sweep.step @scale(%k: f32) attributes {commits, cut} {
      sweep.pass over @model reads [@w] writes [@w] [-1] [] {
      ^bb0(%w: f32):
        %0 = arith.mulf %w, %k : f32
        sweep.leave write(%0 : f32)
      }
      …
    }
    ```
    becomes
    ```mlir
    func.func @sawtooth_scale_0(%ctx: !llvm.ptr<1>) attributes {sawtooth.threads = 256 : i32} {
      %k = llvm.load %argument : !llvm.ptr<1> -> f32
      scf.for %unit = %first to %units step %warps : i64 {
        …
        scf.for %element = %own to %whole step %c128 : i64 {
          %w = llvm.load %address {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
          %0 = arith.mulf %w, %ks : vector<4xf32>
          …
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def KernelToNvvm : Pass<"kernel-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "kernels of a GPU become the llvm and nvvm dialects";
  let description = [{
    Converts what kernel-to-llvm converts, and leaves `nvvm` alone. Functions that are no kernels
    become internal; all are marked convergent, since barriers and shuffles must stay where they
    are, and stay functions: what is kept apart is apart for its registers. There is no math
    library: operations with a rounding of their own become intrinsics of LLVM.

    ```mlir
    func.func @k(%ctx: !llvm.ptr<1>) attributes {sawtooth.threads = 256 : i32} { return }
    ```
    becomes
    ```mlir
    llvm.func @k(%ctx: !llvm.ptr<1>) attributes {
      convergent, no_inline, nvvm.kernel, nvvm.maxntid = array<i32: 256>} { llvm.return }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def KernelToLlvm : Pass<"kernel-to-llvm", "::mlir::ModuleOp"> {
  let summary = "everything becomes the llvm dialect, with the function that hands out the plan";
  let description = [{
    Converts `func`, `scf`, `cf`, `arith`, `math`, `vector` and `index` in one go. Functions become
    internal. From the module attributes `sawtooth.plan` and `sawtooth.functions` come the constants
    behind a `SawtoothArtifact` and the only exported symbol, `sawtooth_query`, which returns it.
    There is no global constructor.

    ```mlir
    module attributes {sawtooth.functions = [@train.0_entry], sawtooth.plan = "…"} {
      func.func @train.0_entry(%ctx: !llvm.ptr, %begin: i64, %end: i64) { return }
    }
    ```
    becomes
    ```mlir
    llvm.func internal @train.0_entry(%ctx: !llvm.ptr, %begin: i64, %end: i64) { llvm.return }
    llvm.mlir.global internal constant @sawtooth.plan("…")
    llvm.mlir.global internal constant @sawtooth.functions() : !llvm.array<1 x ptr> { … }
    llvm.mlir.global internal constant @sawtooth.artifact()
        : !llvm.struct<(i32, i32, ptr, ptr)> { … }
    llvm.func @sawtooth_query(%abi: i32) -> !llvm.ptr { … }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // SAWTOOTH_CONVERSION_PASSES
