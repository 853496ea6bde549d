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
    Operands of the functions that `expand-math` writes out are hidden behind `amp.opaque`, so that
    no folder computes one by the host's library.

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
  let options = [
    Option<"recordImports", "record-imports", "bool", "false",
           "Leave path, from the module's folder, and digest (XXH3-128) of each imported file in "
           "the attribute `amp.imports`">
  ];
  let statistics = [
    Statistic<"linked", "symbols-linked", "Number of symbols cloned in">,
    Statistic<"flags", "fast-math-dropped", "Number of operations that lost fast-math flags">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::sawtooth::amp::AmpDialect"
  ];
}

def AmpSpecializeBatch : Pass<"amp-specialize-batch", "::mlir::ModuleOp"> {
  let summary = "gives the batch dimension its size";
  let description = [{
    Every `?` in the tensor types of steps becomes the batch size: that of the option, else that of
    the module's `amp.run`. A step without `?` stays as it is; with neither size, a `?` is an error.

    ```mlir
    amp.step @test(%x: tensor<?x64xf16> {amp.batch = "images"}) { … }
    ```
    becomes, with `batch=32`,
    ```mlir
    amp.step @test(%x: tensor<32x64xf16> {amp.batch = "images"}) { … }
    ```
  }];
  let options = [Option<"batch", "batch", "int64_t", "0",
                        "Examples in a batch; 0 takes the module's default">];
  let statistics = [Statistic<"specialized", "steps-specialized", "Number of steps with a batch">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def AmpInlineLayers : Pass<"amp-inline-layers", "::mlir::ModuleOp"> {
  let summary = "copies layer functions into the steps that call them";
  let description = [{
    `amp.call` (and `func.call`) of a layer becomes a copy of the layer's body. The f16 of a layer
    file stands for the storage type and becomes the element type of the call's arguments (f16, bf16
    or f32; one for all of them); named linalg ops are written out. Shapes follow the arguments:
    casts at the borders are folded into the ops, so shapes must be static by now. `amp.dims` on the
    arguments and results of a layer names dimensions that must agree.

    ```mlir
    %y = amp.call @relu(%x) : (tensor<8x4xbf16>) -> tensor<8x4xbf16>
    ```
    becomes
    ```mlir
    %e = tensor.empty() : tensor<8x4xbf16>
    %y = linalg.generic … ins(%x : tensor<8x4xbf16>) outs(%e : tensor<8x4xbf16>) { … }
        -> tensor<8x4xbf16>
    ```
  }];
  let statistics = [Statistic<"inlined", "calls-inlined", "Number of calls replaced">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def AmpOutlineForward : Pass<"amp-outline-forward", "::mlir::ModuleOp"> {
  let summary = "moves the tensor ops of a step into a function of their own";
  let description = [{
    The forward and backward part of a step, its ops on ordinary tensors, becomes a private function
    `@STEP.model` that takes the tensor arguments that it uses, then the leaves, then scalars that
    are known when the step begins, and returns the tensors of `amp.pack`, then a tensor of one
    element for each `tensor.extract`. `amp.leaf`, `amp.pack` and `tensor.extract` stay in the step.
    Elementwise ops are fused where that computes nothing twice, which keeps every bit. The function
    is in the normal form that code is generated from (ForwardNormalForm.h); what is not is an
    error.

    ```mlir
    amp.step @test(%x: tensor<8x1xf32> {amp.batch = "x"}) {
      %n = arith.negf %x : tensor<8x1xf32>
      …
      amp.log "loss", %loss : tensor<1xf32>
    }
    ```
    becomes
    ```mlir
    func.func private @test.model(%x: tensor<8x1xf32>) -> tensor<1xf32> { … }
    amp.step @test(%x: tensor<8x1xf32> {amp.batch = "x"}) {
      %t = func.call @test.model(%x) : (tensor<8x1xf32>) -> tensor<1xf32>
      %loss = tensor.extract %t[%c0] : tensor<1xf32>
      amp.log "loss", %loss : f32
    }
    ```
  }];
  let statistics = [Statistic<"outlined", "steps-outlined", "Number of functions made">,
                    Statistic<"loops", "loop-nests", "Number of linalg.generic in them">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ExpandMath : Pass<"expand-math"> {
  let summary = "writes elementary functions as f64 arithmetic, the same on every machine";
  let description = [{
    Replaces `math.exp`, `math.log`, `math.tanh`, `math.erf`, `math.cos`, `math.powf` and
    `amp.powi`, on scalars and vectors, by additions, multiplications, divisions, comparisons and
    integer operations: no fma, no library, no table. Every result is the same bits wherever IEEE
    arithmetic is. Operands narrower than f64 are widened, and the result is narrowed once.
    `amp.opaque` is replaced by its operand: from here on folding is IEEE arithmetic, too.

    | op | largest error in ulp, in f64 | domain |
    |---|---|---|
    | `math.exp` | 0.8 (0.9 if the result is subnormal) | all |
    | `math.log` | 0.51 | all |
    | `math.tanh` | 0.8 | all |
    | `math.erf` | 1.5 | all |
    | `math.cos` | 0.8 | from -2^20 to 2^20, NaN beyond |
    | `math.powf` | 0.8 (0.9 if the result is subnormal) | all, special cases as in IEEE 754 |
    | `amp.powi` | grows with the number of products | all |

    A NaN that comes out is the canonical one (0x7ff8000000000000), whatever came in. `amp.powi`
    multiplies base^(2^i) onto 1 for each set bit i of the exponent's magnitude, from the least
    significant one up; a negative exponent takes the reciprocal of that. `math.sqrt`, `absf`,
    `copysign`, `floor` and `roundeven`, `arith.maximumf` and `minimumf` stay: they are exact.

    ```mlir
    %y = math.log %x : f32
    ```
    becomes
    ```mlir
    %0 = arith.extf %x : f32 to f64
    …
    %y = arith.truncf %42 : f64 to f32
    ```

    Every other function of the math dialect, and `arith.remf`, would be a library's: an error.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ExpandPartialArith : Pass<"expand-partial-arith"> {
  let summary = "gives integer operations a value for all operands";
  let description = [{
    A division by zero ends the process on one chip and gives something on another; a shift by too
    much, or a float that does not fit an integer, gives something else on each. This pass, on
    scalars and vectors, makes them the same everywhere:

    | operation | where it has no value | value |
    |---|---|---|
    | `divsi`, `divui`, `remsi`, `remui` | divisor 0, or the least number by -1 | as if by 1 |
    | `shli`, `shrui` | by the width or more | 0 |
    | `shrsi` | by the width or more | 0 or -1, after the sign |
    | `fptosi`, `fptoui` | beyond the type | the nearest number of the type; 0 for NaN |

    `floordivsi`, `ceildivsi` and `ceildivui` are guarded alike, then written as divisions.

    ```mlir
    %q = arith.divui %x, %y : i64
    ```
    becomes
    ```mlir
    %0 = arith.cmpi eq, %y, %zero : i64
    %1 = arith.select %0, %one, %y : i64
    %q = arith.divui %x, %1 : i64
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandFloatCasts : Pass<"expand-float-casts"> {
  let summary = "rounds to f16 and bf16 once, and without the hardware's shortcuts";
  let description = [{
    Processors flush subnormal numbers when they narrow to bf16, libraries lack the function or
    round twice. This pass writes these conversions, on scalars and vectors, as integer arithmetic
    that rounds to nearest even, keeps subnormal numbers, overflows to infinity and gives the
    canonical NaN: f32 to bf16; f64 to bf16 and to f16 (through f32, rounded to odd). bf16 to f32 is
    a shift; bf16 and f16 to f64 go through f32. f32 to f16 and back stay, as every target has them.
    Arithmetic on bf16, and integers to bf16 or f16, are computed in f64 and rounded once.

    ```mlir
    %y = arith.extf %x : bf16 to f32
    ```
    becomes
    ```mlir
    %0 = arith.bitcast %x : bf16 to i16
    %1 = arith.extui %0 : i16 to i32
    %2 = arith.shli %1, %c16 : i32
    %y = arith.bitcast %2 : i32 to f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def SweepCut : Pass<"sweep-cut", "::mlir::ModuleOp"> {
  let summary = "cuts a step into scalar programs and the fewest passes over memory";
  let description = [{
    The uncut block of a `sweep.step` is cut at its reductions. Element arithmetic goes into passes,
    one for each model and level, each reading every list that it needs once; what exists once a
    step or once a tensor goes into scalar programs between them: `@entry`, `@mid`, …, `@final`,
    which holds every `sweep.set`, the logs and the outcome.

    A value that two passes need is computed again or kept, whichever moves fewer bytes: in a
    scratch list, or in the state that it is stored to anyway, which may be written before the last
    pass when every flag is known and nobody needs the old value. On a tie nothing is kept. A pass
    whose effects all depend on one known flag is gated by it; otherwise each write has its own
    flag. Lists whose elements nothing needs are not read.

    The lower bound (bytes per parameter) and the reasons are left as attributes; what could not be
    had is a `missed` remark of category `sweep-cut`.

    ```mlir
    %g = sweep.element @train.g : f32
    %sq = arith.mulf %g, %g : f32
    %sum = sweep.reduce add %sq over step of @m : f32 -> f64
    sweep.log "square", %sum last : f64
    ```
    becomes
    ```mlir
    %sum = sweep.pass over @m reads [@train.g] writes [] [] [#sweep.reduction<add over step>] {
    ^bb0(%g: f32):
      %sq = arith.mulf %g, %g : f32
      sweep.leave reduce(%sq : f32)
    } : f64
    sweep.scalar @final {
      sweep.log "square", %sum last : f64
      sweep.yield
    }
    ```
  }];
  let dependentDialects = ["::sawtooth::sweep::SweepDialect"];
}

#endif // SAWTOOTH_TRANSFORMS_PASSES
