// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Conversion/ForwardToKernel.h"

#include "../SweepToNvptx/DeviceBuilder.h"
#include "LoopNest.h"
#include "Places.h"
#include "sawtooth/Transforms/ForwardNormalForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sawtooth;

namespace {
/// Emits the function of one linalg.generic.
class ForwardKernel {
public:
  ForwardKernel(OpBuilder &builder, Value ctx, linalg::GenericOp op, const ForwardPlaces &places)
      : builder(builder), op(op), places(places), abi(builder, op.getLoc(), ctx) {}

  /// Hands the addresses of operands and results to `emitNest`, which emits the loops.
  void emit(llvm::function_ref<void(ArrayRef<ForwardOperand>, ArrayRef<Value>, const IRMapping &)>
                emitNest) {
    captureScalars();
    SmallVector<ForwardOperand> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operandOf(lookThroughReshapes(operand)));
    SmallVector<Value> results;
    for (Value result : op.getResults())
      results.push_back(places.of(result).emit(abi));
    emitNest(operands, results, captured);
    func::ReturnOp::create(builder, op.getLoc());
  }

private:
  /// A scalar of the function around the op: a constant, or an argument.
  Value scalarOf(Value value) {
    if (Value known = captured.lookupOrNull(value))
      return known;
    Operation *constant = value.getDefiningOp();
    Value copy = constant ? builder.clone(*constant)->getResult(0)
                          : abi.load(value.getType(), places.of(value).emit(abi));
    captured.map(value, copy);
    return copy;
  }

  void captureScalars() {
    op->walk([&](Operation *inner) {
      if (inner == op)
        return;
      for (Value operand : inner->getOperands())
        if (operand.getParentRegion() != &op.getRegion())
          scalarOf(operand);
    });
  }

  ForwardOperand operandOf(Value root) {
    if (!isa<TensorType>(root.getType()))
      return {Value(), scalarOf(root)};
    if (auto fill = root.getDefiningOp<linalg::FillOp>())
      return {Value(), scalarOf(fill.getInputs()[0])};
    if (root.getDefiningOp<tensor::EmptyOp>())
      return {}; // never read
    return {places.of(root).emit(abi), Value()};
  }

  OpBuilder &builder;
  linalg::GenericOp op;
  const ForwardPlaces &places;
  KernelAbi abi;
  IRMapping captured;
};
} // namespace

/// Runs `emitKernel` on every op of the callee that has something to do.
static FailureOr<ForwardKernels>
lowerGenerics(sweep::ForwardOp op, const Layout &layout, const StepLayout &step,
              llvm::function_ref<void(linalg::GenericOp, const ForwardPlaces &, ForwardKernels &)>
                  emitKernel) {
  auto module = op->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<func::FuncOp>(op.getCalleeAttr());
  if (!callee)
    return op.emitError() << "expected " << op.getCalleeAttr() << " to be a function";
  if (failed(verifyForwardNormalForm(callee)))
    return failure();
  FailureOr<ForwardPlaces> places = ForwardPlaces::compute(op, callee, layout, step);
  if (failed(places))
    return failure();
  ForwardKernels kernels;
  kernels.arenaBytes = places->arenaBytes();
  for (auto generic : callee.getBody().getOps<linalg::GenericOp>())
    emitKernel(generic, *places, kernels);
  return kernels;
}

FailureOr<ForwardKernels> sawtooth::lowerForward(sweep::ForwardOp op, const Layout &layout,
                                                 const StepLayout &step, StringRef prefix,
                                                 unsigned width) {
  OpBuilder builder(op.getContext());
  return lowerGenerics(
      op, layout, step,
      [&](linalg::GenericOp generic, const ForwardPlaces &places, ForwardKernels &kernels) {
        LoopSchedule schedule = scheduleLoops(generic, width);
        if (schedule.units == 0)
          return; // no element
        std::string name = (prefix + "forward." + Twine(kernels.actions.size())).str();
        func::FuncOp kernel =
            createKernel(builder, op->getParentOfType<ModuleOp>(), generic.getLoc(), name);
        ForwardKernel(builder, kernel.getArgument(0), generic, places)
            .emit([&](ArrayRef<ForwardOperand> operands, ArrayRef<Value> results,
                      const IRMapping &captured) {
              emitLoops(builder, generic, schedule, width, operands, results, captured,
                        kernel.getArgument(1), kernel.getArgument(2));
            });
        kernels.actions.push_back({name, "", schedule.units});
      });
}

FailureOr<ForwardKernels>
sawtooth::lowerForwardToThreads(sweep::ForwardOp op, const Layout &layout, const StepLayout &step,
                                StringRef prefix, llvm::function_ref<std::string()> kernelName) {
  OpBuilder builder(op.getContext());
  return lowerGenerics(
      op, layout, step,
      [&](linalg::GenericOp generic, const ForwardPlaces &places, ForwardKernels &kernels) {
        uint64_t units = countThreads(generic);
        if (units == 0)
          return; // no element
        std::string name = (prefix + "forward." + Twine(kernels.actions.size())).str();
        std::string symbol = kernelName();
        func::FuncOp kernel =
            createDeviceFunction(builder, op->getParentOfType<ModuleOp>(), generic.getLoc(), symbol,
                                 {globalPointer(builder.getContext())}, {}, /*kernel=*/true);
        ForwardKernel(builder, kernel.getArgument(0), generic, places)
            .emit([&](ArrayRef<ForwardOperand> operands, ArrayRef<Value> results,
                      const IRMapping &captured) {
              emitThreads(builder, generic, operands, results, captured);
            });
        kernels.actions.push_back({name, symbol, units});
      });
}
