// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_AMP_RULE_OPS
#define SAWTOOTH_AMP_RULE_OPS

include "amp/AmpOpBase.td"

// Rules, and what only their bodies hold.

def Amp_RuleOp : Amp_Declaration<"rule", [IsolatedFromAbove, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a small function over scalars with declared parameters and state";
  let description = [{
    Optimizers and scaler policies are rules: a block of scalar arithmetic whose arguments are the
    parameters, then the state, then the inputs.

    * `params(%x: type = default as "name")`: a run-time field, unless `static`: then it is folded
      and selects code. Without a default it has to be given.
    * `state(role %x: type per extent = initial as "name")`: kept from step to step, once an element
      (f32 only) unless `per step` or `per tensor`; a policy's is per step. `as` is its key in
      checkpoints and dictionaries. Roles belong to policies and say what the runtime takes a state
      for: `scale` (f32, the loss scale; there is one), `skipped` and `consecutive_skips` (i64),
      `stuck` (i1).
    * `inputs(%x: type)`: an optimizer's are f32, whatever is stored; a policy's is the step's flag.

    A value is computed as seldom as its operands allow: once a step, once a tensor or once an
    element; `amp.reduce` lowers that. Arithmetic is f32 on elements and f64 or i64 on steps and
    tensors; every narrowing is written. A counter reads "completed steps", and the rule adds 1.

    State that a folded rule neither reads nor changes does not exist: it has no memory and moves no
    byte. So a static parameter selects a state by selecting its new value:
    `arith.select %amsgrad, %larger, %vmax`.

    Allowed are arith without `remf` and without fast-math flags, the functions of math that the
    numerics contract has (`exp`, `log`, `tanh`, `erf`, `cos`, `powf`, `sqrt`, `fma` of f32, and the
    exact ones), `amp.powi`, `amp.reduce`, `amp.numel`, `amp.dim` and `amp.rank`, on f32, f64, i1,
    i32 and i64.

    Verified: types, names that occur once, roles, allowed operations, and that no state is written
    with a value that differs within its extent.

    ```mlir
    amp.rule @descent optimizer params(%lr: f64, static %maximize: i1 = false)
        state(%t: i64 per step = 0 as "step") inputs(%w: f32, %g: f32) {
      %one = arith.constant 1 : i64
      %t1 = arith.addi %t, %one : i64
      %lrF = arith.truncf %lr : f64 to f32
      %minus = arith.negf %g : f32
      %d = arith.select %maximize, %minus, %g : f32
      %step = arith.mulf %lrF, %d : f32
      %w1 = arith.subf %w, %step : f32
      amp.yield %w1 state(%t1) : f32 state(i64)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Amp_RuleKind:$kind,
                       TypedArrayAttrBase<Amp_ParamAttr, "parameters">:$params,
                       TypedArrayAttrBase<Amp_FieldAttr, "fields">:$states,
                       StrArrayAttr:$inputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ArrayRef<::mlir::BlockArgument> getParamArguments();
    ::mlir::ArrayRef<::mlir::BlockArgument> getStateArguments();
    ::mlir::ArrayRef<::mlir::BlockArgument> getInputArguments();
  }];
}

def Amp_YieldOp : Amp_Op<"yield", [Terminator, Pure, AttrSizedOperandSegments,
    ParentOneOf<["RuleOp", "MapOp"]>]> {
  let summary = "ends a rule or map: its results, then the new state in the order declared";
  let description = [{
    An optimizer yields its results (f32), then the new state in the order declared; a policy the
    state alone; a map one value.

    ```mlir
    amp.rule @forget optimizer state(%m: f32 = 0.0) inputs(%w: f32, %g: f32) {
      amp.yield %w state(%g) : f32 state(f32)
    }
    ```
  }];
  let arguments = (ins Variadic<Amp_Scalar>:$results, Variadic<Amp_Scalar>:$states);
  let assemblyFormat = [{
    ($results^)? (`state` `(` $states^ `)`)? attr-dict
    (`:` type($results)^)? (`state` `(` type($states)^ `)`)?
  }];
}

def Amp_ReduceOp : Amp_Op<"reduce", [Pure]> {
  let summary = "combines a value over a tensor or over the whole model, in the contract's order";
  let description = [{
    `add` of f32 gives f64: 256 lanes of each chunk add up in f32 in ascending order and fold by
    halving, chunks, tensors and models then in f64. `min` and `max` of f32 or f64 give f64 and keep
    NaN; `or` of i1 gives i1. The order is fixed, whatever the number of threads.

    Verified: the types; the extent, which is tensor or step and lower than the value's.

    ```mlir
    amp.rule @normalized optimizer inputs(%w: f32, %g: f32) {
      %square = arith.mulf %g, %g : f32
      %sum = amp.reduce add %square over tensor : f32 -> f64
      %norm = math.sqrt %sum : f64
      %normF = arith.truncf %norm : f64 to f32
      %d = arith.divf %g, %normF : f32
      %w1 = arith.subf %w, %d : f32
      amp.yield %w1 : f32
    }
    ```
  }];
  let arguments = (ins Amp_ReduceKind:$kind, Amp_Scalar:$value, Amp_Extent:$extent);
  let results = (outs Amp_Scalar:$result);
  let assemblyFormat = "$kind $value `over` $extent attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

// Vectors occur below the sweep level only.
def Amp_PowiBase : AnyTypeOf<[F32, F64, VectorOfNonZeroRankOf<[F32, F64]>],
                             "f32, f64 or a vector of them">;
def Amp_PowiOp : Amp_Op<"powi", [Pure, AllTypesMatch<["base", "result"]>]> {
  let summary = "integer power by square and multiply, least significant bit first";
  let description = [{
    Multiplies base^(2^i) onto 1 for every set bit i of the exponent's magnitude, ascending; a
    negative exponent takes the reciprocal. The base to the power 0 is 1.

    ```mlir
    %t = arith.constant 3 : i64
    %p = amp.powi %lr, %t : f64
    ```
  }];
  let arguments = (ins Amp_PowiBase:$base, I64:$exponent);
  let results = (outs Amp_PowiBase:$result);
  let assemblyFormat = "$base `,` $exponent attr-dict `:` type($base)";
}

def Amp_OpaqueOp
    : Amp_Op<"opaque", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "its operand, as a value that no folder knows";
  let description = [{
    The folders of math call the functions of the machine that compiles, whose last bits are its
    own. `amp-link` puts this op between every function that has an expansion of ours and its
    operands, so that a function of constants, too, is what the expansion says; `expand-math` takes
    it away again. It is the operand otherwise. A pass that creates such a function creates this.

    ```mlir
    %x = amp.opaque %lr : f64
    %e = math.exp %x : f64
    ```
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Amp_NumelOp : Amp_Op<"numel", [Pure]> {
  let summary = "number of elements of the tensor that is worked on";
  let description = [{
    Has tensor extent: one value for each tensor of the model. Stands in a rule or map.
    0 for a tensor without elements.

    ```mlir
    amp.rule @by_numel optimizer inputs(%w: f32, %g: f32) {
      %n = amp.numel
      %f = arith.sitofp %n : i64 to f32
      %w1 = arith.mulf %w, %f : f32
      amp.yield %w1 : f32
    }
    ```
  }];
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
}

def Amp_DimOp : Amp_Op<"dim", [Pure]> {
  let summary = "size of one dimension of the tensor that is worked on, 1 beyond its rank";
  let description = [{
    Has tensor extent: one value for each tensor of the model. Stands in a rule or map.
    The last dimension is `amp.rank` - 1; a tensor of rank 0 has one element.

    ```mlir
    amp.rule @by_dim optimizer inputs(%w: f32, %g: f32) {
      %n = amp.dim 0
      %f = arith.sitofp %n : i64 to f32
      %w1 = arith.mulf %w, %f : f32
      amp.yield %w1 : f32
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<7>]>:$index);
  let results = (outs I64:$result);
  let assemblyFormat = "$index attr-dict";
}

def Amp_RankOp : Amp_Op<"rank", [Pure]> {
  let summary = "number of dimensions of the tensor that is worked on";
  let description = [{
    Has tensor extent: one value for each tensor of the model. Stands in a rule or map.
    The last dimension is `amp.rank` - 1; a tensor of rank 0 has one element.

    ```mlir
    amp.rule @by_rank optimizer inputs(%w: f32, %g: f32) {
      %n = amp.rank
      %f = arith.sitofp %n : i64 to f32
      %w1 = arith.mulf %w, %f : f32
      amp.yield %w1 : f32
    }
    ```
  }];
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
}

#endif // SAWTOOTH_AMP_RULE_OPS
