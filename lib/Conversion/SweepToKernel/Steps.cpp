// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What every lowering of cut steps checks before and clears away behind.
#include "Kernels.h"

using namespace mlir;
using namespace sawtooth;

FailureOr<uint64_t> sawtooth::gateOffset(sweep::PassOp pass, const StepLayout &step) {
  auto it = step.values.find(pass.getGate());
  if (it == step.values.end())
    return pass.emitOpError("expected a result of a scalar program as the flag of a pass, got an "
                            "argument of the step");
  return it->second;
}

LogicalResult sawtooth::checkFolded(sweep::StepOp step) {
  llvm::SmallPtrSet<Operation *, 4> unfolded;
  for (Operation &op : step.getBody().front()) {
    if (isa<sweep::ScalarOp>(op)) {
      unfolded.clear();
      continue;
    }
    WalkResult result = op.walk([&](Operation *user) {
      for (Value operand : user->getOperands())
        if (Operation *pass = operand.getDefiningOp(); pass && unfolded.contains(pass)) {
          op.emitOpError("expected a scalar program between a pass and the use of its results");
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    if (isa<sweep::PassOp>(op))
      unfolded.insert(&op);
  }
  return success();
}

void sawtooth::eraseSteps(ModuleOp module) {
  SmallVector<Operation *> done;
  for (sweep::StepOp step : module.getOps<sweep::StepOp>())
    step.walk([&](sweep::ForwardOp forward) {
      Operation *callee = SymbolTable::lookupSymbolIn(module, forward.getCalleeAttr());
      if (!llvm::is_contained(done, callee))
        done.push_back(callee);
    });
  for (Operation &op : *module.getBody())
    if (isa<amp::AmpDialect, sweep::SweepDialect>(op.getDialect()))
      done.push_back(&op);
  for (Operation *op : done)
    op->erase();
}
