// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initialisation, the one device, contexts.

#include "driver/State.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace ptxsim;

static constexpr int driverVersion = 13000;

PTXSIM_API CUresult cuInit(unsigned flags) {
  Call call(Call::Nothing);
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.driver.optionError.empty()) {
    std::fprintf(stderr, "ptxsim: PTXSIM_OPTIONS: %s\n", call.driver.optionError.c_str());
    return CUDA_ERROR_INVALID_VALUE;
  }
  call.driver.initialised = true;
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = driverVersion;
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuDeviceGetCount(int *count) {
  PTXSIM_ENTER(Initialised);
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = 1;
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  PTXSIM_ENTER(Initialised);
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  PTXSIM_ENTER(Initialised);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!name || length <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(name, size_t(length), "%s", call.driver.chip->product);
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  PTXSIM_ENTER(Initialised);
  if (device != 0 || !uuid)
    return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  std::memset(uuid->bytes, 0, sizeof uuid->bytes);
  std::snprintf(uuid->bytes, sizeof uuid->bytes, "ptxsim%u", call.driver.chip->capability);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

PTXSIM_API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  PTXSIM_ENTER(Initialised);
  if (device != 0 || !bytes)
    return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  *bytes = call.driver.memory->total();
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  PTXSIM_ENTER(Initialised);
  if (device != 0 || !major || !minor)
    return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  *major = int(call.driver.chip->capability / 10);
  *minor = int(call.driver.chip->capability % 10);
  return CUDA_SUCCESS;
}

/// Numbers of CUdevice_attribute. What is not here does not exist on the simulated device: 0.
static int attribute(const Chip &chip, int number) {
  switch (number) {
  case 1:
  case 2:
  case 3:
    return 1024; // threads a block, block x, y
  case 4:
    return 64; // block z
  case 5:
    return 2147483647; // grid x
  case 6:
  case 7:
    return 65535; // grid y, z
  case 8:
    return 48 << 10; // shared memory a block
  case 9:
    return 64 << 10; // constant memory
  case 10:
    return 32; // warp size
  case 11:
    return 2147483647; // pitch
  case 12:
  case 82:
    return 65536; // registers a block, a multiprocessor
  case 13:
    return int(chip.clockKHz);
  case 14:
    return 512; // texture alignment
  case 15:
  case 40:
    return 1; // copy overlap, copy engines
  case 16:
    return int(chip.processors);
  case 19:
  case 41:
  case 83:
    return 1; // mapped host memory, unified addressing, managed memory
  case 31:
    return 1; // concurrent kernels
  case 36:
    return int(chip.memoryClockKHz);
  case 37:
    return int(chip.busBits);
  case 38:
    return int(chip.l2Bytes);
  case 39:
    return int(chip.threadsPerProcessor);
  case 75:
    return int(chip.capability / 10);
  case 76:
    return int(chip.capability % 10);
  case 78:
  case 79:
  case 80:
    return 1; // stream priorities, L1 for global and local
  case 81:
    return int(chip.sharedPerProcessor);
  case 89:
  case 90:
  case 91:
  case 95:
    return 1; // managed access, preemption, registered, cooperative
  case 97:
    return int(chip.sharedPerBlockOptIn);
  case 106:
    return int(chip.blocksPerProcessor);
  case 111:
    return chip.capability >= 80 ? 1024 : 0; // reserved shared memory a block
  case 115:
    return 1; // memory pools
  default:
    return 0;
  }
}

PTXSIM_API CUresult cuDeviceGetAttribute(int *value, int number, CUdevice device) {
  PTXSIM_ENTER(Initialised);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!value || number <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  *value = attribute(*call.driver.chip, number);
  return CUDA_SUCCESS;
}

/// Gives back everything that the context owns.
static void clear(Driver &driver, CUcontext context) {
  for (CUstream stream : context->streams) {
    if (stream->capture)
      stream->capture->invalid = true;
    auto &captures = driver.captures;
    captures.erase(std::remove(captures.begin(), captures.end(), stream->capture), captures.end());
    delete stream;
  }
  for (CUevent event : context->events)
    delete event;
  for (CUmodule module : context->modules)
    delete module;
  for (uint64_t address : context->allocations)
    driver.memory->release(address);
  context->streams.clear();
  context->events.clear();
  context->modules.clear();
  context->allocations.clear();
  context->legacy = DriverStream();
  context->legacy.context = context;
  context->sticky = CUDA_SUCCESS;
}

PTXSIM_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  PTXSIM_ENTER(Initialised);
  if (device != 0 || !context)
    return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  ++call.driver.primary.primaryUsers;
  *context = &call.driver.primary;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  PTXSIM_ENTER(Initialised);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (call.driver.primary.primaryUsers == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--call.driver.primary.primaryUsers == 0) {
    drainAll(&call.driver.primary);
    clear(call.driver, &call.driver.primary);
  }
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  PTXSIM_ENTER(Initialised);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  clear(call.driver, &call.driver.primary);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  PTXSIM_ENTER(Initialised);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  call.driver.primary.flags = flags;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  PTXSIM_ENTER(Initialised);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (flags)
    *flags = call.driver.primary.flags;
  if (active)
    *active = call.driver.primary.primaryUsers != 0;
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  PTXSIM_ENTER(Initialised);
  if (device != 0 || !context)
    return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  *context = new DriverContext;
  (*context)->flags = flags;
  (*context)->legacy.context = *context;
  call.driver.contexts.insert(*context);
  contextStack().push_back(*context);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuCtxCreate_v3(CUcontext *context, void *, int count, unsigned flags,
                                   CUdevice device) {
  return count ? unsupported("cuCtxCreate_v3 with affinity")
               : cuCtxCreate_v2(context, flags, device);
}
PTXSIM_API CUresult cuCtxCreate_v4(CUcontext *context, void *parameters, unsigned flags,
                                   CUdevice device) {
  return parameters ? unsupported("cuCtxCreate_v4 with parameters")
                    : cuCtxCreate_v2(context, flags, device);
}
PTXSIM_API CUresult cuCtxDestroy_v2(CUcontext context) {
  PTXSIM_ENTER(Initialised);
  if (!call.driver.contexts.count(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  drainAll(context);
  clear(call.driver, context);
  call.driver.contexts.erase(context);
  auto &stack = contextStack();
  if (!stack.empty() && stack.back() == context)
    stack.pop_back();
  delete context;
  return CUDA_SUCCESS;
}

static bool known(Driver &driver, CUcontext context) {
  return context == &driver.primary || driver.contexts.count(context);
}
PTXSIM_API CUresult cuCtxSetCurrent(CUcontext context) {
  PTXSIM_ENTER(Initialised);
  auto &stack = contextStack();
  if (context && !known(call.driver, context))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!stack.empty())
    stack.pop_back();
  if (context)
    stack.push_back(context);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuCtxPushCurrent_v2(CUcontext context) {
  PTXSIM_ENTER(Initialised);
  if (!known(call.driver, context))
    return CUDA_ERROR_INVALID_CONTEXT;
  contextStack().push_back(context);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  PTXSIM_ENTER(Initialised);
  auto &stack = contextStack();
  if (stack.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context)
    *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuCtxGetCurrent(CUcontext *context) {
  PTXSIM_ENTER(Initialised);
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = currentContext();
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuCtxGetDevice(CUdevice *device) {
  PTXSIM_ENTER(Initialised);
  if (!currentContext())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuCtxGetFlags(unsigned *flags) {
  PTXSIM_ENTER(Context);
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = call.context->flags;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuCtxGetApiVersion(CUcontext, unsigned *version) {
  PTXSIM_ENTER(Initialised);
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = 3020;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuCtxSynchronize() {
  PTXSIM_ENTER(Context);
  if (CUresult refused = refuseDuringCapture(); refused != CUDA_SUCCESS)
    return refused;
  return drainAll(call.context);
}
PTXSIM_API CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  PTXSIM_ENTER(Context);
  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuCtxSetCacheConfig(int) {
  PTXSIM_ENTER(Context);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuCtxGetCacheConfig(int *config) {
  PTXSIM_ENTER(Context);
  if (config)
    *config = 0;
  return CUDA_SUCCESS;
}

// CUlimit: 0 stack size, 1 printf buffer, 2 heap.
static size_t *limit(CUcontext context, int number) {
  return number == 0   ? &context->stackLimit
         : number == 1 ? &context->printfLimit
         : number == 2 ? &context->heapLimit
                       : nullptr;
}
PTXSIM_API CUresult cuCtxSetLimit(int number, size_t value) {
  PTXSIM_ENTER(Context);
  size_t *at = limit(call.context, number);
  if (!at || (number == 0 && value > (512u << 10)))
    return CUDA_ERROR_INVALID_VALUE;
  *at = value;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuCtxGetLimit(size_t *value, int number) {
  PTXSIM_ENTER(Context);
  size_t *at = limit(call.context, number);
  if (!at || !value)
    return CUDA_ERROR_INVALID_VALUE;
  *value = *at;
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuGetErrorName(CUresult error, const char **text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  *text = nullptr;
  switch (error) {
#define X(name, number, description)                                                               \
  case CUDA_##name:                                                                                \
    *text = "CUDA_" #name;                                                                         \
    return CUDA_SUCCESS;
    PTXSIM_ERRORS(X)
#undef X
  }
  return CUDA_ERROR_INVALID_VALUE;
}
PTXSIM_API CUresult cuGetErrorString(CUresult error, const char **text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  *text = nullptr;
  switch (error) {
#define X(name, number, description)                                                               \
  case CUDA_##name:                                                                                \
    *text = description;                                                                           \
    return CUDA_SUCCESS;
    PTXSIM_ERRORS(X)
#undef X
  }
  return CUDA_ERROR_INVALID_VALUE;
}
