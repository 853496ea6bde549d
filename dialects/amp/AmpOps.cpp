// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Op definitions, and what a verifier can say from direct use-def chains, symbols and types.
#include "amp/Amp.h"

using namespace mlir;
using namespace sawtooth::amp;

#define GET_OP_CLASSES
#include "amp/AmpOps.cpp.inc"

LogicalResult StateOp::verify() { return success(); }
LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
LogicalResult PerTensorOp::verify() { return success(); }
LogicalResult PerTensorOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
LogicalResult ScalerOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
LogicalResult OptimizerOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
LogicalResult RuleOp::verifyRegions() { return success(); }
LogicalResult ReduceOp::verify() { return success(); }
LogicalResult StepOp::verifyRegions() { return success(); }
LogicalResult RunOp::verify() { return success(); }
LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
LogicalResult ScaleOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
LogicalResult UnscaleOp::verify() { return success(); }
LogicalResult UnscaleOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
LogicalResult IsFiniteOp::verify() { return success(); }
LogicalResult NormOp::verify() { return success(); }
LogicalResult ClipByNormOp::verify() { return success(); }
LogicalResult ClipByValueOp::verify() { return success(); }
LogicalResult ApplyOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
LogicalResult MapOp::verifyRegions() { return success(); }
LogicalResult CastOp::verify() { return success(); }
LogicalResult LeafOp::verify() { return success(); }
LogicalResult PackOp::verify() { return success(); }
LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
LogicalResult LogOp::verify() { return success(); }
LogicalResult UpdateOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
LogicalResult CommitOp::verify() { return success(); }
LogicalResult CommitOp::verifySymbolUses(SymbolTableCollection &) { return success(); }
