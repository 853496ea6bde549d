// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_AMP_ATTRS
#define SAWTOOTH_AMP_ATTRS

include "amp/AmpDialect.td"
include "amp/AmpEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Amp_Attr<string name, string attrMnemonic> : AttrDef<Amp_Dialect, name> {
  let mnemonic = attrMnemonic;
}

//===------------------------------------------------------------------------------------------===//
// Initial values of state
//===------------------------------------------------------------------------------------------===//

def Amp_RequiredAttr : Amp_Attr<"Required", "required"> {
  let summary = "no initial value: the state must be bound";
}
def Amp_CastAttr : Amp_Attr<"Cast", "cast"> {
  let summary = "the elements of another state, converted";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$source);
  let assemblyFormat = "`<` $source `>`";
}
def Amp_UniformAttr : Amp_Attr<"Uniform", "uniform"> {
  let summary = "uniform in [-b, b) with b = 1/sqrt(fan_in), fan_in the product of all dimensions "
                "but the last";
  let parameters = (ins);
  let assemblyFormat = "`<` `fan_in` `>`";
}
def Amp_NormalAttr : Amp_Attr<"Normal", "normal"> {
  let summary = "normal with mean 0 and the given standard deviation";
  let parameters = (ins "::mlir::FloatAttr":$std);
  let hasCustomAssemblyFormat = 1;
}
def Amp_PatternsAttr : Amp_Attr<"Patterns", "patterns"> {
  let summary = "values by name pattern: the first glob in the order written that matches wins";
  let description = [{
    A glob covers the whole name; `*` crosses dots, `?` is one character. No match is an error.
    Written as `["*.bias" = 0.0, "*" = 0.01]` in ops, `#amp.patterns<...>` elsewhere.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$globs,
                        ArrayRefParameter<"::mlir::Attribute">:$values);
  let hasCustomAssemblyFormat = 1;
}

//===------------------------------------------------------------------------------------------===//
// What a rule declares
//===------------------------------------------------------------------------------------------===//

def Amp_ParamAttr : Amp_Attr<"Param", "param"> {
  let summary = "a parameter of a rule: a run-time field, or folded when `static`";
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::Type":$type,
                        OptionalParameter<"::mlir::TypedAttr">:$defaultValue,
                        OptionalParameter<"::mlir::StringAttr">:$alias,
                        DefaultValuedParameter<"bool", "false">:$isStatic);
  let assemblyFormat = "`<` struct(params) `>`";
}
def Amp_FieldAttr : Amp_Attr<"Field", "field"> {
  let summary = "a state of a rule: type, extent, initial value, key in checkpoints, role";
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::Type":$type,
                        EnumParameter<Amp_Extent>:$extent,
                        "::mlir::TypedAttr":$initial,
                        OptionalParameter<"::mlir::StringAttr">:$alias,
                        DefaultValuedParameter<"::sawtooth::amp::Role",
                                               "::sawtooth::amp::Role::None">:$role);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // SAWTOOTH_AMP_ATTRS
