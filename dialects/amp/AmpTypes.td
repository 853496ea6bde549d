// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_AMP_TYPES
#define SAWTOOTH_AMP_TYPES

include "amp/AmpDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Amp_Type<string name, string typeMnemonic> : TypeDef<Amp_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Amp_TensorsType : Amp_Type<"Tensors", "tensors"> {
  let summary = "one value of `elementType` for each element (or each tensor) of a model";
  let description = [{
    A list: one buffer for each tensor of the model, any number, any shapes, one element type.
    Names and shapes come when the model is bound. With `per tensor`, one scalar for each tensor.

    ```mlir
    !weights = !amp.tensors<@model x f16>
    !counters = !amp.tensors<@model x i64 per tensor>
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$model, "::mlir::Type":$elementType,
                        DefaultValuedParameter<"bool", "false">:$perTensor);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Amp_NextType : Amp_Type<"Next", "next"> {
  let summary = "the state of an optimizer after this step";
  let description = [{
    What `amp.apply` computes for the state of the optimizer that it applies, to be committed (or
    not) as one.

    ```mlir
    !next = !amp.next<@opt>
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$optimizer);
  let assemblyFormat = "`<` $optimizer `>`";
}

// Storage types of list elements.
def Amp_Float : AnyTypeOf<[F16, BF16, F32], "f16, bf16 or f32">;
def Amp_Tensors : Type<CPred<"::llvm::isa<::sawtooth::amp::TensorsType>($_self)">,
                       "list of tensors", "::sawtooth::amp::TensorsType">;
def Amp_FloatTensors : Type<And<[Amp_Tensors.predicate,
    CPred<"::llvm::isa<::mlir::FloatType>("
          "::llvm::cast<::sawtooth::amp::TensorsType>($_self).getElementType())">]>,
    "list of floating-point tensors", "::sawtooth::amp::TensorsType">;
def Amp_Scalar : AnyTypeOf<[F32, F64, I1, I32, I64], "step value (f32, f64, i1, i32 or i64)">;
def Amp_Leaf : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">, "ranked tensor",
                    "::mlir::RankedTensorType">;

#endif // SAWTOOTH_AMP_TYPES
