// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_AMP_EFFECT_OPS
#define SAWTOOTH_AMP_EFFECT_OPS

include "amp/AmpOpBase.td"

// What a step leaves behind.

def Amp_LogOp : Amp_StepBodyOp<"log"> {
  let summary = "hands a step value to the host through the status ring";
  let description = [{
    The value is a scalar or a tensor of one element. `reduce` (last, mean, sum, max or min) is how
    an evaluation combines its batches, weighted by examples. Logging waits for nobody.

    Verified: a key that occurs once in the step; one element.

    ```mlir
    %n = amp.norm %u : !full
    amp.log "norm", %n reduce(max) : f64
    ```
  }];
  let arguments = (ins StrAttr:$key, AnyTypeOf<[Amp_Scalar, Amp_Leaf]>:$value,
                       DefaultValuedAttr<Amp_LogReduce,
                                         "::sawtooth::amp::LogReduce::Last">:$reduce);
  let assemblyFormat = "$key `,` $value (`reduce` `(` $reduce^ `)`)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Amp_UpdateOp : Amp_StepBodyOp<"update", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a scaler's policy on the step's flag";
  let description = [{
    The policy sees its state at entry and the flag; its new state is written whatever the flag is.

    Verified: a declared scaler, updated once in the step.

    ```mlir
    amp.update @s, %ok
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$scaler, I1:$flag);
  let assemblyFormat = "$scaler `,` $flag attr-dict";
}

def Amp_CommitOp : Amp_StepBodyOp<"commit", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "writes values to states when the flag is true, or always";
  let description = [{
    A commit says `when` with a flag, or `always`. All commits of a step happen together, after
    everything was computed; skipped, they leave every byte as it was. A state that is a copy of
    another follows it.

    Verified: a declared state or optimizer for each value and its very type (`amp.cast` converts),
    each once in a step; no copy, no scaler; `when` or `always`, not both; the state's scale, and a
    flag that covers the norms of clips, as far as chains tell.

    ```mlir
    %zero = amp.map() : () -> !full {
      %z = arith.constant 0.0 : f32
      amp.yield %z : f32
    }
    amp.commit %zero to @w always : !full
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Amp_Tensors, Amp_Scalar, Amp_NextType]>>:$values,
                       ArrayAttr:$states, Optional<I1>:$flag, UnitAttr:$always);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // SAWTOOTH_AMP_EFFECT_OPS
