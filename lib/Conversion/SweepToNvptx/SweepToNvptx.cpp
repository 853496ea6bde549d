// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Launches.h"

#include "../SweepToKernel/Kernels.h"
#include "DevicePass.h"
#include "sawtooth/Conversion/ForwardToKernel.h"
#include "sawtooth/Conversion/Passes.h"
#include "sawtooth/Conversion/PlanBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"

namespace sawtooth {
#define GEN_PASS_DEF_SWEEPTONVPTX
#include "sawtooth/Conversion/Passes.h.inc"
} // namespace sawtooth

using namespace mlir;
using namespace sawtooth;

namespace {

struct SweepToNvptx : sawtooth::impl::SweepToNvptxBase<SweepToNvptx> {
  using Base::Base;

  void runOnOperation() final;

private:
  FailureOr<StepPlan> lowerStep(const Layout &layout, const StepLayout &step);
  LogicalResult addLaunch(const KernelContext &context, Launch &launch, StepPlan &plan);
  LogicalResult addForward(const KernelContext &context, sweep::ForwardOp forward, StepPlan &plan);
  std::string kernelName(StringRef step);

  unsigned kernels = 0;
};

} // namespace

/// A name that PTX takes, and no other kernel of the module has.
std::string SweepToNvptx::kernelName(StringRef step) {
  std::string name = "sawtooth_";
  for (char letter : step)
    name += llvm::isAlnum(letter) ? letter : '_';
  return name + "_" + std::to_string(kernels++);
}

static std::string prefixOf(const KernelContext &context, const StepPlan &plan) {
  sweep::StepOp op = context.step.op;
  return (op.getSymName() + "." + Twine(plan.actions.size()) + "_").str();
}

LogicalResult SweepToNvptx::addLaunch(const KernelContext &context, Launch &launch,
                                      StepPlan &plan) {
  sweep::StepOp op = context.step.op;
  launch.kernel = kernelName(op.getSymName());
  launch.index = plan.launches.size();
  LaunchPlan row{launch.kernel, kBlockThreads, warpsPerRow(launch), 0, 0};
  if (failed(emitLaunch(context, launch, row.warpsPerRow)))
    return failure();
  auto addScalars = [&](ArrayRef<sweep::ScalarOp> programs) {
    for (sweep::ScalarOp program : programs) {
      ActionPlan action;
      action.function = prefixOf(context, plan) + program.getLabel().str();
      plan.actions.push_back(action);
    }
  };
  size_t before = plan.actions.size();
  addScalars(launch.entry);
  for (sweep::PassOp pass : launch.passes) {
    FailureOr<ActionPlan> action = planPass(pass, context.step, prefixOf(context, plan) + "pass");
    if (failed(action))
      return failure();
    plan.actions.push_back(*action);
  }
  addScalars(launch.after);
  row.actions = plan.actions.size() - before;
  plan.launches.push_back(row);
  return success();
}

LogicalResult SweepToNvptx::addForward(const KernelContext &context, sweep::ForwardOp forward,
                                       StepPlan &plan) {
  sweep::StepOp op = context.step.op;
  FailureOr<ForwardKernels> kernels =
      lowerForwardToThreads(forward, context.layout, context.step, prefixOf(context, plan),
                            [&] { return kernelName(op.getSymName()); });
  if (failed(kernels))
    return failure();
  plan.arenaBytes = std::max(plan.arenaBytes, kernels->arenaBytes);
  for (ParallelAction &parallel : kernels->actions) {
    ActionPlan action;
    action.kind = SAWTOOTH_PARALLEL;
    action.function = parallel.function;
    action.units = parallel.units;
    plan.actions.push_back(action);
    plan.launches.push_back({parallel.kernel, kBlockThreads, 0, 1, parallel.units});
  }
  return success();
}

FailureOr<StepPlan> SweepToNvptx::lowerStep(const Layout &layout, const StepLayout &step) {
  KernelContext context{getOperation(), layout, step, kDeviceWidth};
  StepPlan plan;
  auto launches = divideStep(step.op);
  for (auto [number, part] : llvm::enumerate(launches)) {
    if (auto *forward = std::get_if<sweep::ForwardOp>(&part)) {
      if (failed(addForward(context, *forward, plan)))
        return failure();
      continue;
    }
    auto &launch = std::get<Launch>(part);
    launch.last = number + 1 == launches.size();
    if (failed(addLaunch(context, launch, plan)))
      return failure();
  }
  return plan;
}

void SweepToNvptx::runOnOperation() {
  kernels = 0;
  if (failed(lowerSteps(getOperation(), "nvptx", [&](const Layout &layout, const StepLayout &step) {
        return lowerStep(layout, step);
      })))
    signalPassFailure();
}
