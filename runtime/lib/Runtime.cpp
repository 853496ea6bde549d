// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RuntimeObject.h"

#include "Cat.h"
#include "sawtooth/runtime/Names.h"

using namespace sawtooth::runtime;

static_assert(SAWTOOTH_DEVICE_FAILED == static_cast<uint32_t>(StatusCode::DeviceFailed),
              "the codes are those of Status.h");

uint32_t sawtoothErrorCode(const SawtoothError *error) {
  return error ? static_cast<uint32_t>(error->status.code()) : uint32_t(SAWTOOTH_OK);
}
const char *sawtoothErrorMessage(const SawtoothError *error) {
  return error ? error->status.message().c_str() : "";
}
const char *sawtoothErrorFile(const SawtoothError *error) {
  return error ? error->status.file() : "";
}
uint32_t sawtoothErrorLine(const SawtoothError *error) { return error ? error->status.line() : 0; }
void sawtoothErrorDestroy(SawtoothError *error) { delete error; }

static ParallelFor schedulerOf(const SawtoothRuntimeOptions &options) {
  if (!options.parallelFor)
    return ParallelFor::openMp(options.threads);
  ParallelFor scheduler;
  scheduler.run = options.parallelFor->run;
  scheduler.user = options.parallelFor->user;
  scheduler.threads = options.parallelFor->threads ? options.parallelFor->threads : 1;
  return scheduler;
}

static Status chooseDevice(SawtoothRuntime &runtime, const SawtoothDeviceOptions *given) {
  SawtoothDeviceOptions chosen = given ? *given : SawtoothDeviceOptions{};
  Result<cuda::DevicePointer> device =
      chosen.context ? cuda::Device::of(static_cast<cuda::CUcontext>(chosen.context))
                     : cuda::Device::primary(chosen.ordinal);
  if (!device.ok())
    return device.status();
  runtime.device = *device;
  runtime.stream = static_cast<cuda::CUstream>(chosen.stream);
  return {};
}

SawtoothError *sawtoothRuntimeCreate(const SawtoothArtifact *artifact,
                                     const SawtoothRuntimeOptions *options,
                                     SawtoothRuntime **runtime) {
  return guarded([&]() -> Status {
    *runtime = nullptr;
    SawtoothRuntimeOptions chosen = options ? *options : SawtoothRuntimeOptions{};
    Result<Artifact> read = Artifact::read(artifact);
    if (!read.ok())
      return read.status();
    Result<std::unique_ptr<Store>> store =
        Store::create(read->plan, chosen.seed, schedulerOf(chosen));
    if (!store.ok())
      return store.status();
    auto created = std::make_unique<SawtoothRuntime>();
    created->artifact = std::move(*read);
    created->store = std::move(*store);
    created->ringRows = chosen.ringRows ? chosen.ringRows : 1024;
    if (created->artifact.isForGpu())
      SAWTOOTH_TRY(chooseDevice(*created, chosen.device));
    *runtime = created.release();
    return {};
  });
}

void sawtoothRuntimeDestroy(SawtoothRuntime *runtime) { delete runtime; }

SawtoothError *sawtoothRuntimeLoad(SawtoothRuntime *runtime, const char *path) {
  return guarded([&] { return loadState(*runtime->store, path, runtime->position); });
}

SawtoothError *sawtoothRuntimeSave(SawtoothRuntime *runtime, const char *path) {
  return guarded([&] {
    if (runtime->engine)
      SAWTOOTH_TRY(runtime->engine->pull());
    return saveState(*runtime->store, path, runtime->position);
  });
}

// Binds, and lets a prepared runtime know.
template <typename Bind>
static Status bindNamed(SawtoothRuntime *runtime, const char *list, Bind bind) {
  Result<std::vector<uint32_t>> lists = runtime->store->listsNamed(list);
  if (!lists.ok())
    return lists.status();
  for (uint32_t number : *lists) {
    SAWTOOTH_TRY(bind(number));
    if (runtime->engine)
      SAWTOOTH_TRY(runtime->engine->pushList(number));
  }
  return {};
}

static std::vector<TensorRef> refsOf(const SawtoothBuffer *tensors, uint64_t count) {
  std::vector<TensorRef> refs;
  for (uint64_t i = 0; i < count; ++i)
    refs.push_back({tensors[i].name,
                    {tensors[i].dims, tensors[i].dims + tensors[i].rank},
                    SawtoothType(tensors[i].type),
                    tensors[i].data});
  return refs;
}

SawtoothError *sawtoothRuntimeBind(SawtoothRuntime *runtime, const char *list,
                                   const SawtoothBuffer *tensors, uint64_t count) {
  return guarded([&] {
    std::vector<TensorRef> refs = refsOf(tensors, count);
    return bindNamed(runtime, list,
                     [&](uint32_t number) { return runtime->store->bind(number, refs); });
  });
}

SawtoothError *sawtoothRuntimeBindDevice(SawtoothRuntime *runtime, const char *list,
                                         const SawtoothBuffer *tensors, uint64_t count) {
  return guarded([&] {
    if (!runtime->device)
      return Status::error(StatusCode::Invalid,
                           "expected code for a GPU to bind buffers on one, got code for a CPU");
    std::vector<TensorRef> refs = refsOf(tensors, count);
    return bindNamed(runtime, list,
                     [&](uint32_t number) { return runtime->store->bindDevice(number, refs); });
  });
}

SawtoothError *sawtoothRuntimeBindFile(SawtoothRuntime *runtime, const char *list, const char *path,
                                       const char *prefix) {
  return guarded([&] {
    Result<std::shared_ptr<const TensorFile>> file = TensorFile::open(path);
    if (!file.ok())
      return file.status();
    return bindNamed(runtime, list, [&](uint32_t number) {
      return runtime->store->bindFile(number, *file, prefix);
    });
  });
}

static Status createEngine(SawtoothRuntime &runtime) {
  if (!runtime.device) {
    runtime.engine = createCpuEngine(*runtime.store, runtime.ringRows);
    return {};
  }
  Result<std::unique_ptr<cuda::DeviceEngine>> engine =
      cuda::DeviceEngine::create(*runtime.store, runtime.device, runtime.ringRows, runtime.stream);
  if (!engine.ok())
    return engine.status();
  runtime.engine = std::move(*engine);
  return {};
}

SawtoothError *sawtoothRuntimePrepare(SawtoothRuntime *runtime) {
  return guarded([&]() -> Status {
    Store &store = *runtime->store;
    if (runtime->device)
      cuda::fetchFrom(store, runtime->device, runtime->stream);
    SAWTOOTH_TRY(store.finish());
    const Plan &plan = runtime->artifact.plan;
    SAWTOOTH_TRY(createEngine(*runtime));
    runtime->runners.resize(plan.steps().size());
    for (uint32_t step = 0; step < plan.steps().size(); ++step) {
      bool bound = true;
      for (uint32_t list = 0; list < plan.lists().size(); ++list)
        bound &= plan.lists()[list].step != step ||
                 plan.lists()[list].kind != SAWTOOTH_LIST_ARGUMENT ||
                 store.origin(list) == ListOrigin::Bound;
      if (!bound)
        continue;
      Result<std::unique_ptr<StepRunner>> created =
          runtime->engine->prepare(runtime->artifact, step);
      if (!created.ok())
        return created.status();
      runtime->runners[step] = std::move(*created);
    }
    return {};
  });
}
