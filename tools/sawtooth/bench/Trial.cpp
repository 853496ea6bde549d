// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/Trial.h"

#include <algorithm>
#include <set>

using namespace sawtooth;
using namespace sawtooth::bench;
using namespace sawtooth::runtime;

Traffic Traffic::of(const Plan &plan, const SawtoothStepRow &step, const Store &store) {
  Traffic traffic;
  std::set<uint32_t> models;
  for (const SawtoothActionRow &action : Plan::rows(step.actions, plan.actions())) {
    if (action.kind != SAWTOOTH_PASS)
      continue;
    double elements = 0, bytes = 0;
    for (int64_t numel : store.model(action.model).numel)
      elements += static_cast<double>(numel);
    for (SawtoothRange accesses : {action.reads, action.writes})
      for (const SawtoothAccess &access : Plan::rows(accesses, plan.accesses()))
        if (plan.lists()[access.list].kind != SAWTOOTH_LIST_SCRATCH)
          bytes += elements * access.bytes;
    traffic.applied += bytes;
    if (action.flag == SAWTOOTH_NONE)
      traffic.skipped += bytes;
    if (models.insert(action.model).second) {
      traffic.parameters += static_cast<uint64_t>(elements);
      traffic.tensors += store.model(action.model).tensors.size();
    }
  }
  return traffic;
}

Status Trial::createStore(const Artifact &artifact, uint32_t step,
                          const std::vector<TensorSpec> &tensors, const ParallelFor &parallelFor) {
  const Plan &plan = artifact.plan;
  const SawtoothStepRow &row = plan.steps()[step];
  std::string name = "step '" + plan.string(row.name) + "'";
  for (const SawtoothTensorArgRow &arg : Plan::rows(row.tensorArgs, plan.tensorArgs()))
    return Status::error(StatusCode::Invalid,
                         name + " takes tensor '" + plan.string(arg.name) +
                             "': only steps over lists can be timed, a forward part has no bound");
  std::set<uint32_t> models;
  for (const SawtoothActionRow &action : Plan::rows(row.actions, plan.actions()))
    if (action.kind == SAWTOOTH_PASS)
      models.insert(action.model);
  if (models.empty())
    return Status::error(StatusCode::Invalid,
                         name + " runs over no list: there is nothing to time");

  Result<std::unique_ptr<Store>> created = Store::create(plan, /*seed=*/0, parallelFor);
  if (!created.ok())
    return created.status();
  store = std::move(*created);
  for (uint32_t model = 0; model < plan.models().size(); ++model) {
    if (store->model(model).known)
      continue;
    bool runsOver = models.contains(model);
    SAWTOOTH_TRY(store->defineModel(model, runsOver ? tensors : std::vector<TensorSpec>()));
    tookTensors_ |= runsOver;
  }
  traffic = Traffic::of(plan, row, *store);
  return {};
}

bool Trial::isRandom(uint32_t list) const {
  const SawtoothListRow &row = store->plan().lists()[list];
  return row.kind == SAWTOOTH_LIST_ARGUMENT ||
         std::ranges::any_of(
             Plan::rows(row.init, store->plan().inits()),
             [](const SawtoothInit &init) { return init.kind == SAWTOOTH_INIT_REQUIRED; });
}

std::vector<TensorSpec> Trial::tensorsOf(uint32_t list) const {
  const Model &model = store->model(store->plan().lists()[list].model);
  std::vector<TensorSpec> specs;
  for (size_t tensor = 0; tensor < model.tensors.size(); ++tensor) {
    std::span<const int64_t> shape = model.shape(tensor);
    specs.push_back({model.tensors[tensor], {shape.begin(), shape.end()}});
  }
  return specs;
}

Status Trial::setArguments(StepRunner &runner) const {
  for (uint32_t arg = 0; arg < runner.args().size(); ++arg)
    if (!runner.args()[arg].hasDefault)
      SAWTOOTH_TRY(runner.setArg(arg, "1"));
  return runner.ready();
}
