// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Conversion/ForwardToKernel.h"

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
  ForwardKernel(OpBuilder &builder, func::FuncOp kernel, linalg::GenericOp op,
                const ForwardPlaces &places)
      : builder(builder), op(op), places(places), abi(builder, op.getLoc(), kernel.getArgument(0)),
        begin(kernel.getArgument(1)), end(kernel.getArgument(2)) {}

  void emit(const LoopSchedule &schedule, unsigned width) {
    captureScalars();
    SmallVector<ForwardOperand> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operandOf(lookThroughReshapes(operand)));
    SmallVector<Value> results;
    for (Value result : op.getResults())
      results.push_back(places.of(result).emit(abi));
    emitLoops(builder, op, schedule, width, operands, results, captured, begin, end);
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
  Value begin, end;
  IRMapping captured;
};
} // namespace

FailureOr<ForwardKernels> sawtooth::lowerForward(sweep::ForwardOp op, const Layout &layout,
                                                 const StepLayout &step, StringRef prefix,
                                                 unsigned width) {
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
  OpBuilder builder(op.getContext());
  for (auto generic : callee.getBody().getOps<linalg::GenericOp>()) {
    LoopSchedule schedule = scheduleLoops(generic, width);
    if (schedule.units == 0)
      continue; // no element
    std::string name = (prefix + "forward." + Twine(kernels.actions.size())).str();
    func::FuncOp kernel = createKernel(builder, module, generic.getLoc(), name);
    ForwardKernel(builder, kernel, generic, *places).emit(schedule, width);
    kernels.actions.push_back({name, schedule.units});
  }
  return kernels;
}
