// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Artifact.h"

#include "Cat.h"
#include "sawtooth/runtime/Names.h"

namespace sawtooth::runtime {

Result<Artifact> Artifact::read(const SawtoothArtifact *artifact) {
  if (!artifact || !artifact->plan)
    return Status::error(StatusCode::Invalid, "expected a compiled module, got none");
  if (artifact->abi != SAWTOOTH_ABI_VERSION || artifact->plan->magic != SAWTOOTH_PLAN_MAGIC)
    return Status::error(
        StatusCode::Unsupported,
        cat("expected code of ABI version ", SAWTOOTH_ABI_VERSION, ", got ", artifact->abi));
  Result<Plan> plan = Plan::read(artifact->plan, artifact->plan->bytes);
  if (!plan.ok())
    return plan.status();
  Artifact read{*plan, {artifact->functions, artifact->functions + artifact->functionCount}};
  for (SawtoothFunction *function : read.functions)
    if (!function)
      return Status::error(StatusCode::Corrupt, "a function of the compiled module is null");
  for (const SawtoothActionRow &action : plan->actions())
    if (plan->launches().empty() && action.function >= read.functions.size())
      return Status::error(StatusCode::Corrupt,
                           cat("expected the function of action '",
                               printable(plan->text(action.name)), "' below ",
                               read.functions.size(), ", got ", action.function));
  return read;
}

} // namespace sawtooth::runtime
