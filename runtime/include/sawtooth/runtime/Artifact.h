// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_ARTIFACT_H
#define SAWTOOTH_RUNTIME_ARTIFACT_H

#include "sawtooth/runtime/Plan.h"

#include <vector>

namespace sawtooth::runtime {

/// A checked plan and the code that its actions call. The code must stay loaded while this lives.
struct Artifact {
  Plan plan;
  std::vector<SawtoothFunction *> functions;

  /// `Unsupported` for another ABI, `Corrupt` for a damaged plan, a null function, or an action
  /// without one.
  static Result<Artifact> read(const SawtoothArtifact *artifact);
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_ARTIFACT_H
