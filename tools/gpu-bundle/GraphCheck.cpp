// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sawtooth-graph-check STEP.so: captures the step that commits in a graph, replays it with other
// arguments, and compares every bit of the state with the same runs without a graph.
#include "sawtooth/runtime/ArtifactFile.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/cuda/DeviceEngine.h"

#include <bit>
#include <cstdio>
#include <cstring>

using namespace sawtooth::runtime;
using namespace sawtooth::runtime::cuda;

namespace {

/// A store with every list that has to be bound, filled by a rule, and its step on the device.
struct Subject {
  std::vector<std::vector<uint64_t>> memory;
  std::unique_ptr<Store> store;
  std::unique_ptr<DeviceEngine> engine;
  std::unique_ptr<StepRunner> runner;

  Status create(const Artifact &artifact, uint32_t step, const DevicePointer &device) {
    Result<std::unique_ptr<Store>> made = Store::create(artifact.plan, 1);
    if (!made.ok())
      return made.status();
    store = std::move(*made);
    const Plan &plan = artifact.plan;
    const int64_t sizes[] = {3, 0, 1000, 40000};
    for (uint32_t list = 0; list < plan.lists().size(); ++list) {
      const SawtoothListRow &row = plan.lists()[list];
      bool required = row.kind == SAWTOOTH_LIST_ARGUMENT && row.step == step;
      for (const SawtoothInit &init : Plan::rows(row.init, plan.inits()))
        required |= init.kind == SAWTOOTH_INIT_REQUIRED;
      if (!required)
        continue;
      std::vector<TensorRef> refs;
      for (int64_t size : sizes) {
        std::vector<uint64_t> &place = memory.emplace_back(static_cast<size_t>(size) + 1);
        for (int64_t i = 0; i < size; ++i)
          storeFloat(
              SawtoothType(row.type), place.data(), static_cast<uint64_t>(i),
              std::bit_cast<uint64_t>(static_cast<double>((i * 37 + list * 11) % 201 - 100) / 128));
        refs.push_back(
            {"t" + std::to_string(refs.size()), {size}, SawtoothType(row.type), place.data()});
      }
      SAWTOOTH_TRY(store->bind(list, refs));
    }
    SAWTOOTH_TRY(store->finish());
    Result<std::unique_ptr<DeviceEngine>> onDevice = DeviceEngine::create(*store, device, 64);
    if (!onDevice.ok())
      return onDevice.status();
    engine = std::move(*onDevice);
    Result<std::unique_ptr<StepRunner>> prepared = engine->prepare(artifact, step);
    if (!prepared.ok())
      return prepared.status();
    runner = std::move(*prepared);
    return runner->ready();
  }
  /// Whether `count` runs have ended, and each was applied.
  bool applied(int count) {
    StatusRow row;
    while (engine->next(row))
      count -= row.applied ? 1 : count + 1;
    return count == 0;
  }
  DeviceExecutor &executor() { return static_cast<DeviceExecutor &>(*runner); }
  /// Other values for all arguments that are f64, in the k-th run.
  void setArguments(int k) {
    for (uint32_t i = 0; i < runner->args().size(); ++i)
      if (runner->args()[i].type == SAWTOOTH_F64)
        runner->setArgSlot(i, std::bit_cast<uint64_t>(1.0 / (k + 2)));
  }
};

bool sameBits(const Subject &a, const Subject &b) {
  const Plan &plan = a.store->plan();
  bool same =
      std::memcmp(a.store->stateBlock(), b.store->stateBlock(), plan.header().stateBytes) == 0;
  for (uint32_t list = 0; list < plan.lists().size(); ++list) {
    const SawtoothListRow &row = plan.lists()[list];
    const Model &model = a.store->model(row.model);
    if (row.kind != SAWTOOTH_LIST_STATE)
      continue;
    for (size_t i = 0; i < model.tensors.size(); ++i)
      same &=
          model.numel[i] == 0 ||
          std::memcmp(a.store->buffers(list)[i], b.store->buffers(list)[i],
                      static_cast<size_t>(model.numel[i]) * typeBytes(SawtoothType(row.type))) == 0;
  }
  return same;
}

Status check(const std::string &path) {
  Result<DevicePointer> device = Device::primary(0);
  if (!device.ok())
    return device.status();
  Result<ArtifactFile> file = ArtifactFile::open(path);
  if (!file.ok())
    return file.status();
  Result<LoadedArtifact> loaded = file->load("sm_" + std::to_string((*device)->capability()));
  if (!loaded.ok())
    return loaded.status();
  const Artifact &artifact = loaded->artifact;
  uint32_t step = 0;
  while (step + 1 < artifact.plan.steps().size() && !artifact.plan.steps()[step].commits)
    ++step;
  Subject plain, replayed, unchanged;
  SAWTOOTH_TRY(plain.create(artifact, step, *device));
  SAWTOOTH_TRY(replayed.create(artifact, step, *device));
  SAWTOOTH_TRY(unchanged.create(artifact, step, *device));
  constexpr int runs = 5;
  const Driver &api = (*device)->driver();
  ContextScope scope(api, (*device)->context());
  if (!api.cuStreamBeginCapture || !api.cuStreamEndCapture || !api.cuGraphInstantiateWithFlags ||
      !api.cuGraphLaunch)
    return Status::error(StatusCode::Unsupported, "the driver has no graphs");
  CUstream stream = replayed.engine->currentStream();
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  SAWTOOTH_TRY(
      api.check(api.cuStreamBeginCapture(stream, captureModeThreadLocal), "cuStreamBeginCapture"));
  SAWTOOTH_TRY(replayed.executor().launch(stream));
  SAWTOOTH_TRY(api.check(api.cuStreamEndCapture(stream, &graph), "cuStreamEndCapture"));
  SAWTOOTH_TRY(
      api.check(api.cuGraphInstantiateWithFlags(&exec, graph, 0), "cuGraphInstantiateWithFlags"));
  for (int k = 0; k < runs; ++k) {
    plain.setArguments(k);
    SAWTOOTH_TRY(plain.engine->start(*plain.runner));
    replayed.setArguments(k);
    SAWTOOTH_TRY(replayed.executor().uploadArguments(stream));
    SAWTOOTH_TRY(api.check(api.cuGraphLaunch(exec, stream), "cuGraphLaunch"));
    unchanged.setArguments(0);
    SAWTOOTH_TRY(unchanged.engine->start(*unchanged.runner));
  }
  SAWTOOTH_TRY(plain.engine->pull());
  SAWTOOTH_TRY(replayed.engine->pull());
  SAWTOOTH_TRY(unchanged.engine->pull());
  (void)api.cuGraphExecDestroy(exec);
  (void)api.cuGraphDestroy(graph);
  // What would prove nothing: steps that change nothing, arguments that mean nothing.
  if (!plain.applied(runs) || !replayed.applied(runs))
    return Status::error(StatusCode::Mismatch, "expected every run and every replay to be applied");
  if (sameBits(plain, unchanged))
    return Status::error(StatusCode::Mismatch, "other arguments left the same bits");
  return sameBits(plain, replayed)
             ? Status()
             : Status::error(StatusCode::Mismatch, "replays of a graph left other bits than runs");
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: sawtooth-graph-check STEP.so\n");
    return 2;
  }
  Status status = check(argv[1]);
  if (!status.ok())
    std::fprintf(stderr, "sawtooth-graph-check: error: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
