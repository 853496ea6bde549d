// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/GpuTrial.h"

#include "bench/RandomList.h"
#include "sawtooth/runtime/Convert.h"

#include <algorithm>
#include <cmath>

using namespace sawtooth;
using namespace sawtooth::bench;
using namespace sawtooth::runtime;
using namespace sawtooth::runtime::cuda;

GpuTrial::GpuTrial(const DevicePointer &device)
    : device(device), api(device->driver()), scope(api, device->context()) {}

GpuTrial::~GpuTrial() {
  for (CUevent event : {before, after})
    if (event)
      (void)api.cuEventDestroy(event);
}

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

Result<std::unique_ptr<GpuTrial>> GpuTrial::create(const Artifact &artifact, uint32_t step,
                                                   const std::vector<TensorSpec> &tensors,
                                                   const DevicePointer &device) {
  std::unique_ptr<GpuTrial> trial(new GpuTrial(device));
  const Driver &api = trial->api;
  SAWTOOTH_TRY(trial->scope.status());
  const Plan &plan = artifact.plan;
  uint64_t resident = 0;
  for (const SawtoothListRow &row : plan.lists())
    if (row.step == SAWTOOTH_NONE || row.step == step)
      resident += typeBytes(SawtoothType(row.type));
  size_t unused = 0, total = 0;
  if (api.cuMemGetInfo)
    SAWTOOTH_TRY(api.check(api.cuMemGetInfo(&unused, &total), "cuMemGetInfo"));
  // A copy of the largest list has to fit beside.
  std::vector<TensorSpec> some = fitting(tensors, resident + 4, unused / 20 * 17);
  trial->leftOut_ = tensors.size() - some.size();
  if (some.empty() && !tensors.empty())
    return Status::error(StatusCode::OutOfMemory,
                         "not even tensor '" + tensors[0].name + "' fits on " + device->name() +
                             ", which has " + std::to_string(unused) + " bytes left");
  SAWTOOTH_TRY(trial->createStore(artifact, step, some, ParallelFor::openMp()));
  SAWTOOTH_TRY(trial->createLists(artifact, step));
  SAWTOOTH_TRY(trial->store->finish());
  // Each row is taken as soon as its step has ended.
  Result<std::unique_ptr<DeviceEngine>> engine =
      DeviceEngine::create(*trial->store, device, /*rows=*/2);
  if (!engine.ok())
    return engine.status();
  trial->engine = std::move(*engine);
  Result<std::unique_ptr<StepRunner>> runner = trial->engine->prepare(artifact, step);
  if (!runner.ok())
    return runner.status();
  trial->runner = std::move(*runner);
  SAWTOOTH_TRY(trial->setArguments(*trial->runner));
  for (CUevent *event : {&trial->before, &trial->after})
    SAWTOOTH_TRY(api.check(api.cuEventCreate(event, 0), "cuEventCreate"));
  return trial;
}

Status GpuTrial::createLists(const Artifact &artifact, uint32_t step) {
  const Plan &plan = artifact.plan;
  for (uint32_t list = 0; list < plan.lists().size(); ++list) {
    const SawtoothListRow &row = plan.lists()[list];
    if ((row.step != SAWTOOTH_NONE && row.step != step) || row.kind == SAWTOOTH_LIST_SCRATCH)
      continue;
    SAWTOOTH_TRY(bind(list));
    if (row.kind != SAWTOOTH_LIST_ARGUMENT || poisonPlace)
      continue;
    std::span<const uint64_t> addresses = store->deviceAddresses(list);
    for (size_t tensor = 0; tensor < addresses.size() && !poisonPlace; ++tensor)
      if (store->model(row.model).numel[tensor])
        poisonPlace = addresses[tensor];
    SAWTOOTH_TRY(createElements(SawtoothType(row.type)));
  }
  uint64_t largest = 0;
  for (const DeviceMemory &list : lists)
    if (list.bytes() > largest) {
      largest = list.bytes();
      copySource = list.address();
    }
  Result<DeviceMemory> target = DeviceMemory::allocate(device, largest, "a copy");
  if (!target.ok())
    return target.status();
  copyTarget = std::move(*target);
  return api.check(api.cuStreamSynchronize(nullptr), "cuStreamSynchronize");
}

/// A piece of random elements crosses from the host, and is repeated on the device.
Status GpuTrial::fillRandom(const DeviceMemory &list, SawtoothType type, uint32_t number) {
  uint64_t done = std::min(list.bytes(), uint64_t(4) << 20);
  int64_t elements = static_cast<int64_t>(done / typeBytes(type));
  Result<RandomList> piece =
      RandomList::create({{"piece", {elements}}}, type, number, ParallelFor::openMp());
  if (!piece.ok())
    return piece.status();
  if (done)
    SAWTOOTH_TRY(
        api.check(api.cuMemcpyHtoDAsync(list.address(), piece->tensors()[0].data, done, nullptr),
                  "cuMemcpyHtoDAsync"));
  for (uint64_t more = 0; done < list.bytes(); done += more) {
    more = std::min(done, list.bytes() - done);
    SAWTOOTH_TRY(
        api.check(api.cuMemcpyDtoDAsync(list.address() + done, list.address(), more, nullptr),
                  "cuMemcpyDtoDAsync"));
  }
  // The piece has to stay until it was read.
  return api.check(api.cuStreamSynchronize(nullptr), "cuStreamSynchronize");
}

/// In memory of the device alone: a list of the host's would have to cross and back. State that has
/// an initial value begins with zeros, which for moments it is.
Status GpuTrial::bind(uint32_t list) {
  const SawtoothListRow &row = store->plan().lists()[list];
  uint64_t elementBytes = typeBytes(SawtoothType(row.type)), total = 0;
  std::vector<uint64_t> offsets;
  std::vector<TensorSpec> specs = tensorsOf(list);
  for (const TensorSpec &spec : specs) {
    offsets.push_back(total);
    total += (static_cast<uint64_t>(*countElements(spec.dims)) * elementBytes + 127) / 128 * 128;
  }
  Result<DeviceMemory> made = DeviceMemory::allocate(device, total, "a list");
  if (!made.ok())
    return made.status();
  if (isRandom(list))
    SAWTOOTH_TRY(fillRandom(*made, SawtoothType(row.type), list));
  else if (total)
    SAWTOOTH_TRY(
        api.check(api.cuMemsetD8Async(made->address(), 0, total, nullptr), "cuMemsetD8Async"));
  std::vector<TensorRef> refs;
  for (size_t i = 0; i < specs.size(); ++i)
    refs.push_back({specs[i].name, specs[i].dims, SawtoothType(row.type),
                    reinterpret_cast<void *>(made->address() + offsets[i])});
  lists.push_back(std::move(*made));
  return store->bindDevice(list, refs);
}

Status GpuTrial::createElements(SawtoothType type) {
  poisonBytes = typeBytes(type);
  Result<DeviceMemory> made = DeviceMemory::allocate(device, 2 * poisonBytes, "two elements");
  if (!made.ok())
    return made.status();
  elements = std::move(*made);
  const uint64_t slots[] = {doubleToSlot(type, INFINITY), doubleToSlot(type, 0.5)};
  for (unsigned i = 0; i < 2; ++i)
    SAWTOOTH_TRY(api.check(api.cuMemcpyHtoDAsync(elements.address() + i * poisonBytes, &slots[i],
                                                 poisonBytes, nullptr),
                           "cuMemcpyHtoDAsync"));
  return api.check(api.cuStreamSynchronize(nullptr), "cuStreamSynchronize");
}

/// Enqueues it: in the order of the stream, and without a word from the host when it comes to that.
Status GpuTrial::poison(bool on) {
  return api.check(api.cuMemcpyDtoDAsync(poisonPlace, elements.address() + (on ? 0 : poisonBytes),
                                         poisonBytes, engine->currentStream()),
                   "cuMemcpyDtoDAsync");
}

/// Seconds between two events around work on the stream.
Result<double> GpuTrial::secondsOf(auto &&work) {
  CUstream stream = engine->currentStream();
  float milliseconds = 0;
  SAWTOOTH_TRY(api.check(api.cuEventRecord(before, stream), "cuEventRecord"));
  SAWTOOTH_TRY(work());
  SAWTOOTH_TRY(api.check(api.cuEventRecord(after, stream), "cuEventRecord"));
  SAWTOOTH_TRY(api.check(api.cuEventSynchronize(after), "cuEventSynchronize"));
  SAWTOOTH_TRY(
      api.check(api.cuEventElapsedTime(&milliseconds, before, after), "cuEventElapsedTime"));
  return static_cast<double>(milliseconds) * 1e-3;
}

Result<Trial::Run> GpuTrial::runStep(bool poisoned) {
  if (poisoned)
    SAWTOOTH_TRY(poison(true));
  Result<double> seconds = secondsOf([&] { return engine->start(*runner); });
  if (!seconds.ok())
    return seconds.status();
  if (poisoned)
    SAWTOOTH_TRY(poison(false));
  StatusRow row;
  if (!engine->next(row))
    return Status::error(StatusCode::DeviceFailed,
                         "step '" + runner->name() + "' ended without a row of its status");
  return Run{*seconds, row.applied};
}

Result<double> GpuTrial::runBound(bool applied) {
  copySeconds = 0;
  if (!copyTarget.bytes())
    return 0.0;
  Result<double> seconds = secondsOf([&] {
    return api.check(api.cuMemcpyDtoDAsync(copyTarget.address(), copySource, copyTarget.bytes(),
                                           engine->currentStream()),
                     "cuMemcpyDtoDAsync");
  });
  if (!seconds.ok())
    return seconds.status();
  copySeconds = *seconds;
  return bytes(applied) * copySeconds / copyBytes();
}
