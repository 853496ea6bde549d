// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few types and numbers of the CUDA driver's ABI that the runtime needs, so that nobody needs
// the toolkit. Handles have the tags that cuda.h gives them: a program that includes it passes its
// own CUcontext and CUstream as they are.
#ifndef SAWTOOTH_RUNTIME_CUDA_TYPES_H
#define SAWTOOTH_RUNTIME_CUDA_TYPES_H

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct CUgraphExec_st;

namespace sawtooth::runtime::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = CUctx_st *;
using CUmodule = CUmod_st *;
using CUfunction = CUfunc_st *;
using CUstream = CUstream_st *;
using CUevent = CUevent_st *;
using CUgraph = CUgraph_st *;
using CUgraphExec = CUgraphExec_st *;

/// Numbers of CUresult.
enum : CUresult {
  success = 0,
  errorInvalidValue = 1,
  errorOutOfMemory = 2,
  errorStubLibrary = 34,
  errorNoDevice = 100,
  errorInvalidDevice = 101,
  errorInvalidImage = 200,
  errorNoBinaryForGpu = 209,
  errorInvalidPtx = 218,
  errorUnsupportedPtxVersion = 222,
  errorInvalidSource = 300,
  errorNotFound = 500,
};

/// Numbers of CUdevice_attribute.
enum {
  attributeProcessors = 16,
  attributeCapabilityMajor = 75,
  attributeCapabilityMinor = 76,
};

/// Numbers of CUfunction_attribute.
enum { functionMaxThreads = 0, functionRegisters = 4, functionLocalBytes = 3 };

/// Numbers of CUjit_option.
enum { jitInfoLog = 3, jitInfoLogBytes = 4, jitErrorLog = 5, jitErrorLogBytes = 6 };

enum { pointerDeviceOrdinal = 9 }; // of CUpointer_attribute
enum { hostAllocPortable = 1, hostAllocMapped = 2 };
enum { streamDefault = 0, streamNonBlocking = 1 };
enum { eventDisableTiming = 2 };
enum { captureModeThreadLocal = 1, captureModeRelaxed = 2 };

} // namespace sawtooth::runtime::cuda

#endif // SAWTOOTH_RUNTIME_CUDA_TYPES_H
