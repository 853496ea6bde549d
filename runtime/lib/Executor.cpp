// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Executor.h"

#include "Cat.h"
#include "FloatEnvironment.h"
#include "sawtooth/runtime/Convert.h"

#include <algorithm>
#include <cstring>

namespace sawtooth::runtime {

Result<std::unique_ptr<Executor>> Executor::create(const Artifact &artifact, uint32_t step,
                                                   Store &store) {
  if (!store.finished())
    return Status::error(StatusCode::Invalid, "expected a finished store");
  if (artifact.isForGpu())
    return Status::error(StatusCode::Unsupported,
                         cat("expected code for a CPU, got code for ",
                             artifact.plan.text(artifact.plan.header().target)));
  if (Status status = store.accepts(artifact.plan); !status.ok())
    return status;
  std::unique_ptr<Executor> executor(new Executor(artifact, step, store));
  for (auto prepare : {&Executor::prepareLists, &Executor::prepareModels, &Executor::prepareBlocks})
    if (Status status = ((*executor).*prepare)(); !status.ok())
      return status;
  return executor;
}

Status Executor::prepareLists() {
  SAWTOOTH_TRY(checkLists());
  SAWTOOTH_TRY(prepareArguments());
  scratchBuffers.resize(plan().lists().size());
  for (uint32_t list = 0; list < plan().lists().size(); ++list) {
    const SawtoothListRow &row = plan().lists()[list];
    if (row.step != stepNumber || row.kind != SAWTOOTH_LIST_SCRATCH)
      continue;
    uint64_t total;
    std::vector<uint64_t> offsets;
    SAWTOOTH_TRY(layOut(store.model(row.model), typeBytes(SawtoothType(row.type)), offsets, total));
    Result<Allocation> memory = Allocation::zeroed(total, "a list within the step");
    if (!memory.ok())
      return memory.status();
    for (uint64_t offset : offsets)
      scratchBuffers[list].push_back(static_cast<char *>(memory->data()) + offset);
    scratch.push_back(std::move(*memory));
  }
  return {};
}

Status Executor::prepareModels() {
  uint32_t count = static_cast<uint32_t>(plan().models().size());
  uint32_t fields = plan().header().perTensorFields;
  listTables.resize(count);
  perTensorTables.resize(count);
  for (uint32_t m = 0; m < count; ++m) {
    const Model &model = store.model(m);
    for (uint32_t list = 0; list < plan().lists().size(); ++list) {
      const SawtoothListRow &row = plan().lists()[list];
      void *const *buffers = row.kind == SAWTOOTH_LIST_SCRATCH ? scratchBuffers[list].data()
                                                               : store.buffers(list).data();
      listTables[m].push_back(row.model == m ? buffers : nullptr);
    }
    for (uint32_t k = 0; k < step().perTensorSlots; ++k) {
      if (k < fields) {
        perTensorTables[m].push_back(store.perTensorArray(k, m));
        continue;
      }
      temporaries.emplace_back(std::max<size_t>(model.tensors.size(), 1));
      perTensorTables[m].push_back(temporaries.back().data());
    }
    models.push_back({model.tensors.size(), model.firstChunk, model.chunks, model.numel.data(),
                      model.rank.data(), model.dims.data(), model.nameHash.data(),
                      listTables[m].data(), perTensorTables[m].data(), model.firstRow.data()});
  }
  for (const SawtoothModel &model : models)
    modelPointers.push_back(&model);
  return {};
}

Status Executor::prepareBlocks() {
  uint64_t bytes;
  if (__builtin_mul_overflow(store.chunks().size() * 8, uint64_t(step().partials), &bytes))
    return Status::error(StatusCode::OutOfMemory, "the partial results exceed any memory");
  Result<Allocation> memory = Allocation::zeroed(bytes, "partial results");
  if (!memory.ok())
    return memory.status();
  partials = std::move(*memory);
  memory = Allocation::zeroed(step().arenaBytes, "temporaries");
  if (!memory.ok())
    return memory.status();
  arena = std::move(*memory);
  frame.resize(step().frameBytes / 8);
  ctx.state = store.stateBlock();
  ctx.args = argBlock.data();
  ctx.frame = frame.data();
  ctx.partials = partials.data();
  ctx.arena = arena.data();
  ctx.model = modelPointers.data();
  ctx.chunk = store.chunks().data();
  ctx.tensor = const_cast<void *const *>(tensors.data());
  return {};
}

Outcome Executor::run() {
  // What a pass that was not run would have left must not be the last step's.
  std::memset(frame.data(), 0, frame.size() * 8);
  const char *bytes = reinterpret_cast<const char *>(frame.data());
  for (const SawtoothActionRow &action : Plan::rows(step().actions, plan().actions()))
    if (action.flag == SAWTOOTH_NONE || bytes[action.flag])
      runAction(action);
  bool applied = bytes[step().applied] != 0;
  return {applied, applied || step().cause == SAWTOOTH_NONE ? 0 : frame[step().cause / 8]};
}

void Executor::runAction(const SawtoothActionRow &action) {
  SawtoothFunction *function = artifact.functions[action.function];
  if (action.kind == SAWTOOTH_SCALAR) {
    FloatEnvironment environment;
    function(&ctx, 0, 0);
    return;
  }
  uint64_t first = 0, count = action.units;
  if (action.kind == SAWTOOTH_PASS) {
    first = models[action.model].firstChunk;
    count = models[action.model].chunks;
  }
  // Enough ranges that no thread waits long for the last one, few enough that many small tensors
  // do not cost a hand-out each.
  const ParallelFor &parallelFor = store.parallelFor();
  uint64_t grain = parallelFor.threads == 1
                       ? count
                       : std::clamp<uint64_t>(count / (parallelFor.threads * 16), 1, 64);
  parallelFor(count, grain, [&](uint64_t begin, uint64_t end) {
    FloatEnvironment environment;
    function(&ctx, first + begin, first + end);
  });
}

int64_t Executor::counter(uint32_t field) const {
  return field == SAWTOOTH_NONE ? 0 : static_cast<int64_t>(store.slots(field)[0]);
}

} // namespace sawtooth::runtime
