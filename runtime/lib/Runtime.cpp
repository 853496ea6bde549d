// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Runtime.h"

#include "Cat.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Names.h"
#include "sawtooth/runtime/Report.h"
#include "sawtooth/runtime/StateFile.h"

#include <cmath>
#include <new>

using namespace sawtooth::runtime;

static_assert(SAWTOOTH_STUCK == static_cast<uint32_t>(StatusCode::Stuck),
              "the codes are those of Status.h");

struct SawtoothError {
  Status status;
};

struct SawtoothRuntime {
  Artifact artifact;
  std::unique_ptr<Store> store;
  std::vector<std::unique_ptr<Executor>> executors; // by step; null when a list is not bound
  std::unique_ptr<Reporter> reporter;
  StatusRow row; // what sawtoothRuntimePoll reads into
  Position position;
};

// Nothing is thrown across a C API: what the C++ library throws becomes a status.
template <typename Function>
static SawtoothError *guarded(Function &&function) {
  Status status;
  try {
    status = function();
    return status.ok() ? nullptr : new SawtoothError{std::move(status)};
  } catch (const std::bad_alloc &) {
    status = Status::error(StatusCode::OutOfMemory, "out of memory");
  } catch (const std::exception &problem) {
    status = Status::error(StatusCode::Invalid, problem.what());
  }
  return new (std::nothrow) SawtoothError{std::move(status)};
}

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
    created->reporter =
        std::make_unique<Reporter>(*created->store, chosen.ringRows ? chosen.ringRows : 1024);
    *runtime = created.release();
    return {};
  });
}

void sawtoothRuntimeDestroy(SawtoothRuntime *runtime) { delete runtime; }

SawtoothError *sawtoothRuntimeLoad(SawtoothRuntime *runtime, const char *path) {
  return guarded([&] { return loadState(*runtime->store, path, runtime->position); });
}

SawtoothError *sawtoothRuntimeSave(const SawtoothRuntime *runtime, const char *path) {
  return guarded([&] { return saveState(*runtime->store, path, runtime->position); });
}

SawtoothError *sawtoothRuntimeBind(SawtoothRuntime *runtime, const char *list,
                                   const SawtoothBuffer *tensors, uint64_t count) {
  return guarded([&]() -> Status {
    Result<std::vector<uint32_t>> lists = runtime->store->listsNamed(list);
    if (!lists.ok())
      return lists.status();
    std::vector<TensorRef> refs;
    for (uint64_t i = 0; i < count; ++i)
      refs.push_back({tensors[i].name,
                      {tensors[i].dims, tensors[i].dims + tensors[i].rank},
                      SawtoothType(tensors[i].type),
                      tensors[i].data});
    for (uint32_t number : *lists)
      SAWTOOTH_TRY(runtime->store->bind(number, refs));
    return {};
  });
}

SawtoothError *sawtoothRuntimeBindFile(SawtoothRuntime *runtime, const char *list, const char *path,
                                       const char *prefix) {
  return guarded([&]() -> Status {
    Result<std::vector<uint32_t>> lists = runtime->store->listsNamed(list);
    if (!lists.ok())
      return lists.status();
    Result<std::shared_ptr<const TensorFile>> file = TensorFile::open(path);
    if (!file.ok())
      return file.status();
    for (uint32_t number : *lists)
      SAWTOOTH_TRY(runtime->store->bindFile(number, *file, prefix));
    return {};
  });
}

SawtoothError *sawtoothRuntimePrepare(SawtoothRuntime *runtime) {
  return guarded([&]() -> Status {
    Store &store = *runtime->store;
    SAWTOOTH_TRY(store.finish());
    const Plan &plan = runtime->artifact.plan;
    runtime->executors.resize(plan.steps().size());
    for (uint32_t step = 0; step < plan.steps().size(); ++step) {
      bool bound = true;
      for (uint32_t list = 0; list < plan.lists().size(); ++list)
        bound &= plan.lists()[list].step != step ||
                 plan.lists()[list].kind != SAWTOOTH_LIST_ARGUMENT ||
                 store.origin(list) == ListOrigin::Bound;
      if (!bound)
        continue;
      Result<std::unique_ptr<Executor>> created = Executor::create(runtime->artifact, step, store);
      if (!created.ok())
        return created.status();
      runtime->executors[step] = std::move(*created);
    }
    return {};
  });
}

// The executor of a prepared step.
static Status findStep(SawtoothRuntime *runtime, const char *name, Executor *&executor) {
  const Plan &plan = runtime->artifact.plan;
  std::optional<uint32_t> step = plan.findStep(name);
  if (!step)
    return Status::error(StatusCode::NotFound, unknownName("step", name, plan.stepNames()));
  if (runtime->executors.empty())
    return Status::error(StatusCode::Invalid, "expected the runtime to be prepared");
  executor = runtime->executors[*step].get();
  return executor ? Status()
                  : Status::error(StatusCode::Invalid,
                                  cat("a list argument of step '", name, "' is not bound"));
}

// Finds what a name is and sets it: every argument of that name, or a field.
template <typename SetArgument, typename SetField>
static Status setNamed(SawtoothRuntime *runtime, const std::string &name, SetArgument setArgument,
                       SetField setField) {
  bool found = false;
  for (const auto &executor : runtime->executors) {
    if (!executor)
      continue;
    for (uint32_t arg = 0; arg < executor->args().size(); ++arg) {
      std::string plain = executor->plan().string(executor->args()[arg].name);
      if (name != plain && name != cat(executor->name(), ".", plain))
        continue;
      found = true;
      SAWTOOTH_TRY(setArgument(*executor, arg));
    }
  }
  if (found)
    return {};
  Result<uint32_t> field = runtime->store->fieldNamed(name);
  return field.ok() ? setField(*field) : field.status();
}

static Status numberSlot(SawtoothType type, double value, uint64_t &slot) {
  if (isFloat(type)) {
    slot = doubleToSlot(type, value);
    return {};
  }
  bool whole = value == std::trunc(value) && std::fabs(value) <= 0x1p53;
  if (!whole || !integerToSlot(type, static_cast<int64_t>(value), slot))
    return Status::error(StatusCode::Invalid,
                         cat("expected a whole number in the range of ", typeName(type)));
  return {};
}

SawtoothError *sawtoothRuntimeSet(SawtoothRuntime *runtime, const char *name, double value) {
  return guarded([&] {
    uint64_t slot = 0;
    return setNamed(
        runtime, name,
        [&](Executor &executor, uint32_t arg) {
          SAWTOOTH_TRY(numberSlot(SawtoothType(executor.args()[arg].type), value, slot).of(name));
          executor.setArgSlot(arg, slot);
          return Status();
        },
        [&](uint32_t field) {
          SawtoothType type = SawtoothType(runtime->artifact.plan.fields()[field].type);
          SAWTOOTH_TRY(numberSlot(type, value, slot).of(name));
          for (uint64_t &place : runtime->store->slots(field))
            place = slot;
          return Status();
        });
  });
}

SawtoothError *sawtoothRuntimeSetText(SawtoothRuntime *runtime, const char *name,
                                      const char *value) {
  return guarded([&] {
    return setNamed(
        runtime, name,
        [&](Executor &executor, uint32_t arg) { return executor.setArg(arg, value); },
        [&](uint32_t field) { return runtime->store->setField(field, value); });
  });
}

SawtoothError *sawtoothRuntimeGet(const SawtoothRuntime *runtime, const char *name, uint64_t tensor,
                                  double *value) {
  return guarded([&]() -> Status {
    const Store &store = *runtime->store;
    Result<uint32_t> field = store.fieldNamed(name);
    if (!field.ok())
      return field.status();
    std::span<const uint64_t> slots = store.slots(*field);
    if (tensor >= slots.size())
      return Status::error(StatusCode::NotFound, cat("expected a tensor of '", name, "' below ",
                                                     slots.size(), ", got ", tensor));
    *value = slotToDouble(SawtoothType(store.plan().fields()[*field].type), slots[tensor]);
    return {};
  });
}

SawtoothError *sawtoothRuntimeSetTensor(SawtoothRuntime *runtime, const char *step,
                                        const char *argument, const void *data) {
  return guarded([&]() -> Status {
    Executor *executor;
    SAWTOOTH_TRY(findStep(runtime, step, executor));
    std::vector<std::string> known;
    for (uint32_t i = 0; i < executor->tensorArgs().size(); ++i) {
      known.push_back(executor->plan().string(executor->tensorArgs()[i].name));
      if (known.back() == argument) {
        executor->setTensor(i, data);
        return {};
      }
    }
    return Status::error(StatusCode::NotFound, unknownName("tensor argument", argument, known));
  });
}

SawtoothError *sawtoothRuntimeBuffer(const SawtoothRuntime *runtime, const char *list,
                                     uint64_t tensor, void **data) {
  return guarded([&]() -> Status {
    Result<std::vector<uint32_t>> lists = runtime->store->listsNamed(list);
    if (!lists.ok())
      return lists.status();
    std::span<void *const> buffers = runtime->store->buffers((*lists)[0]);
    if (tensor >= buffers.size())
      return Status::error(StatusCode::NotFound, cat("expected a tensor of '", list, "' below ",
                                                     buffers.size(), ", got ", tensor));
    *data = buffers[tensor];
    return {};
  });
}

SawtoothError *sawtoothRuntimeRun(SawtoothRuntime *runtime, const char *step, int *applied) {
  return guarded([&]() -> Status {
    Executor *executor;
    SAWTOOTH_TRY(findStep(runtime, step, executor));
    SAWTOOTH_TRY(executor->ready());
    Outcome outcome = executor->run();
    runtime->reporter->record(*executor);
    if (applied)
      *applied = outcome.applied;
    return {};
  });
}

int sawtoothRuntimePoll(SawtoothRuntime *runtime, SawtoothRow *row, double *logs,
                        uint64_t capacity) {
  StatusRow &read = runtime->row;
  if (!runtime->reporter->next(read))
    return 0;
  *row = {
      read.sequence,     read.step,    read.applied,          read.causes,           read.attempted,
      read.appliedSteps, read.skipped, read.consecutiveSkips, read.calibrationSkips, NAN,
      read.logs.size()};
  if (!read.scalers.empty() && read.scalers[0].hasScale)
    row->scale = read.scalers[0].scale;
  const Plan &plan = runtime->artifact.plan;
  std::span<const SawtoothLogRow> rows = Plan::rows(plan.steps()[read.step].logs, plan.logs());
  for (uint64_t i = 0; i < read.logs.size() && i < capacity; ++i)
    logs[i] = slotToDouble(SawtoothType(rows[i].type), read.logs[i]);
  return 1;
}

uint64_t sawtoothRuntimeDropped(const SawtoothRuntime *runtime) {
  return runtime->reporter->dropped();
}
