// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_AMP_DECLARATION_OPS
#define SAWTOOTH_AMP_DECLARATION_OPS

include "amp/AmpOpBase.td"

// What outlives a step.

def Amp_ModelOp : Amp_Declaration<"model"> {
  let summary = "declares the tensors that are trained together";
  let description = [{
    A model is a name for tensors that belong together: every list of the model has one buffer for
    each of them. Names and shapes come from `amp.leaf` and `amp.pack`, or else from the first list
    that is bound. Tensors are numbered by the byte order of their names.

    ```mlir
    amp.model @net
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let assemblyFormat = "$sym_name attr-dict";
}

def Amp_StateOp : Amp_Declaration<"state", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declares a list or scalar that outlives a step";
  let description = [{
    State is a list, a list of one value per tensor, or a scalar (f32, f64, i1, i32, i64). It has an
    initial value or is the copy of another state:

    | initial value | meaning |
    |---|---|
    | a constant | every element; it must fit the element type |
    | `required` | none: the list must be bound (lists only) |
    | `cast @other` | the elements of another list of the model, rounded once (lists only) |
    | `#amp.uniform<fan_in>`, `#amp.normal<std = …>` | random (lists only) |
    | `["glob" = value, …]` | by name of the tensor, the first glob that matches (lists only) |

    Random elements are keyed by the run's seed, the state, the tensor's name and the element. One
    of the globs must match.

    `copy_of @w` names a list that commits write. Every commit to it writes this one too, rounded to
    nearest even, under the same flag; nothing else may. Unbound, it starts as the cast of its
    source. `scaled_by` lists the scalers whose loss scale the stored values carry.

    Verified: the type; one of initial value and `copy_of`; constants that fit; names of declared
    models, states and scalers; no circle of casts.

    ```mlir
    amp.state @master : !amp.tensors<@model x f32> = required
    amp.state @weights : !amp.tensors<@model x f16> copy_of @master
    amp.state @sum : !amp.tensors<@model x f32> = 0.0 scaled_by [@s]
    amp.state @start : !amp.tensors<@model x f32> = ["*.bias" = 0.0, "*" = #amp.uniform<fan_in>]
    amp.state @calls : !amp.tensors<@model x i64 per tensor> = 0
    amp.state @best : f32 = 0.0
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, OptionalAttr<AnyAttr>:$init,
                       OptionalAttr<FlatSymbolRefAttr>:$copy_of,
                       OptionalAttr<ArrayAttr>:$scaled_by);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Amp_PerTensorOp
    : Amp_Declaration<"per_tensor", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declares a parameter with one value for each tensor, chosen by name";
  let description = [{
    Values are f64 or i64, set by glob over the tensors' names: the first that matches, in the order
    written, wins, and one must match. They are a field that can be set at run time.

    Verified: at least one glob, no empty one; constants of the type; a declared model.

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
    The policy is a rule, built in (`@pytorch`, `@static`, `@disabled`) or the user's own;
    `amp-link` finds it by name. The dictionary sets parameters of the policy and initial values of
    its state, by their names or `as` names; `init` is the initial loss scale. What is not set has
    the rule's default. Everything but static parameters can be set at run time.

    Verified, once the policy is there: every key names something, no two of them the same thing,
    every value is a constant of its type.

    ```mlir
    amp.scaler @scaler by @pytorch {init = 65536.0, growth_interval = 2000}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$policy,
                       DefaultValuedAttr<DictionaryAttr, "{}">:$params);
  let assemblyFormat = "$sym_name `by` $policy custom<Settings>($params) attr-dict";
}

def Amp_OptimizerOp
    : Amp_Declaration<"optimizer", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "declares an optimizer: an instance of a rule, with its state, over a model";
  let description = [{
    The rule is built in (`@sgd`, `@adam`, `@adamw`, `@lion`, `@lamb`) or the user's own; `amp-link`
    finds it by name. The dictionary sets parameters of the rule to a constant or to the name of an
    `amp.per_tensor`, and initial values of its state. A parameter that has no value here and no
    default comes from `hyper` of every `amp.apply`. `counter = "tensor"` keeps the rule's per-step
    state once for each tensor.

    State is called after the optimizer and the rule's names: `opt.m`, `opt.t`. State that the rule,
    with the static parameters set here folded into it, neither reads nor changes does not exist.

    Verified, once the rule is there: as `amp.scaler`; a per-tensor value has the parameter's type
    and is over the optimizer's model, and makes no per-step state differ between tensors.

    ```mlir
    amp.per_tensor @decay : f64 over @model ["*.bias" = 0.0, "*" = 0.01]
    amp.optimizer @adamw_opt by @adamw over @model {beta1 = 0.9, weight_decay = @decay}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$rule, FlatSymbolRefAttr:$model,
                       DefaultValuedAttr<DictionaryAttr, "{}">:$params);
  let assemblyFormat = "$sym_name `by` $rule `over` $model custom<Settings>($params) attr-dict";
}

def Amp_ImportOp : Amp_Op<"import", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "reads a file of rules or layers, relative to the file it stands in";
  let description = [{
    The path is relative to the file that holds the import. The file may hold rules, functions and
    imports; what the module names of it is cloned in by `amp-link`. A definition of the module's
    own goes before an imported one, an imported one before a built-in one.

    ```mlir
    amp.import "my_rules.mlir"
    ```
  }];
  let arguments = (ins StrAttr:$path);
  let assemblyFormat = "$path attr-dict";
}

#endif // SAWTOOTH_AMP_DECLARATION_OPS
