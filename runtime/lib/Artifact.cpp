// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Artifact.h"

#include "Cat.h"
#include "sawtooth/runtime/Names.h"

namespace sawtooth::runtime {

static Status checkCpu(const Artifact &artifact) {
  for (const SawtoothActionRow &action : artifact.plan.actions())
    if (action.function >= artifact.functions.size())
      return Status::error(StatusCode::Corrupt,
                           cat("expected the function of action '",
                               printable(artifact.plan.text(action.name)), "' below ",
                               artifact.functions.size(), ", got ", action.function));
  return {};
}

static Status checkGpu(const Artifact &artifact) {
  auto corrupt = [](std::string text) { return Status::error(StatusCode::Corrupt, text); };
  for (const SawtoothImage &image : artifact.images) {
    if (image.kind > SAWTOOTH_IMAGE_CUBIN)
      return corrupt(
          cat("expected a kind of image below ", SAWTOOTH_IMAGE_CUBIN + 1, ", got ", image.kind));
    // The driver reads text up to its end.
    const char *text = static_cast<const char *>(image.data);
    if (!text || image.bytes == 0 ||
        (image.kind == SAWTOOTH_IMAGE_PTX && text[image.bytes - 1] != '\0'))
      return corrupt(cat("the image for sm_", image.chip, " is empty or has no end"));
  }
  for (const SawtoothStepRow &step : artifact.plan.steps())
    if (step.actions.count && !step.launches.count)
      return corrupt(cat("step '", printable(artifact.plan.text(step.name)), "' has no launches"));
  return {};
}

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
  Artifact read{*plan,
                {artifact->functions, artifact->functions + artifact->functionCount},
                {artifact->images, artifact->images + artifact->imageCount}};
  for (SawtoothFunction *function : read.functions)
    if (!function)
      return Status::error(StatusCode::Corrupt, "a function of the compiled module is null");
  if (Status status = read.isForGpu() ? checkGpu(read) : checkCpu(read); !status.ok())
    return status;
  return read;
}

} // namespace sawtooth::runtime
