// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_SWEEP_OPS
#define SAWTOOTH_SWEEP_OPS

include "amp/AmpTypes.td"
include "amp/AmpAttrs.td"
include "sweep/SweepDialect.td"
include "sweep/SweepEnums.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sweep_Op<string mnemonic, list<Trait> traits = []> : Op<Sweep_Dialect, mnemonic, traits>;

def Sweep_PerTensorType : TypeDef<Sweep_Dialect, "PerTensor"> {
  let mnemonic = "per_tensor";
  let summary = "one scalar for each tensor of a model, crossing a cut";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$model, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $model `x` $elementType `>`";
}
def Sweep_PerTensor : Type<CPred<"::llvm::isa<::sawtooth::sweep::PerTensorType>($_self)">,
                           "per-tensor values", "::sawtooth::sweep::PerTensorType">;

// Scalars of a body; 16-bit floats occur only as loaded and stored elements.
def Sweep_Scalar : AnyTypeOf<[F16, BF16, F32, F64, I1, I32, I64, Index], "scalar">;
def Sweep_FrameValue : AnyTypeOf<[F32, F64, I1, I32, I64, Sweep_PerTensor], "value of the frame">;

// "add over step": what a pass does with one of its reduced values.
def Sweep_ReductionAttr : AttrDef<Sweep_Dialect, "Reduction"> {
  let mnemonic = "reduction";
  let summary = "how a pass combines one value, and over what";
  let parameters = (ins EnumParameter<Amp_ReduceKind>:$kind,
                        EnumParameter<Amp_Extent>:$extent);
  let assemblyFormat = "`<` $kind `over` $extent `>`";
}

//===------------------------------------------------------------------------------------------===//
// Declarations
//===------------------------------------------------------------------------------------------===//

class Sweep_Declaration<string mnemonic, list<Trait> traits = []>
    : Sweep_Op<mnemonic, traits # [Symbol, HasParent<"::mlir::ModuleOp">]>;

def Sweep_ListOp : Sweep_Declaration<"list", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a list: state, a step's argument, or scratch within a step";
  let description = [{
    `label` is the name that users bind ("g", "opt.m"). State has an initial value or is a copy of
    another list. Arguments and scratch name their step.
    ```mlir
    sweep.list state @w : !amp.tensors<@model x f32> {label = "w", init = #amp.required}
    sweep.list argument @train.g : !amp.tensors<@model x f16> {label = "g", step = @train}
    ```
  }];
  let arguments = (ins Sweep_ListKind:$kind, SymbolNameAttr:$sym_name, TypeAttr:$type,
                       StrAttr:$label, OptionalAttr<AnyAttr>:$init,
                       OptionalAttr<FlatSymbolRefAttr>:$copy_of,
                       OptionalAttr<FlatSymbolRefAttr>:$step);
  let assemblyFormat = "$kind $sym_name `:` $type attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::sawtooth::amp::TensorsType getTensors() {
      return ::llvm::cast<::sawtooth::amp::TensorsType>(getType());
    }
  }];
}

def Sweep_FieldOp : Sweep_Declaration<"field", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a scalar that outlives a step, once or for each tensor of a model";
  let description = [{
    With `model`, there is one value for each tensor. `init` is a constant of the type, or, for a
    per-tensor field, `#amp.patterns`.
    ```mlir
    sweep.field state @s.scale : f32 role scale {init = 65536.0 : f32, scaler = @s, alias = "scale"}
    sweep.field parameter @decay : f64 {model = @model, init = #amp.patterns<"*" = 0.01>}
    ```
  }];
  let arguments = (ins Sweep_FieldKind:$kind, SymbolNameAttr:$sym_name, TypeAttr:$type,
                       AnyAttr:$init, OptionalAttr<FlatSymbolRefAttr>:$model,
                       OptionalAttr<StrAttr>:$alias, OptionalAttr<Amp_Role>:$role,
                       OptionalAttr<FlatSymbolRefAttr>:$scaler);
  let assemblyFormat = "$kind $sym_name `:` $type (`role` $role^)? attr-dict";
  let hasVerifier = 1;
}

def Sweep_ScalerOp : Sweep_Declaration<"scaler"> {
  let summary = "a loss scaler, to group its fields";
  let description = [{
    ```mlir
    sweep.scaler @s "pytorch"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$policy);
  let assemblyFormat = "$sym_name $policy attr-dict";
}

def Sweep_StepOp : Sweep_Declaration<"step", [
    IsolatedFromAbove, NoTerminator, SingleBlock, FunctionOpInterface,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a step, uncut or cut";
  let description = [{
    Block arguments are the step's scalars and tensors; lists are symbols. Argument attributes are
    those of `amp.step`. `cut` marks the second form. `notes` are the reasons that `explain` prints
    (a dictionary {kind, text} each); `commits` says that the step writes state lists or fields;
    `lower_bound` is in bytes per parameter.

    Uncut, the body is one block of ops on scalars: arith, math, `amp.powi` and the ops below, no
    regions. Each list is stored to at most once, each field set at most once, and the place of a
    write in the block means nothing: all reads see the state at entry. Cut, the body holds
    `sweep.scalar`, `sweep.pass` and `sweep.forward`, in the order in which they run; every
    `sweep.set`, `sweep.log` and the outcome stand in the last scalar program.
    ```mlir
    sweep.step @clear() attributes {commits} {
      %zero = arith.constant 0.0 : f32
      sweep.store %zero to @acc : f32
      %true = arith.constant true
      sweep.outcome %true []
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs, UnitAttr:$cut, UnitAttr:$commits,
                       OptionalAttr<I64Attr>:$lower_bound, OptionalAttr<DictArrayAttr>:$notes);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

//===------------------------------------------------------------------------------------------===//
// Scalars: what both forms compute with, beside arith and math
//===------------------------------------------------------------------------------------------===//

def Sweep_ElementOp : Sweep_Op<"element", [Pure, HasParent<"::sawtooth::sweep::StepOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the element of a list (uncut form)";
  let description = [{
    In its storage type, as it was at entry of the step; of a list that `sweep.forward` packs, as
    that left it.
    ```mlir
    %g = sweep.element @train.g : f16
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$list);
  let results = (outs AnyTypeOf<[F16, BF16, F32]>:$result);
  let assemblyFormat = "$list attr-dict `:` type($result)";
}

def Sweep_GetOp : Sweep_Op<"get", [
    Pure, ParentOneOf<["::sawtooth::sweep::StepOp", "::sawtooth::sweep::ScalarOp",
                       "::sawtooth::sweep::EachOp"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a field as it was at entry of the step, of the step or of the tensor";
  let description = [{
    ```mlir
    %s = sweep.get @s.scale : f32
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$field);
  let results = (outs Sweep_Scalar:$result);
  let assemblyFormat = "$field attr-dict `:` type($result)";
}

def Sweep_NumelOp : Sweep_Op<"numel", [
    Pure, ParentOneOf<["::sawtooth::sweep::StepOp", "::sawtooth::sweep::EachOp",
                       "::sawtooth::sweep::PassOp"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "number of elements of the tensor";
  let description = [{
    ```mlir
    %n = sweep.numel of @model
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$model);
  let results = (outs I64:$result);
  let assemblyFormat = "`of` $model attr-dict";
}
def Sweep_DimOp : Sweep_Op<"dim", [
    Pure, ParentOneOf<["::sawtooth::sweep::StepOp", "::sawtooth::sweep::EachOp",
                       "::sawtooth::sweep::PassOp"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "size of one dimension of the tensor, 1 beyond its rank";
  let description = [{
    ```mlir
    %rows = sweep.dim 0 of @model
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<7>]>:$index,
                       FlatSymbolRefAttr:$model);
  let results = (outs I64:$result);
  let assemblyFormat = "$index `of` $model attr-dict";
}
def Sweep_RankOp : Sweep_Op<"rank", [
    Pure, ParentOneOf<["::sawtooth::sweep::StepOp", "::sawtooth::sweep::EachOp",
                       "::sawtooth::sweep::PassOp"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "number of dimensions of the tensor";
  let description = [{
    ```mlir
    %n = sweep.rank of @model
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$model);
  let results = (outs I64:$result);
  let assemblyFormat = "`of` $model attr-dict";
}

def Sweep_ReduceOp : Sweep_Op<"reduce", [Pure, HasParent<"::sawtooth::sweep::StepOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "combines a value over each tensor or the whole model, in the contract's order "
                "(uncut form)";
  let description = [{
    `add`, `min` and `max` of f32 combine elements and give f64; of f64 they combine tensors, over
    step, and give f64. `or` of i1 combines tensors when its operand is a tensor's, else elements.
    Without anything to combine: `add` 0, `min` inf, `max` -inf, `or` false; `min` and `max` keep
    NaN. `what` says in a few words what is reduced, for `explain`.
    ```mlir
    %sum = sweep.reduce add %square over tensor of @model {what = "sum of squares"} : f32 -> f64
    %any = sweep.reduce or %bad over step of @model : i1 -> i1
    ```
  }];
  let arguments = (ins Amp_ReduceKind:$kind, Sweep_Scalar:$value, Amp_Extent:$extent,
                       FlatSymbolRefAttr:$model, OptionalAttr<StrAttr>:$what);
  let results = (outs Sweep_Scalar:$result);
  let assemblyFormat = [{
    $kind $value `over` $extent `of` $model attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Sweep_StoreOp : Sweep_Op<"store", [HasParent<"::sawtooth::sweep::StepOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "writes the element of a list (uncut form)";
  let description = [{
    ```mlir
    sweep.store %w1 to @w when %ok : f32
    ```
  }];
  let hasCanonicalizeMethod = 1;
  let arguments = (ins Sweep_Scalar:$value, FlatSymbolRefAttr:$list, Optional<I1>:$flag);
  let assemblyFormat = "$value `to` $list (`when` $flag^)? attr-dict `:` type($value)";
}

def Sweep_SetOp : Sweep_Op<"set", [
    ParentOneOf<["::sawtooth::sweep::StepOp", "::sawtooth::sweep::ScalarOp",
                 "::sawtooth::sweep::EachOp"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "writes a field of the step or of the tensor, after every read of it";
  let description = [{
    ```mlir
    sweep.set %t1 to @opt.t when %ok : i64
    ```
  }];
  let hasCanonicalizeMethod = 1;
  let arguments = (ins Sweep_Scalar:$value, FlatSymbolRefAttr:$field, Optional<I1>:$flag);
  let assemblyFormat = "$value `to` $field (`when` $flag^)? attr-dict `:` type($value)";
}

def Sweep_LogOp : Sweep_Op<"log",
    [ParentOneOf<["::sawtooth::sweep::StepOp", "::sawtooth::sweep::ScalarOp"]>]> {
  let summary = "a value for the status ring";
  let description = [{
    `last`, `mean`, `sum`, `max` or `min` says how an evaluation combines its batches.
    ```mlir
    sweep.log "loss", %loss mean : f32
    ```
  }];
  let arguments = (ins StrAttr:$key, Sweep_Scalar:$value, Amp_LogReduce:$reduce);
  let assemblyFormat = "$key `,` $value $reduce attr-dict `:` type($value)";
}

def Sweep_OutcomeOp : Sweep_Op<"outcome",
    [ParentOneOf<["::sawtooth::sweep::StepOp", "::sawtooth::sweep::ScalarOp"]>]> {
  let summary = "what became of the step: applied or not, and a bit for each cause of a skip";
  let description = [{
    Bit i of `causes` is named by label i.
    ```mlir
    sweep.outcome %ok causes %causes ["gradient", "norm", "scale"]
    ```
  }];
  let hasVerifier = 1;
  let arguments = (ins I1:$applied, Optional<I64>:$causes, StrArrayAttr:$labels);
  let assemblyFormat = "$applied (`causes` $causes^)? $labels attr-dict";
}

def Sweep_ForwardOp : Sweep_Op<"forward", [HasParent<"::sawtooth::sweep::StepOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls the outlined forward and backward part";
  let description = [{
    The callee takes the tensor arguments, then the leaves, then the scalars, and returns the packed
    tensors, then one `tensor<1xT>` for each result.
    ```mlir
    %loss = sweep.forward @train.model(%x, %y, %s)
        leaves [@h] ["fc.weight"] packs [@train.packed] ["fc.weight"]
        : (tensor<64x64xf16>, tensor<64xi32>, f32) -> f32
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "symbols">:$leaf_lists,
                       StrArrayAttr:$leaf_names,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "symbols">:$pack_lists,
                       StrArrayAttr:$pack_names);
  let results = (outs Variadic<Sweep_Scalar>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `leaves` $leaf_lists $leaf_names `packs` $pack_lists $pack_names
    attr-dict `:` functional-type($inputs, $results)
  }];
}

//===------------------------------------------------------------------------------------------===//
// The cut form
//===------------------------------------------------------------------------------------------===//

def Sweep_ScalarOp : Sweep_Op<"scalar", [SingleBlockImplicitTerminator<"YieldOp">,
    HasParent<"::sawtooth::sweep::StepOp">]> {
  let summary = "a scalar program between passes: step-extent ops and `sweep.each`";
  let description = [{
    Uses values from above freely: they cross in the frame.
    ```mlir
    %r = sweep.scalar @entry {
      %s = sweep.get @s.scale : f32
      sweep.yield %s : f32
    } : f32
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$label);
  let results = (outs Variadic<Sweep_FrameValue>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$label $body attr-dict (`:` type($results)^)?";
  let hasVerifier = 1;
}

def Sweep_EachOp : Sweep_Op<"each", [HasParent<"::sawtooth::sweep::ScalarOp">,
    SingleBlockImplicitTerminator<"YieldOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs its body once for each tensor of a model";
  let description = [{
    Block arguments are the tensor's values of the operands. `sweep.get` and `sweep.set` of a
    per-tensor field mean the tensor's.
    ```mlir
    %rate = sweep.each over @model(%sum)
        : (!sweep.per_tensor<@model x f64>) -> !sweep.per_tensor<@model x f32> {
    ^bb0(%s: f64):
      %norm = math.sqrt %s : f64
      %r = arith.truncf %norm : f64 to f32
      sweep.yield %r : f32
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$model, Variadic<Sweep_PerTensor>:$inputs);
  let results = (outs Variadic<Sweep_PerTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `over` $model `(` $inputs `)` attr-dict `:` functional-type($inputs, $results) $body
  }];
  let hasVerifier = 1;
}

def Sweep_FoldOp : Sweep_Op<"fold", [Pure, HasParent<"::sawtooth::sweep::ScalarOp">]> {
  let summary = "combines per-tensor values to one, in the contract's order";
  let description = [{
    ```mlir
    %sum = sweep.fold add %sums : <@model x f64> -> f64
    ```
  }];
  let hasVerifier = 1;
  let arguments = (ins Amp_ReduceKind:$kind, Sweep_PerTensor:$value);
  let results = (outs AnyTypeOf<[F64, I1]>:$result);
  let assemblyFormat = "$kind $value attr-dict `:` type($value) `->` type($result)";
}

def Sweep_PassOp : Sweep_Op<"pass", [AttrSizedOperandSegments,
    SingleBlockImplicitTerminator<"LeaveOp">, HasParent<"::sawtooth::sweep::StepOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one pass over all elements of a model";
  let description = [{
    Block arguments are the elements of `reads`, then the tensor's values of `tensors`. The
    terminator `sweep.leave` gives the elements of `writes`, then the values to reduce. Results are
    the reductions: f64 or i1 over the step, `!sweep.per_tensor` over the tensor. Step values are
    used freely from above. With `when`, the pass runs only if the flag is true; otherwise its
    results are unspecified, and only what the flag gates may depend on them (LAMB's norms).
    `write_flags[i]` is the operand of `flags` that predicates write i, -1 for none.
    ```mlir
    %sum = sweep.pass over @model reads [@train.g] writes [] [] [#sweep.reduction<add over step>] {
    ^bb0(%g: f16):
      %x = arith.extf %g : f16 to f32
      %square = arith.mulf %x, %x : f32
      sweep.leave reduce(%square : f32)
    } : f64
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$model,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "symbols">:$reads,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "symbols">:$writes,
                       Variadic<Sweep_PerTensor>:$tensors, Optional<I1>:$gate,
                       Variadic<I1>:$flags, DenseI32ArrayAttr:$write_flags,
                       TypedArrayAttrBase<Sweep_ReductionAttr, "reductions">:$reductions,
                       OptionalAttr<DictArrayAttr>:$notes);
  let results = (outs Variadic<Sweep_FrameValue>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `over` $model `reads` $reads `writes` $writes (`tensors` `(` $tensors^ `:` type($tensors) `)`)?
    (`when` $gate^)? (`flags` `(` $flags^ `)`)? $write_flags $reductions $body attr-dict
    (`:` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Sweep_YieldOp : Sweep_Op<"yield", [Terminator, Pure, ParentOneOf<["ScalarOp", "EachOp"]>]> {
  let summary = "ends a scalar program or the body of sweep.each";
  let description = [{
    ```mlir
    sweep.yield %ok, %k : i1, f32
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[F32, F64, I1, I32, I64, Sweep_PerTensor]>>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), "">];
}

def Sweep_LeaveOp : Sweep_Op<"leave", [Terminator, Pure, AttrSizedOperandSegments,
    ParentOneOf<["PassOp"]>]> {
  let summary = "ends the body of a pass: what it writes, then what it reduces";
  let description = [{
    ```mlir
    sweep.leave write(%w1, %h1 : f32, f16) reduce(%square : f32)
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[F16, BF16, F32]>>:$writes,
                       Variadic<AnyTypeOf<[F32, I1]>>:$reduces);
  let assemblyFormat = [{
    (`write` `(` $writes^ `:` type($writes) `)`)?
    (`reduce` `(` $reduces^ `:` type($reduces) `)`)? attr-dict
  }];
  let builders = [OpBuilder<(ins), "">];
}

#endif // SAWTOOTH_SWEEP_OPS
