// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The amp dialect: types, attributes and ops of a mixed-precision training step.
#ifndef SAWTOOTH_AMP_AMP_H
#define SAWTOOTH_AMP_AMP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "amp/AmpDialect.h.inc"
#include "amp/AmpEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "amp/AmpTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "amp/AmpAttrs.h.inc"

#define GET_OP_CLASSES
#include "amp/AmpOps.h.inc"

namespace sawtooth::amp {
/// Argument attributes of amp.step.
inline constexpr llvm::StringLiteral kNameAttr = "amp.name";
inline constexpr llvm::StringLiteral kDefaultAttr = "amp.default";
inline constexpr llvm::StringLiteral kScaledByAttr = "amp.scaled_by";
inline constexpr llvm::StringLiteral kBatchAttr = "amp.batch";
/// On amp.pack: the scalers whose loss scale the tensors carry.
inline constexpr llvm::StringLiteral kPackScaledByAttr = "scaled_by";
/// On a linalg op: "any" gives up the order and the f32 of its sums.
inline constexpr llvm::StringLiteral kAccumulateAttr = "amp.accumulate";
} // namespace sawtooth::amp

#endif // SAWTOOTH_AMP_AMP_H
