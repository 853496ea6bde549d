// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_SWEEP_ENUMS
#define SAWTOOTH_SWEEP_ENUMS

include "mlir/IR/EnumAttr.td"

def Sweep_ListKind : I32EnumAttr<"ListKind", "who owns a list", [
    I32EnumAttrCase<"State", 0, "state">, I32EnumAttrCase<"Argument", 1, "argument">,
    I32EnumAttrCase<"Scratch", 2, "scratch">]> {
  let cppNamespace = "::sawtooth::sweep";
}

def Sweep_FieldKind : I32EnumAttr<"FieldKind", "who writes a field", [
    I32EnumAttrCase<"State", 0, "state">, I32EnumAttrCase<"Parameter", 1, "parameter">,
    I32EnumAttrCase<"Counter", 2, "counter">]> {
  let cppNamespace = "::sawtooth::sweep";
}

#endif // SAWTOOTH_SWEEP_ENUMS
