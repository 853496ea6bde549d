// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/FakeGpuModule.h"

#include <fstream>
#include <iterator>

namespace sawtooth::test {

// The rows of a plan for the CPU, with launches instead of functions.
static void forGpu(PlanWriter &plan) {
  plan.header.target = plan.text("nvptx");
  for (SawtoothActionRow &action : plan.actions)
    action.function = SAWTOOTH_NONE;
}

static void addImages(FakeGpuModule &module) {
  std::ifstream file(SAWTOOTH_TEST_KERNELS, std::ios::binary);
  module.ptx.assign(std::istreambuf_iterator<char>(file), {});
  module.images = {{SAWTOOTH_IMAGE_PTX, 75, 0, 63, module.ptx.size() + 1, module.ptx.c_str()}};
}

FakeGpuModule fakeSgdOnGpu(const SgdOptions &options) {
  FakeGpuModule module;
  SgdOptions changed;
  changed.edit = [&](PlanWriter &plan) {
    forGpu(plan);
    uint32_t first = plan.steps[0].actions.first;
    plan.steps[0].launches =
        PlanWriter::add(plan.launches, {{plan.text("sgd_find"), 64, 1, 0, 0, {first, 3}},
                                        {plan.text("sgd_update"), 64, 1, 0, 0, {first + 3, 2}}});
    options.edit(plan);
  };
  module.plan = fakeSgd(changed).plan;
  addImages(module);
  return module;
}

FakeGpuModule fakeFitOnGpu(uint64_t batch) {
  FakeGpuModule module;
  module.plan = fakeFit(batch, [&](PlanWriter &plan) {
                  forGpu(plan);
                  for (SawtoothStepRow &step : plan.steps) {
                    std::string kernel = (step.commits ? "fit_train_" : "fit_test_");
                    step.launches = PlanWriter::add(
                        plan.launches,
                        {{plan.text(kernel + std::to_string(batch)), 32, 0, 0, 1, step.actions}});
                  }
                }).plan;
  addImages(module);
  return module;
}

} // namespace sawtooth::test
