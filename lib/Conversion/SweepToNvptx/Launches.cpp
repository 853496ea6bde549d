// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Launches.h"

using namespace mlir;
using namespace sawtooth;

namespace {

class Divider {
public:
  void add(Operation &op) {
    if (auto scalar = dyn_cast<sweep::ScalarOp>(op)) {
      // Behind passes it belongs to their last block, else to whatever comes next.
      (launch.passes.empty() ? launch.entry : launch.after).push_back(scalar);
    } else if (auto pass = dyn_cast<sweep::PassOp>(op)) {
      addPass(pass);
    } else {
      finish();
      launches.push_back(cast<sweep::ForwardOp>(op));
    }
  }

  /// Ends the launch at hand, if there is anything in it.
  void finish() {
    if (launch.passes.empty()) {
      // Programs alone: a block of their own.
      launch.after = std::move(launch.entry);
      launch.entry.clear();
    }
    if (!launch.passes.empty() || !launch.after.empty())
      launches.push_back(std::move(launch));
    launch = {};
  }

  SmallVector<std::variant<Launch, sweep::ForwardOp>> launches;

private:
  void addPass(sweep::PassOp pass) {
    // Passes of one level are over different models; a second one over the same model may read
    // what the first has written.
    bool again = llvm::any_of(launch.passes, [&](sweep::PassOp other) {
      return other.getModelAttr() == pass.getModelAttr();
    });
    // What walks over tensors is done once, not in each block.
    bool walks = launch.passes.empty() && llvm::any_of(launch.entry, walksTensors);
    if (!launch.after.empty() || again || walks)
      finish();
    launch.passes.push_back(pass);
  }

  Launch launch;
};

} // namespace

SmallVector<std::variant<Launch, sweep::ForwardOp>> sawtooth::divideStep(sweep::StepOp step) {
  Divider divider;
  for (Operation &op : step.getBody().front())
    divider.add(op);
  divider.finish();
  return std::move(divider.launches);
}
