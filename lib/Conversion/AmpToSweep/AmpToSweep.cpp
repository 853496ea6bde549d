// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// amp-to-sweep: steps become flat blocks of scalars, state becomes lists and fields.
#include "Lowering.h"

#include "sawtooth/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::amptosweep;

namespace sawtooth {
#define GEN_PASS_DEF_AMPTOSWEEP
#include "sawtooth/Conversion/Passes.h.inc"
} // namespace sawtooth

/// Lists become symbols of the module, scalars and tensors stay arguments.
LogicalResult StepLowering::declareArguments() {
  module.builder.setInsertionPoint(step);
  Block &body = step.getBody().front();
  auto symbol = FlatSymbolRefAttr::get(step.getSymNameAttr());
  SmallVector<Type> types;
  SmallVector<Attribute> attrs;
  SmallVector<BlockArgument> kept;
  for (BlockArgument argument : body.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto type = dyn_cast<amp::TensorsType>(argument.getType());
    if (!type) {
      types.push_back(argument.getType());
      DictionaryAttr dictionary = step.getArgAttrDict(index);
      attrs.push_back(dictionary ? dictionary : builder.getDictionaryAttr({}));
      kept.push_back(argument);
      continue;
    }
    std::string label = step.getArgumentName(index);
    if (type.getPerTensor())
      return step.emitOpError() << "expected argument '" << label
                                << "' to be a list of elements, a scalar or a tensor, got " << type;
    std::string name = module.uniqueSymbol((step.getSymName() + "." + label).str());
    if (!module.declareList(argument.getLoc(), sweep::ListKind::Argument, name, type, label, {}, {},
                            symbol))
      return failure();
    plainLists[argument] = FlatSymbolRefAttr::get(step.getContext(), name);
  }
  OperationState state(step.getLoc(), sweep::StepOp::getOperationName());
  state.addAttribute(SymbolTable::getSymbolAttrName(), step.getSymNameAttr());
  state.addAttribute("function_type", TypeAttr::get(builder.getFunctionType(types, {})));
  if (!attrs.empty())
    state.addAttribute("arg_attrs", builder.getArrayAttr(attrs));
  Block *block = &state.addRegion()->emplaceBlock();
  for (BlockArgument argument : kept)
    scalars.map(argument, block->addArgument(argument.getType(), argument.getLoc()));
  target = cast<sweep::StepOp>(module.builder.create(state));
  builder.setInsertionPointToStart(&target.getBody().front());
  for (BlockArgument argument : body.getArguments())
    if (FlatSymbolRefAttr list = plainLists.lookup(argument))
      scalars.map(argument, sweep::ElementOp::create(
                                builder, argument.getLoc(),
                                cast<amp::TensorsType>(argument.getType()).getElementType(), list)
                                .getResult());
  return success();
}

LogicalResult StepLowering::lowerOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<amp::ReadOp, amp::ScaleOp, amp::UnscaleOp, amp::ClipByNormOp, amp::ClipByValueOp,
            amp::CastOp, amp::MapOp, amp::ApplyOp, amp::IsFiniteOp, amp::NormOp, amp::CommitOp,
            amp::UpdateOp, amp::LogOp, func::CallOp, tensor::ExtractOp>(
          [&](auto typed) { return lower(typed); })
      // A leaf is named by the call that takes it.
      .Case([](amp::LeafOp) { return success(); })
      .Case([&](amp::PackOp pack) -> LogicalResult {
        FlatSymbolRefAttr list = plainLists.lookup(pack.getResult());
        if (!list || !llvm::all_of(pack.getTensors(), [](Value tensor) {
              return isa_and_nonnull<func::CallOp>(tensor.getDefiningOp());
            }))
          return pack.emitOpError("expected tensors that the outlined part returns");
        scalars.map(
            pack.getResult(),
            sweep::ElementOp::create(builder, pack.getLoc(),
                                     cast<amp::TensorsType>(pack.getType()).getElementType(), list)
                .getResult());
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        // Constants for index operands of tensor.extract and the like.
        if (isOpTriviallyDead(other) || llvm::all_of(other->getUsers(), [](Operation *user) {
              return isa<tensor::ExtractOp>(user);
            }))
          return success();
        return failed(lookupAll(other->getOperands(), other)) ||
                       failed(cloneScalarOp(builder, *other, scalars))
                   ? failure()
                   : success();
      });
}

LogicalResult StepLowering::run() {
  for (StringRef counter :
       {"attempted", "applied", "skipped", "consecutive_skips", "calibration_skips"}) {
    module.builder.setInsertionPoint(step);
    if (!module.declareField(step.getLoc(), sweep::FieldKind::Counter,
                             (step.getSymName() + "." + counter).str(), builder.getI64Type(),
                             builder.getI64IntegerAttr(0)))
      return failure();
  }
  if (failed(declareArguments()))
    return failure();
  for (Operation &op : step.getBody().front())
    if (failed(lowerOp(op)))
      return failure();
  if (failed(writeCounters()))
    return failure();
  target.setCommits(commits);
  return success();
}

namespace {
struct AmpToSweep : sawtooth::impl::AmpToSweepBase<AmpToSweep> {
  void runOnOperation() final {
    if (failed(ModuleLowering(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
