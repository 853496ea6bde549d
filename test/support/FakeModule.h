// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two modules as a compiler would hand them out, with plans and code by hand, so that runtime and
// tool are tested without one.
#ifndef SAWTOOTH_TEST_SUPPORT_FAKEMODULE_H
#define SAWTOOTH_TEST_SUPPORT_FAKEMODULE_H

#include "PlanWriter.h"

#include <functional>

namespace sawtooth::test {

/// Owns what an artifact points to.
struct FakeModule {
  std::vector<uint64_t> plan;
  std::vector<SawtoothFunction *> functions;

  SawtoothArtifact artifact() const {
    return {SAWTOOTH_ABI_VERSION,
            static_cast<uint32_t>(functions.size()),
            reinterpret_cast<const SawtoothPlan *>(plan.data()),
            functions.data(),
            0,
            nullptr};
  }
};

/// What `fakeSgd` differs in.
struct SgdOptions {
  /// Changes rows before they are written.
  std::function<void(PlanWriter &)> edit = [](PlanWriter &) {};
};

/// Step `train`(%g: f16 scaled by @s, %lr: f64 = 1.0): w -= lr * decay(tensor) * (g / S) unless an
/// element of g or g / S is not finite; scaler @s halves on a skip, doubles after `growth_interval`
/// steps, and is stuck at `max_consecutive_skips` of them. Lists w (f32, required), h (f16, copy of
/// w), m (f32, 0: the last u), g. Logs "norm2", the sum of u * u. Two passes.
FakeModule fakeSgd(const SgdOptions &options = {});

/// Steps `train` and `test`(%x: f32[batch, 2] from x, %y: f32[batch] from y): a line w·x fitted by
/// least squares, one tensor `w` [2] of the model, starting as uniform. `train` takes lr = 0.1;
/// both log "loss" (mean) and "close" (sum: examples within 0.5). Program `epoch` runs train twice.
FakeModule
fakeFit(uint64_t batch, const std::function<void(PlanWriter &)> &edit = [](PlanWriter &) {});

} // namespace sawtooth::test

#endif // SAWTOOTH_TEST_SUPPORT_FAKEMODULE_H
