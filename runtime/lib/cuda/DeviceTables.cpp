// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step needs on the device before it runs for the first time.
#include "Cat.h"
#include "Staging.h"
#include "TableWriter.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/cuda/DeviceExecutor.h"

#include <algorithm>

namespace sawtooth::runtime::cuda {

Result<std::unique_ptr<DeviceExecutor>> DeviceExecutor::create(const Artifact &artifact,
                                                               uint32_t step, DeviceStore &store,
                                                               CUstream stream) {
  if (!artifact.isForGpu())
    return Status::error(StatusCode::Unsupported,
                         cat("expected code for nvptx, got code for ",
                             artifact.plan.text(artifact.plan.header().target)));
  if (Status status = store.store().accepts(artifact.plan); !status.ok())
    return status;
  if (Status status = store.ring().accepts(artifact.plan, step); !status.ok())
    return status;
  const Driver &api = store.device()->driver();
  ContextScope scope(api, store.device()->context());
  OutsideCapture outside(api);
  SAWTOOTH_TRY(scope.status());
  std::unique_ptr<DeviceExecutor> executor(new DeviceExecutor(artifact, step, store));
  SAWTOOTH_TRY(executor->checkLists());
  SAWTOOTH_TRY(executor->prepareArguments());
  SAWTOOTH_TRY(executor->prepareLaunches());
  SAWTOOTH_TRY(executor->prepareMemory(stream));
  SAWTOOTH_TRY(executor->prepareTensors());
  SAWTOOTH_TRY(executor->prepareTables(stream));
  SAWTOOTH_TRY(api.check(api.cuStreamSynchronize(stream), "cuStreamSynchronize"));
  return executor;
}

Status DeviceExecutor::prepareLaunches() {
  Result<std::shared_ptr<const Module>> loaded = Module::load(device.device(), artifact.images);
  if (!loaded.ok())
    return loaded.status();
  code = *loaded;
  const Driver &api = device.device()->driver();
  for (const SawtoothLaunchRow &row : Plan::rows(step().launches, plan().launches())) {
    Launch launch{nullptr, 1, row.threads, 0, 0};
    Result<CUfunction> function = code->function(plan().string(row.kernel).c_str());
    if (!function.ok())
      return function.status();
    launch.function = *function;
    int resident = 0;
    SAWTOOTH_TRY(api.check(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                               &resident, launch.function, static_cast<int>(row.threads), 0),
                           "cuOccupancyMaxActiveBlocksPerMultiprocessor"));
    if (resident == 0)
      return Status::error(StatusCode::Unsupported,
                           cat("kernel '", plan().text(row.kernel), "': no block of ", row.threads,
                               " threads fits on a multiprocessor of ", device.device()->name()));
    // Asking makes the driver load the kernel now, which it may otherwise put off until its first
    // launch.
    SAWTOOTH_TRY(
        api.check(api.cuFuncGetAttribute(&launch.registers, functionRegisters, launch.function),
                  "cuFuncGetAttribute"));
    SAWTOOTH_TRY(
        api.check(api.cuFuncGetAttribute(&launch.localBytes, functionLocalBytes, launch.function),
                  "cuFuncGetAttribute"));
    uint64_t warps = (row.units + 31) / 32;
    for (const SawtoothActionRow &action : Plan::rows(row.actions, plan().actions()))
      if (action.kind == SAWTOOTH_PASS)
        warps += store.model(action.model).chunks * row.warpsPerRow;
    uint64_t perBlock = row.threads / 32;
    uint64_t most = uint64_t(resident) * device.device()->processors();
    launch.blocks = static_cast<unsigned>(
        std::clamp<uint64_t>((warps + perBlock - 1) / perBlock, 1, std::max<uint64_t>(most, 1)));
    launches_.push_back(launch);
  }
  return {};
}

Result<DeviceMemory> DeviceExecutor::zeroed(uint64_t bytes, const char *what,
                                            CUstream stream) const {
  Result<DeviceMemory> memory = DeviceMemory::allocate(device.device(), bytes, what);
  if (!memory.ok() || bytes == 0)
    return memory;
  const Driver &api = device.device()->driver();
  SAWTOOTH_TRY(
      api.check(api.cuMemsetD8Async(memory->address(), 0, bytes, stream), "cuMemsetD8Async"));
  return memory;
}

Status DeviceExecutor::prepareMemory(CUstream stream) {
  uint64_t bytes;
  if (__builtin_mul_overflow(store.chunks().size() * 8, uint64_t(step().partials), &bytes))
    return Status::error(StatusCode::OutOfMemory, "the partial results exceed any memory");
  auto take = [&](DeviceMemory &to, uint64_t size, const char *what) {
    Result<DeviceMemory> memory = zeroed(size, what, stream);
    if (memory.ok())
      to = std::move(*memory);
    return memory.status();
  };
  SAWTOOTH_TRY(take(partials, bytes, "partial results"));
  SAWTOOTH_TRY(take(arena, step().arenaBytes, "temporaries"));
  scratchRows.resize(plan().lists().size());
  for (uint32_t list = 0; list < plan().lists().size(); ++list) {
    const SawtoothListRow &row = plan().lists()[list];
    if (row.step != stepNumber || row.kind != SAWTOOTH_LIST_SCRATCH)
      continue;
    uint64_t total;
    std::vector<uint64_t> offsets;
    SAWTOOTH_TRY(layOut(store.model(row.model), typeBytes(SawtoothType(row.type)), offsets, total));
    SAWTOOTH_TRY(take(scratch.emplace_back(), total, "a list within the step"));
    for (uint64_t offset : offsets)
      scratchRows[list].push_back(scratch.back().address() + offset);
  }
  return {};
}

Status DeviceExecutor::prepareTensors() {
  uint64_t total = 0, largest = 0;
  std::vector<uint64_t> offsets;
  places.resize(tensorArgs().size());
  for (const SawtoothTensorArgRow &arg : tensorArgs()) {
    Result<int64_t> numel = countElements({arg.dims, arg.rank});
    if (!numel.ok())
      return numel.status();
    uint64_t bytes = static_cast<uint64_t>(*numel) * typeBytes(SawtoothType(arg.type));
    offsets.push_back(total);
    total += (bytes + 127) / 128 * 128;
    largest += (bytes + 127) / 128 * 128;
    places[arg.slot] = {bytes, 0, true};
  }
  Result<DeviceMemory> memory = DeviceMemory::allocate(device.device(), total, "tensor arguments");
  if (!memory.ok())
    return memory.status();
  tensorMemory = std::move(*memory);
  outgoing = argBlock;
  outgoing.resize(argBlock.size() + places.size());
  for (size_t i = 0; i < tensorArgs().size(); ++i) {
    uint32_t slot = tensorArgs()[i].slot;
    places[slot].own = tensorMemory.address() + offsets[i];
    outgoing[argBlock.size() + slot] = places[slot].own;
  }
  Result<std::unique_ptr<Staging>> created =
      Staging::create(device.device(), largest + std::span(outgoing).size_bytes() + 128);
  if (!created.ok())
    return created.status();
  staging = std::move(*created);
  return {};
}

// The models as kernels see them; `pointers` is the place of the array of their addresses.
void DeviceExecutor::writeModels(TableWriter &writer, uint64_t pointers) {
  const uint32_t fields = plan().header().perTensorFields;
  for (uint32_t m = 0; m < plan().models().size(); ++m) {
    const Model &model = store.model(m);
    uint64_t lists = writer.reserve(plan().lists().size() * 8);
    for (uint32_t list = 0; list < plan().lists().size(); ++list) {
      const SawtoothListRow &row = plan().lists()[list];
      if (row.model != m)
        continue;
      if (row.kind != SAWTOOTH_LIST_SCRATCH)
        writer.set(lists + list * 8, device.listTable(list));
      else
        writer.point(lists + list * 8, writer.add(std::span<const CUdeviceptr>(scratchRows[list])));
    }
    uint64_t arrays = writer.reserve(uint64_t(step().perTensorSlots) * 8);
    for (uint32_t k = 0; k < step().perTensorSlots; ++k) {
      if (k < fields)
        writer.set(arrays + k * 8, device.perTensor(k, m));
      else
        writer.point(arrays + k * 8, writer.reserve(model.tensors.size() * 8));
    }
    uint64_t row = writer.reserve(sizeof(SawtoothModel));
    auto set = [&](uint64_t at, uint64_t value) { writer.set(row + at, value); };
    set(offsetof(SawtoothModel, tensors), model.tensors.size());
    set(offsetof(SawtoothModel, firstChunk), model.firstChunk);
    set(offsetof(SawtoothModel, chunks), model.chunks);
    set(offsetof(SawtoothModel, firstRow), device.firstRow(m));
    set(offsetof(SawtoothModel, numel), device.numel(m));
    set(offsetof(SawtoothModel, rank), device.rank(m));
    set(offsetof(SawtoothModel, dims), device.dims(m));
    set(offsetof(SawtoothModel, nameHash), device.nameHash(m));
    writer.point(row + offsetof(SawtoothModel, list), lists);
    writer.point(row + offsetof(SawtoothModel, perTensor), arrays);
    writer.point(pointers + m * 8, row);
  }
}

Status DeviceExecutor::prepareTables(CUstream stream) {
  TableWriter writer;
  uint64_t arguments = writer.add(std::span<const uint64_t>(outgoing));
  uint64_t frame = writer.reserve(step().frameBytes);
  uint64_t tickets = writer.reserve(launches_.size() * sizeof(uint32_t));
  uint64_t models = writer.reserve(plan().models().size() * 8);
  writeModels(writer, models);
  uint64_t beside = writer.reserve(sizeof(SawtoothDevice));
  writer.point(beside + offsetof(SawtoothDevice, ticket), tickets);
  writer.set(beside + offsetof(SawtoothDevice, ring), device.ring().address());
  uint64_t ctx = writer.reserve(sizeof(SawtoothCtx));
  writer.set(ctx + offsetof(SawtoothCtx, state), device.stateBlock());
  writer.point(ctx + offsetof(SawtoothCtx, args), arguments);
  writer.point(ctx + offsetof(SawtoothCtx, frame), frame);
  writer.set(ctx + offsetof(SawtoothCtx, partials), partials.address());
  writer.set(ctx + offsetof(SawtoothCtx, arena), arena.address());
  writer.point(ctx + offsetof(SawtoothCtx, model), models);
  writer.set(ctx + offsetof(SawtoothCtx, chunk), device.chunks());
  writer.point(ctx + offsetof(SawtoothCtx, tensor), arguments + argBlock.size() * 8);
  writer.point(ctx + offsetof(SawtoothCtx, device), beside);
  Result<DeviceMemory> memory =
      DeviceMemory::allocate(device.device(), writer.size(), "the tables of a step");
  if (!memory.ok())
    return memory.status();
  tables = std::move(*memory);
  const std::vector<std::byte> &bytes = writer.finish(tables.address());
  const Driver &api = device.device()->driver();
  SAWTOOTH_TRY(
      api.check(api.cuMemcpyHtoDAsync(tables.address(), bytes.data(), bytes.size(), stream),
                "cuMemcpyHtoDAsync"));
  SAWTOOTH_TRY(api.check(api.cuStreamSynchronize(stream), "cuStreamSynchronize"));
  frameBlock = tables.address() + frame;
  context = tables.address() + ctx;
  argumentBlock = tables.address() + arguments;
  argumentsChanged = false;
  return {};
}

} // namespace sawtooth::runtime::cuda
