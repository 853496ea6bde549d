// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_AMP_ENUMS
#define SAWTOOTH_AMP_ENUMS

include "mlir/IR/EnumAttr.td"

def Amp_Extent : I32EnumAttr<"Extent", "how often a value exists", [
    I32EnumAttrCase<"Step", 0, "step">, I32EnumAttrCase<"Tensor", 1, "tensor">,
    I32EnumAttrCase<"Element", 2, "element">]> {
  let cppNamespace = "::sawtooth::amp";
}

def Amp_Role : I32EnumAttr<"Role", "what a policy's field means to the runtime", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Scale", 1, "scale">,
    I32EnumAttrCase<"Skipped", 2, "skipped">,
    I32EnumAttrCase<"ConsecutiveSkips", 3, "consecutive_skips">,
    I32EnumAttrCase<"Stuck", 4, "stuck">]> {
  let cppNamespace = "::sawtooth::amp";
}

def Amp_RuleKind : I32EnumAttr<"RuleKind", "what a rule is for", [
    I32EnumAttrCase<"Optimizer", 0, "optimizer">, I32EnumAttrCase<"Policy", 1, "policy">]> {
  let cppNamespace = "::sawtooth::amp";
}

def Amp_LogReduce : I32EnumAttr<"LogReduce", "how an evaluation combines its batches", [
    I32EnumAttrCase<"Last", 0, "last">, I32EnumAttrCase<"Mean", 1, "mean">,
    I32EnumAttrCase<"Sum", 2, "sum">, I32EnumAttrCase<"Max", 3, "max">,
    I32EnumAttrCase<"Min", 4, "min">]> {
  let cppNamespace = "::sawtooth::amp";
}

def Amp_ReduceKind : I32EnumAttr<"ReduceKind", "how values are combined", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Or", 1, "or">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Max", 3, "max">]> {
  let cppNamespace = "::sawtooth::amp";
}

#endif // SAWTOOTH_AMP_ENUMS
