// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/CpuTrial.h"

#include "sawtooth/runtime/Convert.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>

using namespace sawtooth;
using namespace sawtooth::bench;
using namespace sawtooth::runtime;

static double secondsOf(auto &&work) {
  auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

//===------------------------------------------------------------------------------------------===//
// BoundStep, Copy
//===------------------------------------------------------------------------------------------===//

BoundStep::BoundStep(const Plan &plan, const SawtoothStepRow &step, const Store &store) {
  for (const SawtoothActionRow &action : Plan::rows(step.actions, plan.actions())) {
    if (action.kind != SAWTOOTH_PASS)
      continue;
    const Model &model = store.model(action.model);
    StreamPass pass{model.numel, {}};
    std::map<uint32_t, size_t> streamOf;
    auto add = [&](const SawtoothAccess &access, bool write) {
      std::span<void *const> buffers = store.buffers(access.list);
      if (buffers.empty()) // scratch belongs to the executor: the bound does without it
        return;
      auto [entry, isNew] = streamOf.try_emplace(access.list, pass.streams.size());
      if (isNew) {
        Stream &stream = pass.streams.emplace_back(Stream{{}, access.bytes, false, false});
        for (void *buffer : buffers)
          stream.tensor.push_back(static_cast<char *>(buffer));
      }
      Stream &stream = pass.streams[entry->second];
      (write ? stream.written : stream.read) = true;
    };
    for (const SawtoothAccess &access : Plan::rows(action.reads, plan.accesses()))
      add(access, false);
    for (const SawtoothAccess &access : Plan::rows(action.writes, plan.accesses()))
      add(access, true);
    passes.push_back({action.flag != SAWTOOTH_NONE, StreamLoop(std::move(pass))});
  }
}

void BoundStep::run(bool applied, unsigned threads, Stores stores) const {
  for (const Pass &pass : passes)
    if (applied || !pass.gated)
      pass.loop.run(threads, stores);
}

Result<Copy> Copy::create(const char *from, uint64_t bytes) {
  Result<Allocation> to = Allocation::zeroed(bytes, "the target of a copy");
  if (!to.ok())
    return to.status();
  Copy copy;
  copy.from = from;
  copy.to = std::move(*to);
  return copy;
}

void Copy::run(unsigned threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (unsigned thread = 0; thread < threads; ++thread) {
    uint64_t begin = to.bytes() * thread / threads, end = to.bytes() * (thread + 1) / threads;
    std::memcpy(static_cast<char *>(to.data()) + begin, from + begin, end - begin);
  }
}

//===------------------------------------------------------------------------------------------===//
// CpuTrial
//===------------------------------------------------------------------------------------------===//

Result<std::unique_ptr<CpuTrial>> CpuTrial::create(const Artifact &artifact, uint32_t step,
                                                   const std::vector<TensorSpec> &tensors,
                                                   unsigned threads) {
  std::unique_ptr<CpuTrial> trial(new CpuTrial(threads));
  ParallelFor parallelFor = ParallelFor::openMp(threads);
  SAWTOOTH_TRY(trial->createStore(artifact, step, tensors, parallelFor));

  const Plan &plan = artifact.plan;
  for (uint32_t number = 0; number < plan.lists().size(); ++number) {
    const SawtoothListRow &row = plan.lists()[number];
    bool argument = row.kind == SAWTOOTH_LIST_ARGUMENT;
    if (!trial->isRandom(number) || (argument && row.step != step))
      continue;
    Result<RandomList> list = RandomList::create(
        trial->tensorsOf(number), static_cast<SawtoothType>(row.type), number, parallelFor);
    if (!list.ok())
      return list.status();
    if (argument && !trial->firstArgument)
      trial->firstArgument = trial->lists.size();
    trial->lists.push_back(std::move(*list));
    SAWTOOTH_TRY(trial->store->bind(number, trial->lists.back().tensors()));
  }
  SAWTOOTH_TRY(trial->store->finish());

  Result<std::unique_ptr<Executor>> executor = Executor::create(artifact, step, *trial->store);
  if (!executor.ok())
    return executor.status();
  trial->executor = std::move(*executor);
  SAWTOOTH_TRY(trial->setArguments(*trial->executor));
  trial->bound.emplace(plan, trial->executor->step(), *trial->store);

  std::span<const char> largest;
  for (uint32_t list = 0; list < plan.lists().size(); ++list)
    if (std::span<const char> memory = trial->memoryOf(list); memory.size() > largest.size())
      largest = memory;
  Result<Copy> copy = Copy::create(largest.data(), largest.size());
  if (!copy.ok())
    return copy.status();
  trial->copy = std::move(*copy);
  return trial;
}

// From the first tensor to the last: a list lies in one piece, in the order of its model's tensors,
// whether it is one of ours or the store's.
std::span<const char> CpuTrial::memoryOf(uint32_t list) const {
  std::span<void *const> buffers = store->buffers(list);
  if (buffers.empty())
    return {};
  const SawtoothListRow &row = store->plan().lists()[list];
  const char *first = static_cast<const char *>(buffers.front());
  const char *last = static_cast<const char *>(buffers.back());
  uint64_t lastBytes = static_cast<uint64_t>(store->model(row.model).numel.back()) *
                       typeBytes(static_cast<SawtoothType>(row.type));
  return {first, static_cast<size_t>(last - first) + lastBytes};
}

Result<Trial::Run> CpuTrial::runStep(bool poisoned) {
  if (poisoned)
    lists[*firstArgument].poison(true);
  Run run{};
  run.seconds = secondsOf([&] { run.applied = executor->run().applied; });
  if (poisoned)
    lists[*firstArgument].poison(false);
  return run;
}

double CpuTrial::boundSeconds(bool applied) {
  return secondsOf([&] { bound->run(applied, threads, stores); });
}

Result<double> CpuTrial::runBound(bool applied) { return boundSeconds(applied); }

Result<double> CpuTrial::runCopy() {
  return secondsOf([&] { copy.run(threads); });
}

Status CpuTrial::warmUp() {
  double seconds[2] = {HUGE_VAL, HUGE_VAL};
  for (int turn = 0; turn < 3; ++turn)
    for (Stores way : {Stores::Cached, Stores::PastCaches}) {
      stores = way;
      double &best = seconds[way == Stores::PastCaches];
      best = std::min(best, boundSeconds(true));
    }
  stores = seconds[1] < seconds[0] ? Stores::PastCaches : Stores::Cached;
  return runCopy().status();
}
