// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuGetProcAddress, and the entry points that exist only to say that they are not supported.

#include "driver/State.h"

#include <cstring>
#include <dlfcn.h>

using namespace ptxsim;

#define PTXSIM_UNSUPPORTED(name)                                                                   \
  PTXSIM_API CUresult name() { return ptxsim::unsupported(#name); }
#include "driver/Unsupported.inc"
#undef PTXSIM_UNSUPPORTED

PTXSIM_API CUresult cuProfilerStart() { return CUDA_SUCCESS; }
PTXSIM_API CUresult cuProfilerStop() { return CUDA_SUCCESS; }

/// This library, whatever else of its name the process has loaded.
static void *self() {
  static void *handle = [] {
    Dl_info info;
    return dladdr(reinterpret_cast<void *>(&self), &info)
               ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
               : nullptr;
  }();
  return handle;
}

/// Functions whose bare name means a later version from CUDA 13 on.
static bool newIn13(const char *name) {
  for (const char *each : {"cuCtxCreate", "cuGraphAddDependencies", "cuEventElapsedTime"})
    if (std::strcmp(each, name) == 0)
      return true;
  return false;
}

PTXSIM_API CUresult cuGetProcAddress_v2(const char *name, void **function, int version,
                                        uint64_t flags, int *status) {
  if (!name || !function)
    return CUDA_ERROR_INVALID_VALUE;
  (void)flags; // per-thread default streams are the legacy stream here
  std::string base = name;
  void *found = nullptr;
  if (base == "cuGetProcAddress")
    base = version >= 12000 ? "cuGetProcAddress_v2" : base;
  // The plain name of a versioned function means the newest version that the caller knows.
  bool skipVersions = newIn13(name) && version < 13000 && base != "cuCtxCreate";
  if (base == "cuCtxCreate")
    base += version >= 13000 ? "_v4" : "_v2";
  if (!skipVersions)
    for (const char *suffix : {"_v3", "_v2"})
      if (!found)
        found = dlsym(self(), (base + suffix).c_str());
  if (!found)
    found = dlsym(self(), base.c_str());
  *function = found;
  if (status)
    *status = found ? 0 : 1; // CU_GET_PROC_ADDRESS_SUCCESS, _SYMBOL_NOT_FOUND
  return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
PTXSIM_API CUresult cuGetProcAddress(const char *name, void **function, int version,
                                     uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
