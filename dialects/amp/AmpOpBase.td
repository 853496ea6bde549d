// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_AMP_OP_BASE
#define SAWTOOTH_AMP_OP_BASE

include "amp/AmpAttrs.td"
include "amp/AmpTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Amp_Op<string mnemonic, list<Trait> traits = []> : Op<Amp_Dialect, mnemonic, traits>;

// Stands in the module.
class Amp_Declaration<string mnemonic, list<Trait> traits = []>
    : Amp_Op<mnemonic, traits # [Symbol, HasParent<"::mlir::ModuleOp">]>;

// Stands in a step; an Amp_ValueOp has no effect.
class Amp_StepBodyOp<string mnemonic, list<Trait> traits = []>
    : Amp_Op<mnemonic, traits # [HasParent<"::sawtooth::amp::StepOp">]>;
class Amp_ValueOp<string mnemonic, list<Trait> traits = []>
    : Amp_StepBodyOp<mnemonic, traits # [Pure]>;

#endif // SAWTOOTH_AMP_OP_BASE
