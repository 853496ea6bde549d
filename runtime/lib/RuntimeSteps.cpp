// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Runtime.h that is for a prepared runtime.
#include "Cat.h"
#include "RuntimeObject.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Names.h"

#include <cmath>

using namespace sawtooth::runtime;

Status SawtoothRuntime::find(const char *name, StepRunner *&runner) const {
  const Plan &plan = artifact.plan;
  std::optional<uint32_t> step = plan.findStep(name);
  if (!step)
    return Status::error(StatusCode::NotFound, unknownName("step", name, plan.stepNames()));
  if (runners.empty())
    return Status::error(StatusCode::Invalid, "expected the runtime to be prepared");
  runner = runners[*step].get();
  return runner ? Status()
                : Status::error(StatusCode::Invalid,
                                cat("a list argument of step '", name, "' is not bound"));
}

// Finds what a name is and sets it: every argument of that name, or a field.
template <typename SetArgument, typename SetField>
static Status setNamed(SawtoothRuntime *runtime, const std::string &name, SetArgument setArgument,
                       SetField setField) {
  bool found = false;
  for (const auto &runner : runtime->runners) {
    if (!runner)
      continue;
    for (uint32_t arg = 0; arg < runner->args().size(); ++arg) {
      std::string plain = runner->plan().string(runner->args()[arg].name);
      if (name != plain && name != cat(runner->name(), ".", plain))
        continue;
      found = true;
      SAWTOOTH_TRY(setArgument(*runner, arg));
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
        [&](StepRunner &runner, uint32_t arg) {
          SAWTOOTH_TRY(numberSlot(SawtoothType(runner.args()[arg].type), value, slot).of(name));
          runner.setArgSlot(arg, slot);
          return Status();
        },
        [&](uint32_t field) {
          SawtoothType type = SawtoothType(runtime->artifact.plan.fields()[field].type);
          SAWTOOTH_TRY(numberSlot(type, value, slot).of(name));
          for (uint64_t &place : runtime->store->slots(field))
            place = slot;
          return runtime->engine ? runtime->engine->pushField(field) : Status();
        });
  });
}

SawtoothError *sawtoothRuntimeSetText(SawtoothRuntime *runtime, const char *name,
                                      const char *value) {
  return guarded([&] {
    return setNamed(
        runtime, name, [&](StepRunner &runner, uint32_t arg) { return runner.setArg(arg, value); },
        [&](uint32_t field) {
          SAWTOOTH_TRY(runtime->store->setField(field, value));
          return runtime->engine ? runtime->engine->pushField(field) : Status();
        });
  });
}

// The slot of a field in the host's memory.
static Status findSlot(const SawtoothRuntime *runtime, const char *name, uint64_t tensor,
                       uint32_t &field, uint64_t *&slot) {
  Result<uint32_t> found = runtime->store->fieldNamed(name);
  if (!found.ok())
    return found.status();
  field = *found;
  std::span<uint64_t> slots = runtime->store->slots(field);
  if (tensor >= slots.size())
    return Status::error(StatusCode::NotFound, cat("expected a tensor of '", name, "' below ",
                                                   slots.size(), ", got ", tensor));
  slot = &slots[tensor];
  return {};
}

SawtoothError *sawtoothRuntimeGet(SawtoothRuntime *runtime, const char *name, uint64_t tensor,
                                  double *value) {
  return guarded([&]() -> Status {
    uint32_t field;
    uint64_t *slot;
    SAWTOOTH_TRY(findSlot(runtime, name, tensor, field, slot));
    if (runtime->engine)
      SAWTOOTH_TRY(runtime->engine->pullFields());
    *value = slotToDouble(SawtoothType(runtime->artifact.plan.fields()[field].type), *slot);
    return {};
  });
}

SawtoothError *sawtoothRuntimeField(const SawtoothRuntime *runtime, const char *name,
                                    uint64_t tensor, void **address) {
  return guarded([&]() -> Status {
    uint32_t field;
    uint64_t *slot;
    SAWTOOTH_TRY(findSlot(runtime, name, tensor, field, slot));
    if (runtime->device && !runtime->engine)
      return Status::error(StatusCode::Invalid, "expected the runtime to be prepared");
    *address =
        runtime->gpu()
            ? reinterpret_cast<void *>(runtime->gpu()->deviceStore().fieldAddress(field, tensor))
            : slot;
    return {};
  });
}

static Status findArgument(const StepRunner &runner, const char *name, uint32_t &argument) {
  std::vector<std::string> known;
  for (argument = 0; argument < runner.tensorArgs().size(); ++argument) {
    known.push_back(runner.plan().string(runner.tensorArgs()[argument].name));
    if (known.back() == name)
      return {};
  }
  return Status::error(StatusCode::NotFound, unknownName("tensor argument", name, known));
}

SawtoothError *sawtoothRuntimeSetTensor(SawtoothRuntime *runtime, const char *step,
                                        const char *argument, const void *data) {
  return guarded([&]() -> Status {
    StepRunner *runner;
    uint32_t number;
    SAWTOOTH_TRY(runtime->find(step, runner));
    SAWTOOTH_TRY(findArgument(*runner, argument, number));
    runner->setTensor(number, data);
    return {};
  });
}

SawtoothError *sawtoothRuntimeSetDeviceTensor(SawtoothRuntime *runtime, const char *step,
                                              const char *argument, void *address) {
  return guarded([&]() -> Status {
    StepRunner *runner;
    uint32_t number;
    SAWTOOTH_TRY(runtime->find(step, runner));
    SAWTOOTH_TRY(findArgument(*runner, argument, number));
    if (!runtime->device)
      return Status::error(StatusCode::Invalid,
                           "expected code for a GPU to take a tensor on one, got code for a CPU");
    return static_cast<cuda::DeviceExecutor *>(runner)->setDeviceTensor(
        number, reinterpret_cast<uintptr_t>(address));
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
    if (runtime->device && !runtime->engine)
      return Status::error(StatusCode::Invalid, "expected the runtime to be prepared");
    *data = runtime->gpu() ? reinterpret_cast<void *>(
                                 runtime->gpu()->deviceStore().tensorAddress((*lists)[0], tensor))
                           : buffers[tensor];
    return {};
  });
}

SawtoothError *sawtoothRuntimeRun(SawtoothRuntime *runtime, const char *step, int *applied) {
  return guarded([&]() -> Status {
    StepRunner *runner;
    SAWTOOTH_TRY(runtime->find(step, runner));
    SAWTOOTH_TRY(runner->ready());
    SAWTOOTH_TRY(runtime->engine->start(*runner));
    if (!applied)
      return {};
    Result<bool> held = runtime->engine->applied(*runner);
    if (held.ok())
      *applied = *held;
    return held.status();
  });
}

SawtoothError *sawtoothRuntimeWait(SawtoothRuntime *runtime) {
  return guarded([&] { return runtime->engine ? runtime->engine->wait() : Status(); });
}

SawtoothError *sawtoothRuntimeSetStream(SawtoothRuntime *runtime, void *stream) {
  return guarded([&] {
    runtime->stream = static_cast<cuda::CUstream>(stream);
    if (cuda::DeviceEngine *gpu = runtime->gpu())
      gpu->setStream(runtime->stream);
    return Status();
  });
}

SawtoothError *sawtoothRuntimeUpload(SawtoothRuntime *runtime, const char *step) {
  return guarded([&]() -> Status {
    StepRunner *runner;
    SAWTOOTH_TRY(runtime->find(step, runner));
    SAWTOOTH_TRY(runner->ready());
    cuda::DeviceEngine *gpu = runtime->gpu();
    return gpu ? static_cast<cuda::DeviceExecutor *>(runner)->uploadArguments(gpu->currentStream())
               : Status();
  });
}

SawtoothError *sawtoothRuntimeLaunch(SawtoothRuntime *runtime, const char *step) {
  return guarded([&]() -> Status {
    StepRunner *runner;
    SAWTOOTH_TRY(runtime->find(step, runner));
    SAWTOOTH_TRY(runner->ready());
    cuda::DeviceEngine *gpu = runtime->gpu();
    return gpu ? static_cast<cuda::DeviceExecutor *>(runner)->launch(gpu->currentStream())
               : runtime->engine->start(*runner);
  });
}

int sawtoothRuntimePoll(SawtoothRuntime *runtime, SawtoothRow *row, double *logs,
                        uint64_t capacity) {
  StatusRow &read = runtime->row;
  if (!runtime->engine || !runtime->engine->next(read))
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
  return runtime->engine ? runtime->engine->dropped() : 0;
}
