// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_AMP_VALUE_OPS
#define SAWTOOTH_AMP_VALUE_OPS

include "amp/AmpOpBase.td"

// The values of a step.

def Amp_ReadOp : Amp_ValueOp<"read", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a state, or a scaler's loss scale, as it was at entry of the step";
  let description = [{
    The value as it was at entry, whatever the step commits. A scaler's value is its loss scale, an
    f32.

    Verified: a declared state or scaler, and its type.

    ```mlir
    %w = amp.read @w : !full
    %scale = amp.read @s : f32
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$state);
  let results = (outs AnyTypeOf<[Amp_Tensors, Amp_Scalar]>:$result);
  let assemblyFormat = "$state attr-dict `:` type($result)";
}

def Amp_ScaleOp : Amp_ValueOp<"scale", [SameOperandsAndResultType,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "multiplies by the loss scale in f32, then rounds to the value's type";
  let description = [{
    The product is taken in f32 (f64 for an f64 value) with the scale at entry, then rounded to
    nearest even, never in 16 bits: a scale of 65536 is no fp16 number.

    ```mlir
    %seed = amp.scale %lr by @s : f64
    ```
  }];
  let arguments = (ins AnyTypeOf<[Amp_FloatTensors, F16, BF16, F32, F64, Amp_Leaf]>:$value,
                       FlatSymbolRefAttr:$scaler);
  let results = (outs AnyTypeOf<[Amp_FloatTensors, F16, BF16, F32, F64, Amp_Leaf]>:$result);
  let assemblyFormat = "$value `by` $scaler attr-dict `:` type($value)";
}

def Amp_UnscaleOp : Amp_ValueOp<"unscale", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "u = f32(g) * r with r = f32(1 / f64(S)), in registers";
  let description = [{
    The division 1 / S is in f64, rounded once to f32, once a step; the product is in f32. Nothing
    is stored: gradients stay as they are.

    Verified: lists of one model, a result of f32 elements, a declared scaler; the value carries its
    scale, as far as its chain tells.

    ```mlir
    %u = amp.unscale %g by @s : !half -> !full
    ```
  }];
  let arguments = (ins Amp_FloatTensors:$value, FlatSymbolRefAttr:$scaler);
  let results = (outs Amp_FloatTensors:$result);
  let assemblyFormat = "$value `by` $scaler attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Amp_IsFiniteOp : Amp_ValueOp<"is_finite"> {
  let summary = "whether every element of every operand is finite, by class test";
  let description = [{
    An exact class test of every element, of lists of any models and element types, and of f32 and
    f64 step values: no sum that might overflow, no comparison that flags might fold away. A list
    that was unscaled is tested after the unscaling, which also finds what was not finite before;
    a loss scale that is of no use (S or 1 / S not finite, or 1 / S zero) counts too, as cause
    "scale". No elements are finite.

    Each operand has a bit of the step's causes, named by `labels`, else "gradient" for a list,
    "norm" for a norm, "value" otherwise, with the list's name where that occurs twice.

    Verified: at least one operand; a label for each, if any, all different.

    ```mlir
    %n = amp.norm %u : !full
    %ok = amp.is_finite %u, %n : !full, f64
    ```
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
    Powers are f32 and sums in the contract's order. Each list is folded alone to step extent, then
    they combine in f64 in the order of the operands; the root is f64. The inf norm
    (`order = 0x7FF0000000000000 : f64`) keeps NaN and is 0 for no elements.

    Verified: at least one list; an order of 1, 2 or infinity; lists that carry the same scale, as
    far as their chains tell.

    ```mlir
    %n = amp.norm %u : !full
    %sum = amp.norm %u {order = 1.0} : !full
    ```
  }];
  let arguments = (ins Variadic<Amp_FloatTensors>:$values,
                       DefaultValuedAttr<F64Attr, "2.0">:$order);
  let results = (outs F64:$result);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def Amp_ClipByNormOp : Amp_ValueOp<"clip_by_norm", [AllTypesMatch<["value", "result"]>]> {
  let summary = "multiplies by k = f32(min(1, max / (norm + eps)))";
  let description = [{
    k is computed once a step, in f64, and rounded once; every element is multiplied by it in f32,
    by 1 too. `eps` is 1e-6 unless given. A norm that is not finite makes the result useless, so the
    flag of what is committed must cover it.

    Verified: a list of elements; an `eps` that is finite and not negative; neither value nor norm
    carries a loss scale, as far as their chains tell.

    ```mlir
    %n = amp.norm %u : !full
    %c = amp.clip_by_norm %u, %n max(%max) : !full
    ```
  }];
  let arguments = (ins Amp_FloatTensors:$value, F64:$norm, F64:$max,
                       DefaultValuedAttr<F64Attr, "1.0e-6">:$eps);
  let results = (outs Amp_FloatTensors:$result);
  let assemblyFormat = "$value `,` $norm `max` `(` $max `)` attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Amp_ClipByValueOp : Amp_ValueOp<"clip_by_value", [AllTypesMatch<["value", "result"]>]> {
  let summary = "min(max(x, -limit), limit), NaN stays NaN; the limit is narrowed to f32 once";
  let description = [{
    Element by element in f32.

    Verified: a list of elements without a loss scale, as far as its chain tells.

    ```mlir
    %c = amp.clip_by_value %u limit(%max) : !full
    ```
  }];
  let arguments = (ins Amp_FloatTensors:$value, F64:$limit);
  let results = (outs Amp_FloatTensors:$result);
  let assemblyFormat = "$value `limit` `(` $limit `)` attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Amp_ApplyOp : Amp_ValueOp<"apply", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "applies an optimizer's rule to lists: its results, and its state after the step";
  let description = [{
    Inputs are widened to f32; results are lists of f32. Parameters named in `hyper` take step
    values (f64 unless a type is written) in place of their fields. The last result is the
    optimizer's state after the step, to be committed or not as one.

    Verified: a declared optimizer and lists over its model; and, once its rule is there, the number
    of inputs and results, and that `hyper` gives every parameter without a value, by name and type,
    and no static one.

    ```mlir
    %w = amp.read @w : !full
    %w1, %o1 = amp.apply @opt(%w, %u) hyper(lr = %lr) : (!full, !full) -> (!full)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$optimizer, Variadic<Amp_FloatTensors>:$inputs,
                       Variadic<Amp_Scalar>:$hyper, StrArrayAttr:$hyper_names);
  let results = (outs Variadic<Amp_FloatTensors>:$results, Amp_NextType:$next);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Amp_MapOp : Amp_ValueOp<"map", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "computes a list element by element";
  let description = [{
    Block arguments are the elements, floats widened to f32; the result is a list of f32 elements
    (or of per-tensor values, if all inputs are). Accumulates, zeroes, mixes. The body is as a
    rule's, without reductions.

    Verified: lists over one model, the types of block arguments and result, allowed operations.

    ```mlir
    %twice = amp.map(%g) : (!half) -> !full {
    ^bb0(%x: f32):
      %s = arith.addf %x, %x : f32
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
  let description = [{
    Widening is exact. f32 to f16 and bf16 round to nearest even, subnormals kept, overflow to
    infinity.

    Verified: lists over one model and of one extent.

    ```mlir
    %h = amp.cast %u : !full to !half
    ```
  }];
  let arguments = (ins Amp_FloatTensors:$value);
  let results = (outs Amp_FloatTensors:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
  let hasVerifier = 1;
}

//===------------------------------------------------------------------------------------------===//
// Forward and backward
//===------------------------------------------------------------------------------------------===//

def Amp_LeafOp : Amp_ValueOp<"leaf"> {
  let summary = "one tensor of a list, by name";
  let description = [{
    The tensor is row-major. Name and shape are checked when the model is bound, and agree with
    every other leaf and pack of that name.

    Verified: a name, a static shape of at most 8 dimensions, the list's element type.

    ```mlir
    %h = amp.read @h : !half
    %fc = amp.leaf %h["fc.weight"] : !half -> tensor<64x10xf16>
    ```
  }];
  let arguments = (ins Amp_Tensors:$list, StrAttr:$name);
  let results = (outs Amp_Leaf:$result);
  let assemblyFormat = "$list `[` $name `]` attr-dict `:` type($list) `->` type($result)";
  let hasVerifier = 1;
}

def Amp_PackOp : Amp_ValueOp<"pack"> {
  let summary = "a list out of tensors, by name";
  let description = [{
    Together the names are all tensors of the model. `scaled_by = [@s]` says that the tensors carry
    the loss scale; without it nothing is taken for certain.

    Verified: names that occur once, at most 8 dimensions, the list's element type, declared
    scalers.

    ```mlir
    %w = tensor.empty() : tensor<64x10xf16>
    %b = tensor.empty() : tensor<10xf16>
    %list = amp.pack {"fc.weight" = %w : tensor<64x10xf16>, "fc.bias" = %b : tensor<10xf16>}
        {scaled_by = [@s]} : !half
    ```
  }];
  let arguments = (ins Variadic<Amp_Leaf>:$tensors, StrArrayAttr:$names);
  let results = (outs Amp_Tensors:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Amp_CallOp : Amp_ValueOp<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a layer function; shapes and types follow the arguments";
  let description = [{
    A layer is a `func.func` of an imported or built-in file, or of the module. Its `?` dimensions
    and the f16 that it stores values in are taken from the arguments when `amp-inline-layers`
    clones it in.

    Verified, once the layer is there: the number of arguments and results.

    ```mlir
    %x = tensor.empty() : tensor<32x10xf16>
    %y = amp.call @relu(%x) : (tensor<32x10xf16>) -> tensor<32x10xf16>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
}

#endif // SAWTOOTH_AMP_VALUE_OPS
