// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/GpuBench.h"

#include "sawtooth/runtime/Convert.h"

#include <algorithm>

using namespace sawtooth;
using namespace sawtooth::bench;
using namespace sawtooth::runtime;
using namespace sawtooth::runtime::cuda;

namespace {

/// Every list of the step in memory of the device alone: nothing has to cross to the host and back.
struct DeviceLists {
  std::vector<DeviceMemory> memory;
  uint64_t largest = 0;

  Status bind(Store &store, const DevicePointer &device, uint32_t list,
              const std::vector<TensorSpec> &specs) {
    const SawtoothListRow &row = store.plan().lists()[list];
    uint64_t elementBytes = typeBytes(SawtoothType(row.type)), total = 0;
    std::vector<uint64_t> offsets;
    for (const TensorSpec &spec : specs) {
      offsets.push_back(total);
      total += (static_cast<uint64_t>(*countElements(spec.dims)) * elementBytes + 127) / 128 * 128;
    }
    Result<DeviceMemory> made = DeviceMemory::allocate(device, total, "a list");
    if (!made.ok())
      return made.status();
    // Finite and small in every type: 0x2c2c is 0.065, 0x2c2c2c2c 2.4e-12.
    const Driver &api = device->driver();
    if (total)
      SAWTOOTH_TRY(
          api.check(api.cuMemsetD8Async(made->address(), 0x2c, total, nullptr), "cuMemsetD8Async"));
    std::vector<TensorRef> refs;
    for (size_t i = 0; i < specs.size(); ++i)
      refs.push_back({specs[i].name, specs[i].dims, SawtoothType(row.type),
                      reinterpret_cast<void *>(made->address() + offsets[i])});
    largest = std::max(largest, total);
    memory.push_back(std::move(*made));
    return store.bindDevice(list, refs);
  }
};

/// Two events around work on a stream.
class Stopwatch {
public:
  Stopwatch(const Driver &api, CUstream stream) : api(api), stream(stream) {
    for (CUevent &event : events)
      (void)api.cuEventCreate(&event, 0);
  }
  ~Stopwatch() {
    for (CUevent event : events)
      (void)api.cuEventDestroy(event);
  }
  Result<double> seconds(auto &&work) {
    float milliseconds = 0;
    SAWTOOTH_TRY(api.check(api.cuEventRecord(events[0], stream), "cuEventRecord"));
    SAWTOOTH_TRY(work());
    SAWTOOTH_TRY(api.check(api.cuEventRecord(events[1], stream), "cuEventRecord"));
    SAWTOOTH_TRY(api.check(api.cuEventSynchronize(events[1]), "cuEventSynchronize"));
    SAWTOOTH_TRY(api.check(api.cuEventElapsedTime(&milliseconds, events[0], events[1]),
                           "cuEventElapsedTime"));
    return static_cast<double>(milliseconds) * 1e-3;
  }

private:
  const Driver &api;
  CUstream stream;
  CUevent events[2] = {};
};

double bytesOf(const Plan &plan, const SawtoothStepRow &step, const Store &store) {
  double bytes = 0;
  for (const SawtoothActionRow &action : Plan::rows(step.actions, plan.actions())) {
    if (action.kind != SAWTOOTH_PASS)
      continue;
    double elements = 0;
    for (int64_t numel : store.model(action.model).numel)
      elements += static_cast<double>(numel);
    for (SawtoothRange range : {action.reads, action.writes})
      for (const SawtoothAccess &access : Plan::rows(range, plan.accesses()))
        bytes += elements * access.bytes;
  }
  return bytes;
}

} // namespace

/// As many of the tensors as leave room on the device, in their order.
static std::vector<TensorSpec> fitting(const std::vector<TensorSpec> &tensors,
                                       uint64_t bytesPerParameter, uint64_t room) {
  std::vector<TensorSpec> some;
  uint64_t used = 0;
  for (const TensorSpec &tensor : tensors) {
    used += static_cast<uint64_t>(*countElements(tensor.dims)) * bytesPerParameter;
    if (used > room)
      break;
    some.push_back(tensor);
  }
  return some;
}

Result<Report> bench::measureOnGpu(const Artifact &artifact, uint32_t step,
                                   const DevicePointer &device, const Options &options) {
  const Driver &api = device->driver();
  const Plan &plan = artifact.plan;
  ContextScope scope(api, device->context());
  SAWTOOTH_TRY(scope.status());
  Result<std::unique_ptr<Store>> store = Store::create(plan, /*seed=*/0);
  if (!store.ok())
    return store.status();
  auto isOfStep = [&](const SawtoothListRow &row) {
    return row.step == SAWTOOTH_NONE || row.step == step;
  };
  uint64_t resident = 0;
  for (const SawtoothListRow &row : plan.lists())
    if (isOfStep(row))
      resident += typeBytes(SawtoothType(row.type));
  size_t unused = 0, total = 0;
  if (api.cuMemGetInfo)
    SAWTOOTH_TRY(api.check(api.cuMemGetInfo(&unused, &total), "cuMemGetInfo"));
  // A copy of the largest list has to fit beside.
  std::vector<TensorSpec> tensors = fitting(options.tensors, resident + 4, unused / 20 * 17);

  DeviceLists lists;
  for (uint32_t list = 0; list < plan.lists().size(); ++list)
    if (isOfStep(plan.lists()[list]) && plan.lists()[list].kind != SAWTOOTH_LIST_SCRATCH)
      SAWTOOTH_TRY(lists.bind(**store, device, list, tensors));
  SAWTOOTH_TRY(api.check(api.cuStreamSynchronize(nullptr), "cuStreamSynchronize"));
  SAWTOOTH_TRY((*store)->finish());
  Result<std::unique_ptr<DeviceEngine>> engine = DeviceEngine::create(**store, device, 1024);
  if (!engine.ok())
    return engine.status();
  Result<std::unique_ptr<StepRunner>> runner = (*engine)->prepare(artifact, step);
  if (!runner.ok())
    return runner.status();
  SAWTOOTH_TRY((*runner)->ready());
  auto &executor = static_cast<DeviceExecutor &>(**runner);
  CUstream stream = (*engine)->currentStream();

  Report report;
  report.tensors = tensors.size();
  for (const TensorSpec &tensor : tensors)
    report.parameters += static_cast<uint64_t>(*countElements(tensor.dims));
  double moved = bytesOf(plan, executor.step(), **store);
  report.bytesPerParameter = report.parameters ? moved / static_cast<double>(report.parameters) : 0;

  Result<DeviceMemory> target = DeviceMemory::allocate(device, lists.largest, "a copy");
  if (!target.ok())
    return target.status();
  const DeviceMemory *from = nullptr;
  for (const DeviceMemory &each : lists.memory)
    if (each.bytes() == lists.largest)
      from = &each;
  Stopwatch watch(api, stream);
  std::vector<double> steps, bounds, ratios, rates, copies;
  for (unsigned i = 0; i <= options.steps; ++i) {
    Result<double> own = watch.seconds([&] { return executor.run(stream); });
    if (!own.ok())
      return own.status();
    // A copy moves each byte twice; what it does a second bounds what a step can do.
    Result<double> copy = watch.seconds([&] {
      return lists.largest ? api.check(api.cuMemcpyDtoDAsync(target->address(), from->address(),
                                                             lists.largest, stream),
                                       "cuMemcpyDtoDAsync")
                           : Status();
    });
    if (!copy.ok())
      return copy.status();
    if (i == 0) {
      report.firstStepSeconds = *own;
      continue;
    }
    double rate = *copy > 0 ? 2 * static_cast<double>(lists.largest) / *copy : 0;
    double bound = rate > 0 ? moved / rate : 0;
    steps.push_back(*own);
    bounds.push_back(bound);
    copies.push_back(rate);
    ratios.push_back(bound > 0 ? *own / bound : 0);
    rates.push_back(*own > 0 ? moved / *own : 0);
  }
  report.step = summarize(steps);
  report.bound = summarize(bounds);
  report.ratioToBound = summarize(ratios).median;
  report.bytesPerSecond = summarize(rates).median;
  report.copyBytesPerSecond = report.boundBytesPerSecond = summarize(copies).median;
  StatusRow row;
  while ((*engine)->next(row))
    report.skipped += !row.applied;
  return report;
}
