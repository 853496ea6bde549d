// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The outlined forward and backward part: a call, with the leaves that it takes and the packs that
// take its results.
#include "Lowering.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::amptosweep;

LogicalResult StepLowering::lower(func::CallOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> inputs;
  SmallVector<Attribute> leafLists, leafNames, packLists, packNames;
  for (Value operand : op.getOperands()) {
    if (auto leaf = operand.getDefiningOp<amp::LeafOp>()) {
      FlatSymbolRefAttr list = plainLists.lookup(leaf.getList());
      if (!list)
        return leaf.emitOpError("expected a leaf of a state or argument as it stands, got one of a "
                                "computed list");
      leafLists.push_back(list);
      leafNames.push_back(leaf.getNameAttr());
      continue;
    }
    if (!inputs.emplace_back(lookup(operand, op)))
      return failure();
  }
  // Packed tensors come first among the results, one pack each.
  SmallVector<Value> scalarResults;
  SmallVector<Type> resultTypes;
  for (Value result : op.getResults()) {
    SmallVector<OpOperand *> packs;
    for (OpOperand &use : result.getUses())
      if (isa<amp::PackOp>(use.getOwner()))
        packs.push_back(&use);
    if (packs.empty()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !type.hasStaticShape() || type.getNumElements() != 1)
        return op.emitOpError() << "expected result " << scalarResults.size() + packLists.size()
                                << " to be packed or of one element, got " << result.getType();
      scalarResults.push_back(result);
      resultTypes.push_back(type.getElementType());
      continue;
    }
    if (!scalarResults.empty() || packs.size() != 1)
      return op.emitOpError("expected packed results first, each for one amp.pack");
    auto pack = cast<amp::PackOp>(packs.front()->getOwner());
    FlatSymbolRefAttr &list = plainLists[pack.getResult()];
    if (!list) {
      module.builder.setInsertionPoint(target);
      auto type = cast<amp::TensorsType>(pack.getType());
      StringRef name = type.getModel().getValue();
      std::string base = (step.getSymName() + "." + name + ".packed").str();
      std::string symbol = module.uniqueSymbol(base);
      // What a step packs, its backward part has made. ".1" and so on tell further ones apart.
      std::string label = "gradients of " + name.str() + symbol.substr(base.size());
      if (!module.declareList(pack.getLoc(), sweep::ListKind::Scratch, symbol, type, label, {}, {},
                              FlatSymbolRefAttr::get(step.getSymNameAttr())))
        return failure();
      list = FlatSymbolRefAttr::get(op.getContext(), symbol);
    }
    packLists.push_back(list);
    packNames.push_back(pack.getNames()[packs.front()->getOperandNumber()]);
  }
  auto forward =
      sweep::ForwardOp::create(builder, loc, resultTypes, op.getCalleeAttr(), inputs,
                               builder.getArrayAttr(leafLists), builder.getArrayAttr(leafNames),
                               builder.getArrayAttr(packLists), builder.getArrayAttr(packNames));
  for (auto [result, scalar] : llvm::zip(scalarResults, forward.getResults()))
    scalars.map(result, scalar);
  return success();
}

LogicalResult StepLowering::lower(tensor::ExtractOp op) {
  // The tensors that are left in a step are the call's results, of one element each.
  Value scalar = lookup(op.getTensor(), op);
  if (!scalar || isa<RankedTensorType>(scalar.getType()))
    return scalar ? op.emitOpError("expected a result of the outlined part") : failure();
  scalars.map(op.getResult(), scalar);
  return success();
}
