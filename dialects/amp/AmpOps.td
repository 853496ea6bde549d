// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_AMP_OPS
#define SAWTOOTH_AMP_OPS

include "amp/AmpAttrs.td"
include "amp/AmpTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Amp_Op<string mnemonic, list<Trait> traits = []> : Op<Amp_Dialect, mnemonic, traits>;

//===--------------------------------------------------------------------------------------------===//
// Declarations: what outlives a step
//===--------------------------------------------------------------------------------------------===//

class Amp_Declaration<string mnemonic, list<Trait> traits = []>
    : Amp_Op<mnemonic, traits # [Symbol, HasParent<"::mlir::ModuleOp">]>;

def Amp_ModelOp : Amp_Declaration<"model"> {
  let summary = "declares the tensors that are trained together";
  let arguments = (ins SymbolNameAttr:$sym_name);
  let assemblyFormat = "$sym_name attr-dict";
}

def Amp_StateOp : Amp_Declaration<"state", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declares a list or scalar that outlives a step";
  let description = [{
    ```mlir
    amp.state @w : !amp.tensors<@model x f32> = required
    amp.state @h : !amp.tensors<@model x f16> copy_of @w
    amp.state @acc : !amp.tensors<@model x f32> = 0.0 scaled_by [@s]
    amp.state @p : !amp.tensors<@model x f32> = ["*.bias" = 0.0, "*" = #amp.uniform<fan_in>]
    amp.state @best : f32 = 0.0
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, OptionalAttr<AnyAttr>:$init,
                       OptionalAttr<FlatSymbolRefAttr>:$copy_of,
                       OptionalAttr<ArrayAttr>:$scaled_by);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Amp_PerTensorOp : Amp_Declaration<"per_tensor", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declares a parameter with one value for each tensor, chosen by name";
  let description = [{
    ```mlir
    amp.per_tensor @decay : f64 over @model ["*.bias" = 0.0, "*" = 0.01]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, FlatSymbolRefAttr:$model,
                       Amp_PatternsAttr:$patterns);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Amp_ScalerOp : Amp_Declaration<"scaler", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declares a loss scaler: an instance of a policy";
  let description = [{
    The dictionary sets parameters of the policy by name, and initial values of its state; `init`
    is the initial loss scale.
    ```mlir
    amp.scaler @s by @pytorch {init = 65536.0, growth_interval = 2000}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$policy,
                       DefaultValuedAttr<DictionaryAttr, "{}">:$params);
  let assemblyFormat = "$sym_name `by` $policy ($params^)? attr-dict";
}

def Amp_OptimizerOp : Amp_Declaration<"optimizer", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declares an optimizer: an instance of a rule, with its state, over a model";
  let description = [{
    The dictionary sets parameters of the rule: a constant, or the symbol of an `amp.per_tensor`.
    `counter = "tensor"` keeps the rule's per-step state once for each tensor.
    ```mlir
    amp.optimizer @opt by @adamw over @model {beta1 = 0.9, weight_decay = @decay}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$rule, FlatSymbolRefAttr:$model,
                       DefaultValuedAttr<DictionaryAttr, "{}">:$params);
  let assemblyFormat = "$sym_name `by` $rule `over` $model ($params^)? attr-dict";
}

def Amp_ImportOp : Amp_Op<"import", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "reads a file of rules or layers, relative to the file it stands in";
  let arguments = (ins StrAttr:$path);
  let assemblyFormat = "$path attr-dict";
}

//===--------------------------------------------------------------------------------------------===//
// Rules
//===--------------------------------------------------------------------------------------------===//

def Amp_RuleOp : Amp_Declaration<"rule", [IsolatedFromAbove, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a small function over scalars with declared parameters and state";
  let description = [{
    Block arguments are the parameters, then the state, then the inputs. A value is computed at the
    lowest extent of its operands: element arithmetic is f32, step and tensor arithmetic f64 or i64,
    and every narrowing is written.
    ```mlir
    amp.rule @sgd optimizer params(%lr: f64, %momentum: f64 = 0.0)
        state(%b: f32 = 0.0 as "momentum_buffer") inputs(%w: f32, %g: f32) { … amp.yield %w1 state(%b1) : f32, f32 }
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
  let arguments = (ins Variadic<Amp_Scalar>:$results, Variadic<Amp_Scalar>:$states);
  let assemblyFormat = [{
    ($results^)? (`state` `(` $states^ `)`)? attr-dict (`:` type($results)^)? (`state` `(` type($states)^ `)`)?
  }];
}

def Amp_ReduceOp : Amp_Op<"reduce", [Pure]> {
  let summary = "combines a value over a tensor or over the whole model, in the contract's order";
  let description = [{
    `add` of f32 gives f64 (lanes in f32, folds in f64), `min` and `max` of f32 give f64 and keep
    NaN, `or` of i1 gives i1.
    ```mlir
    %s = amp.reduce add %sq over tensor : f32 -> f64
    ```
  }];
  let arguments = (ins Amp_ReduceKind:$kind, Amp_Scalar:$value, Amp_Extent:$extent);
  let results = (outs Amp_Scalar:$result);
  let assemblyFormat = "$kind $value `over` $extent attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

// Vectors occur below the sweep level only.
def Amp_PowiBase : AnyTypeOf<[F32, F64, VectorOfNonZeroRankOf<[F32, F64]>], "f32, f64 or a vector of them">;
def Amp_PowiOp : Amp_Op<"powi", [Pure, AllTypesMatch<["base", "result"]>]> {
  let summary = "integer power by square and multiply, least significant bit first";
  let arguments = (ins Amp_PowiBase:$base, I64:$exponent);
  let results = (outs Amp_PowiBase:$result);
  let assemblyFormat = "$base `,` $exponent attr-dict `:` type($base)";
}

def Amp_NumelOp : Amp_Op<"numel", [Pure]> {
  let summary = "number of elements of the tensor that is worked on";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
}

def Amp_DimOp : Amp_Op<"dim", [Pure]> {
  let summary = "size of one dimension of the tensor that is worked on, 1 beyond its rank";
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<7>]>:$index);
  let results = (outs I64:$result);
  let assemblyFormat = "$index attr-dict";
}

def Amp_RankOp : Amp_Op<"rank", [Pure]> {
  let summary = "number of dimensions of the tensor that is worked on";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
}

//===--------------------------------------------------------------------------------------------===//
// Steps and programs
//===--------------------------------------------------------------------------------------------===//

def Amp_StepOp : Amp_Declaration<"step", [IsolatedFromAbove, NoTerminator, SingleBlock,
    FunctionOpInterface, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "one transaction: values until its commits";
  let description = [{
    Arguments are lists (bound by the caller, read-only), scalars (`amp.default`), or tensors
    (`amp.batch`). Reads see the state at entry; commits and updates are the only writers and come
    last. A step without commits evaluates.
    Argument attributes: `amp.scaled_by = [@s]`, `amp.default = 1e-3`, `amp.batch = "images"`;
    `amp.name` keeps the argument's name.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// Name of argument `index` as written, "arg<index>" when it was not.
    std::string getArgumentName(unsigned index);
  }];
}

def Amp_ProgramOp : Amp_Declaration<"program", [NoTerminator, SingleBlock]> {
  let summary = "the order of steps, where there are several";
  let description = [{
    ```mlir
    amp.program @epoch { amp.repeat 3 { amp.run @accumulate }  amp.run @train }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
}

def Amp_RepeatOp : Amp_Op<"repeat", [NoTerminator, SingleBlock, ParentOneOf<["ProgramOp", "RepeatOp"]>]> {
  let summary = "runs its body several times";
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$count);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$count attr-dict-with-keyword $body";
}

def Amp_RunOp : Amp_Op<"run", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a step (in a program), or gives a run's defaults (in the module)";
  let description = [{
    ```mlir
    amp.run {batch = 64, epochs = 30, seed = 0, eval = @test}
    ```
  }];
  let arguments = (ins OptionalAttr<FlatSymbolRefAttr>:$step, OptionalAttr<I64Attr>:$batch,
                       OptionalAttr<I64Attr>:$epochs, OptionalAttr<I64Attr>:$seed,
                       OptionalAttr<FlatSymbolRefAttr>:$eval);
  let assemblyFormat = "($step^)? attr-dict";
  let hasVerifier = 1;
}

//===--------------------------------------------------------------------------------------------===//
// Values of a step
//===--------------------------------------------------------------------------------------------===//

class Amp_StepBodyOp<string mnemonic, list<Trait> traits = []>
    : Amp_Op<mnemonic, traits # [HasParent<"::sawtooth::amp::StepOp">]>;
class Amp_ValueOp<string mnemonic, list<Trait> traits = []>
    : Amp_StepBodyOp<mnemonic, traits # [Pure]>;

def Amp_ReadOp : Amp_ValueOp<"read", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a state, or a scaler's loss scale, as it was at entry of the step";
  let arguments = (ins FlatSymbolRefAttr:$state);
  let results = (outs AnyTypeOf<[Amp_Tensors, Amp_Scalar]>:$result);
  let assemblyFormat = "$state attr-dict `:` type($result)";
}

def Amp_ScaleOp : Amp_ValueOp<"scale", [SameOperandsAndResultType,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "multiplies by the loss scale in f32, then rounds to the value's type";
  let arguments = (ins AnyTypeOf<[Amp_FloatTensors, F16, BF16, F32, F64, Amp_Leaf]>:$value,
                       FlatSymbolRefAttr:$scaler);
  let results = (outs AnyTypeOf<[Amp_FloatTensors, F16, BF16, F32, F64, Amp_Leaf]>:$result);
  let assemblyFormat = "$value `by` $scaler attr-dict `:` type($value)";
}

def Amp_UnscaleOp : Amp_ValueOp<"unscale", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "u = f32(g) * r with r = f32(1 / f64(S)), in registers";
  let arguments = (ins Amp_FloatTensors:$value, FlatSymbolRefAttr:$scaler);
  let results = (outs Amp_FloatTensors:$result);
  let assemblyFormat = "$value `by` $scaler attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Amp_IsFiniteOp : Amp_ValueOp<"is_finite"> {
  let summary = "whether every element of every operand is finite, by class test";
  let description = [{
    Lists may be of several models and element types; step values may be among them. Each operand
    has one bit of the step's cause word, named by its label: `labels = [...]`, else "norm" for a
    norm, "gradient" for a list, "value" for another step value. A list that was unscaled also
    needs a usable scale (cause "scale").
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Amp_FloatTensors, F32, F64]>>:$values,
                       OptionalAttr<StrArrayAttr>:$labels);
  let results = (outs I1:$result);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def Amp_NormOp : Amp_ValueOp<"norm"> {
  let summary = "p-norm of all elements of all operands, p = 1, 2 or inf, as f64";
  let description = [{
    Powers in f32, sums in the contract's order. Each list is folded alone to step extent, then they
    combine in f64 in the order of the operands. The inf norm keeps NaN and is 0 for no elements.
  }];
  let arguments = (ins Variadic<Amp_FloatTensors>:$values,
                       DefaultValuedAttr<F64Attr, "2.0">:$order);
  let results = (outs F64:$result);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def Amp_ClipByNormOp : Amp_ValueOp<"clip_by_norm", [AllTypesMatch<["value", "result"]>]> {
  let summary = "multiplies by k = f32(min(1, max / (norm + eps)))";
  let arguments = (ins Amp_FloatTensors:$value, F64:$norm, F64:$max,
                       DefaultValuedAttr<F64Attr, "1.0e-6">:$eps);
  let results = (outs Amp_FloatTensors:$result);
  let assemblyFormat = "$value `,` $norm `max` `(` $max `)` attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Amp_ClipByValueOp : Amp_ValueOp<"clip_by_value", [AllTypesMatch<["value", "result"]>]> {
  let summary = "min(max(x, -limit), limit), NaN stays NaN; the limit is narrowed to f32 once";
  let arguments = (ins Amp_FloatTensors:$value, F64:$limit);
  let results = (outs Amp_FloatTensors:$result);
  let assemblyFormat = "$value `limit` `(` $limit `)` attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Amp_ApplyOp : Amp_ValueOp<"apply", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "applies an optimizer's rule to lists: its results, and its state after the step";
  let description = [{
    Inputs are widened to f32; results are f32. Parameters named in `hyper` take step values in
    place of their fields.
    ```mlir
    %w1, %o1 = amp.apply @opt(%w, %c) hyper(lr = %lr) : (!w, !w) -> !w
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$optimizer, Variadic<Amp_FloatTensors>:$inputs,
                       Variadic<Amp_Scalar>:$hyper, StrArrayAttr:$hyper_names);
  let results = (outs Variadic<Amp_FloatTensors>:$results, Amp_NextType:$next);
  let hasCustomAssemblyFormat = 1;
}

def Amp_MapOp : Amp_ValueOp<"map", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "computes a list element by element";
  let description = [{
    Block arguments are the elements, floats widened to f32. Accumulates, zeroes, mixes.
    ```mlir
    %a1 = amp.map(%a, %g) : (!acc, !g) -> !acc {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      amp.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Amp_Tensors>:$inputs);
  let results = (outs Amp_Tensors:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $inputs `)` attr-dict `:` functional-type($inputs, $result) $body";
  let hasRegionVerifier = 1;
}

def Amp_CastOp : Amp_ValueOp<"cast"> {
  let summary = "converts the elements of a list, rounding once to nearest even";
  let arguments = (ins Amp_FloatTensors:$value);
  let results = (outs Amp_FloatTensors:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
}

//===--------------------------------------------------------------------------------------------===//
// Forward and backward
//===--------------------------------------------------------------------------------------------===//

def Amp_LeafOp : Amp_ValueOp<"leaf"> {
  let summary = "one tensor of a list, by name";
  let arguments = (ins Amp_Tensors:$list, StrAttr:$name);
  let results = (outs Amp_Leaf:$result);
  let assemblyFormat = "$list `[` $name `]` attr-dict `:` type($list) `->` type($result)";
  let hasVerifier = 1;
}

def Amp_PackOp : Amp_ValueOp<"pack"> {
  let summary = "a list out of tensors, by name";
  let description = [{
    ```mlir
    %g = amp.pack {"fc.weight" = %dw : tensor<64x10xf16>, "fc.bias" = %db : tensor<10xf16>} : !g
    ```
    `scaled_by = [@s]` says that the tensors carry the loss scale.
  }];
  let arguments = (ins Variadic<Amp_Leaf>:$tensors, StrArrayAttr:$names);
  let results = (outs Amp_Tensors:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Amp_CallOp : Amp_ValueOp<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a layer function; shapes and types follow the arguments";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
}

//===--------------------------------------------------------------------------------------------===//
// What a step leaves behind
//===--------------------------------------------------------------------------------------------===//

def Amp_LogOp : Amp_StepBodyOp<"log"> {
  let summary = "hands a step value to the host through the status ring";
  let arguments = (ins StrAttr:$key, AnyTypeOf<[Amp_Scalar, Amp_Leaf]>:$value,
                       DefaultValuedAttr<Amp_LogReduce, "::sawtooth::amp::LogReduce::Last">:$reduce);
  let assemblyFormat = "$key `,` $value (`reduce` `(` $reduce^ `)`)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Amp_UpdateOp : Amp_StepBodyOp<"update", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a scaler's policy on the step's flag";
  let arguments = (ins FlatSymbolRefAttr:$scaler, I1:$flag);
  let assemblyFormat = "$scaler `,` $flag attr-dict";
}

def Amp_CommitOp : Amp_StepBodyOp<"commit", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "writes values to states when the flag is true, or always";
  let description = [{
    ```mlir
    amp.commit %w1 to @w, %o1 to @opt when %ok : !w, !amp.next<@opt>
    amp.commit %zero to @acc always : !w
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Amp_Tensors, Amp_Scalar, Amp_NextType]>>:$values,
                       ArrayAttr:$states, Optional<I1>:$flag, UnitAttr:$always);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // SAWTOOTH_AMP_OPS
