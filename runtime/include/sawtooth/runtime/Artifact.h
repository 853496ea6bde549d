// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_ARTIFACT_H
#define SAWTOOTH_RUNTIME_ARTIFACT_H

#include "sawtooth/runtime/Plan.h"

#include <vector>

namespace sawtooth::runtime {

/// A checked plan and its code: functions that its actions call on a CPU, or images with the
/// kernels of its launches for a GPU. The code must stay loaded while this lives.
struct Artifact {
  Plan plan;
  std::vector<SawtoothFunction *> functions;
  std::vector<SawtoothImage> images;

  bool isForGpu() const { return plan.text(plan.header().target) == "nvptx"; }

  /// `Unsupported` for another ABI, `Corrupt` for a damaged plan, a null function, an action
  /// without one, an image of another kind, or a step for a GPU without launches.
  static Result<Artifact> read(const SawtoothArtifact *artifact);
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_ARTIFACT_H
