// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExplainJson.h"

#include "Footprint.h"

#include <nlohmann/json.hpp>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

using Json = nlohmann::ordered_json;

static Json accessesJson(const Plan &plan, SawtoothRange accesses) {
  Json all = Json::array();
  for (const SawtoothAccess &access : Plan::rows(accesses, plan.accesses()))
    all.push_back({{"list", plan.string(plan.lists()[access.list].name)},
                   {"bytes_per_element", access.bytes}});
  return all;
}

static Json kernelsJson(const ModuleSource::Description &module, const SawtoothStepRow &step) {
  Json all = Json::array();
  for (const SawtoothLaunchRow &launch : Plan::rows(step.launches, module.plan.launches())) {
    Json chips = Json::object();
    std::string name = module.plan.string(launch.kernel);
    for (const ArtifactKernel &use : module.kernels)
      if (use.name == name)
        chips[use.chip] = {{"registers", use.registers},
                           {"spilled_bytes", use.spilled},
                           {"shared_bytes", use.shared}};
    all.push_back({{"name", name}, {"threads", launch.threads}, {"chips", std::move(chips)}});
  }
  return all;
}

std::string explainJson(const ModuleSource::Description &module) {
  const Plan &plan = module.plan;
  Json steps = Json::array();
  for (const SawtoothStepRow &step : plan.steps()) {
    Footprint footprint = footprintOf(plan, step);
    Json sweeps = Json::array();
    for (const SawtoothActionRow &action : Plan::rows(step.actions, plan.actions()))
      if (action.kind == SAWTOOTH_PASS)
        sweeps.push_back({{"reads", accessesJson(plan, action.reads)},
                          {"writes", accessesJson(plan, action.writes)},
                          {"bytes_per_element",
                           accessBytes(plan, action.reads) + accessBytes(plan, action.writes)},
                          {"results", notesOf(plan, action.notes, "result")}});
    steps.push_back({{"name", plan.string(step.name)},
                     {"sweeps", std::move(sweeps)},
                     {"bytes_per_parameter", footprint.moved},
                     {"resident_bytes_per_parameter", footprint.resident},
                     {"lower_bound_bytes_per_parameter", step.lowerBound},
                     {"launches", footprint.launches}});
    if (step.launches.count)
      steps.back()["kernels"] = kernelsJson(module, step);
  }
  return Json{{"steps", std::move(steps)}}.dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

} // namespace sawtooth::tool
