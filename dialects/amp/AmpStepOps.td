// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_AMP_STEP_OPS
#define SAWTOOTH_AMP_STEP_OPS

include "amp/AmpOpBase.td"

// Steps and programs.

def Amp_StepOp : Amp_Declaration<"step", [IsolatedFromAbove, NoTerminator, SingleBlock,
    FunctionOpInterface, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one transaction: values until its commits";
  let description = [{
    Arguments are lists (bound by the caller, read-only), scalars, or tensors. Reads see the state
    at entry. Commits and updates are the only writers; either all commits under a flag happen or
    none. A step without commits evaluates. Between leaves and packs a step may hold a forward and
    backward pass in linalg, tensor, arith and math.

    | attribute of an argument | meaning |
    |---|---|
    | `amp.scaled_by = [@s]` | the values carry the loss scale of @s |
    | `amp.default = 1.0e-3` | a scalar's value when the caller gives none |
    | `amp.batch = "images"` | a tensor's first dimension is the batch, fed by `run --data` |
    | `amp.name = "lr"` | the name by which it is bound; what is written after % unless given |

    Verified: types and attributes of arguments, names that occur once; that nothing reads state or
    scale behind the first commit or update; each state, scaler and key written once; shapes of
    leaves and packs that agree; sums in f32 (`linalg` results of 16 bits only with
    `{amp.accumulate = "any"}`); and, where direct chains of values make it certain: no value
    unscaled twice, clipped, applied or committed with a loss scale that does not belong there; no
    commit under a flag that ignores the norm its value was clipped by.

    ```mlir
    amp.step @train(%g: !half {amp.scaled_by = [@s]}, %lr: f64 {amp.default = 1.0e-3}) {
      %w = amp.read @w : !full
      %u = amp.unscale %g by @s : !half -> !full
      %ok = amp.is_finite %u : !full
      %w1, %o1 = amp.apply @opt(%w, %u) hyper(lr = %lr) : (!full, !full) -> (!full)
      amp.update @s, %ok
      amp.commit %w1 to @w, %o1 to @opt when %ok : !full, !amp.next<@opt>
    }
    ```
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
    Holds `amp.run` and `amp.repeat` only. Each run of a step is a transaction of its own.

    ```mlir
    amp.step @accumulate() {}
    amp.step @train() {}
    amp.program @epoch {
      amp.repeat 3 {
        amp.run @accumulate
      }
      amp.run @train
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Amp_RepeatOp : Amp_Op<"repeat", [NoTerminator, SingleBlock,
                                     ParentOneOf<["ProgramOp", "RepeatOp"]>]> {
  let summary = "runs its body several times";
  let description = [{
    The count is at least 1.

    ```mlir
    amp.step @tick() {}
    amp.program @thrice {
      amp.repeat 3 {
        amp.run @tick
      }
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$count);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$count attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Amp_RunOp : Amp_Op<"run", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a step (in a program), or gives a run's defaults (in the module)";
  let description = [{
    In a program it names a step. In the module, at most once, it gives what `sawtooth run` takes
    when its flags say nothing: `batch`, `epochs`, `seed`, and the step to evaluate after an epoch.

    ```mlir
    amp.step @test() {}
    amp.run {batch = 64, epochs = 30, seed = 0, eval = @test}
    ```
  }];
  let arguments = (ins OptionalAttr<FlatSymbolRefAttr>:$step, OptionalAttr<I64Attr>:$batch,
                       OptionalAttr<I64Attr>:$epochs, OptionalAttr<I64Attr>:$seed,
                       OptionalAttr<FlatSymbolRefAttr>:$eval);
  let assemblyFormat = "($step^)? attr-dict";
  let hasVerifier = 1;
}

#endif // SAWTOOTH_AMP_STEP_OPS
