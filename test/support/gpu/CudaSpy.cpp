// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CudaSpy.h"

#include "sawtooth/runtime/cuda/Types.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <string>
#include <unistd.h>

using namespace sawtooth::runtime::cuda;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

CudaSpy *spyState() {
  static CudaSpy *state = [] {
    auto *spy = static_cast<CudaSpy *>(std::calloc(1, sizeof(CudaSpy)));
    spy->devices = 1;
    spy->refuseWith = errorUnsupportedPtxVersion;
    std::string text = std::getenv("CUDASPY") ? std::getenv("CUDASPY") : "";
    for (char *word = std::strtok(text.data(), ":"); word; word = std::strtok(nullptr, ":")) {
      long number = std::strchr(word, '=') ? std::atol(std::strchr(word, '=') + 1) : 0;
      auto is = [&](const char *name) { return std::strncmp(word, name, std::strlen(name)) == 0; };
      if (is("devices="))
        spy->devices = int(number);
      else if (is("version="))
        spy->version = int(number);
      else if (is("initResult="))
        spy->initResult = int(number);
      else if (is("refuseImages="))
        spy->refuseImages = int(number);
      else if (is("killAt="))
        spy->killAt = uint64_t(number);
    }
    return spy;
  }();
  return state;
}

// Only a library that was asked for has anything to say.
struct AtTheEnd {
  ~AtTheEnd() {
    const char *path = std::getenv("CUDASPY_REPORT");
    FILE *file = path ? std::fopen(path, "w") : nullptr;
    if (!file)
      return;
    std::map<std::string, uint64_t> counts;
    CudaSpy *spy = spyState();
    for (uint64_t i = 0; i < std::min<uint64_t>(spy->calls, std::size(spy->log)); ++i)
      ++counts[spy->log[i]];
    for (auto &[name, count] : counts)
      std::fprintf(file, "%s %llu\n", name.c_str(), static_cast<unsigned long long>(count));
    std::fclose(file);
  }
} atTheEnd;

void *driver() {
  static void *handle = [] {
    void *opened = dlopen(CUDASPY_DRIVER, RTLD_NOW | RTLD_LOCAL);
    if (!opened) {
      std::fprintf(stderr, "cudaspy: %s\n", dlerror());
      std::abort();
    }
    return opened;
  }();
  return handle;
}

void *find(const char *name, int version) {
  using Find = CUresult(const char *, void **, int, uint64_t, int *);
  static auto *finder = reinterpret_cast<Find *>(dlsym(driver(), "cuGetProcAddress_v2"));
  void *function = nullptr;
  finder(name, &function, version, 0, nullptr);
  return function;
}

// One for each entry point of Symbols.def.
enum Entry {
#define SAWTOOTH_CUDA_SYMBOL(name, version, parameters) entry_##name,
#define SAWTOOTH_CUDA_EXTRA_SYMBOL(name, version, parameters) entry_##name,
#include "sawtooth/runtime/cuda/Symbols.def"
  entries
};
const char *const names[] = {
#define SAWTOOTH_CUDA_SYMBOL(name, version, parameters) #name,
#define SAWTOOTH_CUDA_EXTRA_SYMBOL(name, version, parameters) #name,
#include "sawtooth/runtime/cuda/Symbols.def"
};
void *real[entries];

template <typename Function>
Function *realOf(Entry entry) {
  return reinterpret_cast<Function *>(real[entry]);
}

void note(Entry entry) {
  CudaSpy *spy = spyState();
  if (++spy->calls == spy->killAt)
    raise(SIGKILL);
  void *current = nullptr;
  if (auto *get = reinterpret_cast<CUresult (*)(void **)>(real[entry_cuCtxGetCurrent]))
    get(&current);
  if (spy->calls <= std::size(spy->log)) {
    spy->log[spy->calls - 1] = names[entry];
    spy->context[spy->calls - 1] = current;
  }
}

std::map<CUdevice, CUcontext> primaries; // of the devices beyond the first
std::map<CUdevice, int> users;

CUdevice deviceOf(CUcontext context) {
  for (auto &[device, primary] : primaries)
    if (primary == context)
      return device;
  return 0;
}

// What differs from the simulator; everything else is handed on.
template <Entry entry, typename... Arguments>
CUresult act(Arguments... arguments) {
  return realOf<CUresult(Arguments...)>(entry)(arguments...);
}
template <>
CUresult act<entry_cuInit>(unsigned flags) {
  CUresult result = spyState()->initResult;
  return result ? result : realOf<CUresult(unsigned)>(entry_cuInit)(flags);
}
template <>
CUresult act<entry_cuDriverGetVersion>(int *version) {
  CUresult result = realOf<CUresult(int *)>(entry_cuDriverGetVersion)(version);
  if (spyState()->version)
    *version = spyState()->version;
  return result;
}
template <>
CUresult act<entry_cuDeviceGetCount>(int *count) {
  *count = spyState()->devices;
  return success;
}
template <>
CUresult act<entry_cuDeviceGet>(CUdevice *device, int ordinal) {
  *device = ordinal;
  return ordinal < spyState()->devices ? success : errorInvalidDevice;
}
template <>
CUresult act<entry_cuDeviceGetName>(char *name, int bytes, CUdevice) {
  return realOf<CUresult(char *, int, CUdevice)>(entry_cuDeviceGetName)(name, bytes, 0);
}
template <>
CUresult act<entry_cuDeviceGetAttribute>(int *value, int attribute, CUdevice) {
  return realOf<CUresult(int *, int, CUdevice)>(entry_cuDeviceGetAttribute)(value, attribute, 0);
}
template <>
CUresult act<entry_cuDevicePrimaryCtxRetain>(CUcontext *context, CUdevice device) {
  if (device == 0)
    return realOf<CUresult(CUcontext *, CUdevice)>(entry_cuDevicePrimaryCtxRetain)(context, 0);
  if (users[device]++ == 0) {
    CUcontext ignored;
    realOf<CUresult(CUcontext *, unsigned, CUdevice)>(entry_cuCtxCreate)(&primaries[device], 0, 0);
    realOf<CUresult(CUcontext *)>(entry_cuCtxPopCurrent)(&ignored);
  }
  *context = primaries[device];
  return success;
}
template <>
CUresult act<entry_cuDevicePrimaryCtxRelease>(CUdevice device) {
  if (device == 0)
    return realOf<CUresult(CUdevice)>(entry_cuDevicePrimaryCtxRelease)(0);
  if (--users[device] == 0) {
    realOf<CUresult(CUcontext)>(entry_cuCtxDestroy)(primaries[device]);
    primaries.erase(device);
  }
  return success;
}
template <>
CUresult act<entry_cuCtxGetDevice>(CUdevice *device) {
  CUcontext current = nullptr;
  realOf<CUresult(CUcontext *)>(entry_cuCtxGetCurrent)(&current);
  CUresult result = realOf<CUresult(CUdevice *)>(entry_cuCtxGetDevice)(device);
  *device = deviceOf(current);
  return result;
}
// Which device an allocation is on.
std::map<CUdeviceptr, std::pair<size_t, CUdevice>> allocations;

template <>
CUresult act<entry_cuMemAlloc>(CUdeviceptr *address, size_t bytes) {
  CUcontext current = nullptr;
  realOf<CUresult(CUcontext *)>(entry_cuCtxGetCurrent)(&current);
  CUresult result = realOf<CUresult(CUdeviceptr *, size_t)>(entry_cuMemAlloc)(address, bytes);
  if (result == success)
    allocations[*address] = {bytes, deviceOf(current)};
  return result;
}
template <>
CUresult act<entry_cuPointerGetAttribute>(void *value, int attribute, CUdeviceptr address) {
  CUresult result = realOf<CUresult(void *, int, CUdeviceptr)>(entry_cuPointerGetAttribute)(
      value, attribute, address);
  auto found = allocations.upper_bound(address);
  if (result == success && attribute == pointerDeviceOrdinal && found != allocations.begin())
    if (auto [start, range] = *--found; address < start + range.first)
      *static_cast<int *>(value) = range.second;
  return result;
}
template <>
CUresult act<entry_cuModuleLoadDataEx>(CUmodule *module, const void *image, unsigned count,
                                       int *options, void **values) {
  CudaSpy *spy = spyState();
  ++spy->moduleLoads;
  if (spy->refuseImages > 0) {
    --spy->refuseImages;
    return spy->refuseWith;
  }
  using Load = CUresult(CUmodule *, const void *, unsigned, int *, void **);
  return realOf<Load>(entry_cuModuleLoadDataEx)(module, image, count, options, values);
}

template <Entry entry, typename Function>
struct Watch;
template <Entry entry, typename... Arguments>
struct Watch<entry, CUresult(Arguments...)> {
  static CUresult call(Arguments... arguments) {
    note(entry);
    return act<entry, Arguments...>(arguments...);
  }
};

// The entry point that is asked for, watched.
void *watched(const char *name, int version) {
  void *function = find(name, version);
#define SAWTOOTH_CUDA_SYMBOL(symbol, since, parameters)                                            \
  if (std::strcmp(name, #symbol) == 0) {                                                           \
    real[entry_##symbol] = function;                                                               \
    function = reinterpret_cast<void *>(&Watch<entry_##symbol, CUresult parameters>::call);        \
  }
#define SAWTOOTH_CUDA_EXTRA_SYMBOL SAWTOOTH_CUDA_SYMBOL
#include "sawtooth/runtime/cuda/Symbols.def"
  return function;
}

} // namespace

EXPORT CUresult cuDriverGetVersion(int *version) {
  return watched("cuDriverGetVersion", 2020) ? act<entry_cuDriverGetVersion>(version)
                                             : errorNotFound;
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t,
                                    int *status) {
  *function = watched(name, version);
  if (status)
    *status = *function ? 0 : 1;
  return *function ? success : errorNotFound;
}

EXPORT CudaSpy *cudaSpy() { return spyState(); }
