// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the CUDA driver API's ABI that the simulator speaks: error numbers, enumerations and
// structure layouts, from the public "CUDA Driver API" reference. No CUDA header is needed.

#ifndef PTXSIM_DRIVER_CUDA_H
#define PTXSIM_DRIVER_CUDA_H

#include <cstddef>
#include <cstdint>

#define PTXSIM_API extern "C" __attribute__((visibility("default")))

#define PTXSIM_ERRORS(X)                                                                           \
  X(SUCCESS, 0, "no error")                                                                        \
  X(ERROR_INVALID_VALUE, 1, "invalid argument")                                                    \
  X(ERROR_OUT_OF_MEMORY, 2, "out of memory")                                                       \
  X(ERROR_NOT_INITIALIZED, 3, "initialization error")                                              \
  X(ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")                                    \
  X(ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                                           \
  X(ERROR_INVALID_IMAGE, 200, "device kernel image is invalid")                                    \
  X(ERROR_INVALID_CONTEXT, 201, "invalid device context")                                          \
  X(ERROR_NO_BINARY_FOR_GPU, 209, "no kernel image is available for execution on the device")      \
  X(ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed")                                        \
  X(ERROR_UNSUPPORTED_PTX_VERSION, 222,                                                            \
    "the provided PTX was compiled with an unsupported toolchain")                                 \
  X(ERROR_FILE_NOT_FOUND, 301, "file not found")                                                   \
  X(ERROR_INVALID_HANDLE, 400, "invalid resource handle")                                          \
  X(ERROR_ILLEGAL_STATE, 401, "the operation cannot be performed in the present state")            \
  X(ERROR_NOT_FOUND, 500, "named symbol not found")                                                \
  X(ERROR_NOT_READY, 600, "device not ready")                                                      \
  X(ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")                        \
  X(ERROR_LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch")                 \
  X(ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated")                          \
  X(ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed")                                       \
  X(ERROR_ASSERT, 710, "device-side assert triggered")                                             \
  X(ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712,                                                     \
    "part or all of the requested memory range is already mapped")                                 \
  X(ERROR_HOST_MEMORY_NOT_REGISTERED, 713,                                                         \
    "pointer does not correspond to a registered memory region")                                   \
  X(ERROR_HARDWARE_STACK_ERROR, 714, "hardware stack error")                                       \
  X(ERROR_ILLEGAL_INSTRUCTION, 715, "an illegal instruction was encountered")                      \
  X(ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                                           \
  X(ERROR_INVALID_PC, 718, "invalid program counter")                                              \
  X(ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")                                        \
  X(ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720, "too many blocks in cooperative launch")              \
  X(ERROR_NOT_SUPPORTED, 801, "operation not supported")                                           \
  X(ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, "operation not permitted when stream is capturing")     \
  X(ERROR_STREAM_CAPTURE_INVALIDATED, 901,                                                         \
    "operation failed due to a previous error during capture")                                     \
  X(ERROR_STREAM_CAPTURE_MERGE, 902,                                                               \
    "operation would result in a merge of separate capture sequences")                             \
  X(ERROR_STREAM_CAPTURE_UNMATCHED, 903, "capture was not ended in the same stream as it began")   \
  X(ERROR_STREAM_CAPTURE_UNJOINED, 904, "capturing stream has unjoined work")                      \
  X(ERROR_STREAM_CAPTURE_ISOLATION, 905,                                                           \
    "dependency created on uncaptured work in another stream")                                     \
  X(ERROR_STREAM_CAPTURE_IMPLICIT, 906,                                                            \
    "operation would make the legacy stream depend on a capturing blocking stream")                \
  X(ERROR_CAPTURED_EVENT, 907,                                                                     \
    "operation not permitted on an event last recorded in a capturing stream")                     \
  X(ERROR_STREAM_CAPTURE_WRONG_THREAD, 908,                                                        \
    "attempt to terminate a thread-local capture sequence from another thread")

typedef enum CUresult_enum {
#define X(name, number, text) CUDA_##name = number,
  PTXSIM_ERRORS(X)
#undef X
} CUresult;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;

namespace ptxsim {
struct DriverContext;
struct DriverModule;
struct DriverFunction;
struct DriverStream;
struct DriverEvent;
struct DriverGraph;
struct DriverGraphExec;
struct GraphNode;
} // namespace ptxsim
typedef ptxsim::DriverContext *CUcontext;
typedef ptxsim::DriverModule *CUmodule;
typedef ptxsim::DriverFunction *CUfunction;
typedef ptxsim::DriverStream *CUstream;
typedef ptxsim::DriverEvent *CUevent;
typedef ptxsim::DriverGraph *CUgraph;
typedef ptxsim::DriverGraphExec *CUgraphExec;
typedef ptxsim::GraphNode *CUgraphNode;
typedef void (*CUhostFn)(void *);
typedef void (*CUstreamCallback)(CUstream, CUresult, void *);

struct CUuuid {
  char bytes[16];
};

struct CUlaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int number;
    unsigned triple[3];
  } value;
};
struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
};
enum { launchAttributeCooperative = 2, launchAttributeClusterDimension = 4 };

struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  int srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  void *srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  int dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  void *dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
};
struct CUDA_MEMCPY3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  int srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  void *srcArray;
  void *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  int dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  void *dstArray;
  void *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
};
enum { memoryTypeHost = 1, memoryTypeDevice = 2, memoryTypeArray = 3, memoryTypeUnified = 4 };

struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  void **kernelParams;
  void **extra;
  void *kern;
  CUcontext ctx;
};
struct CUDA_MEMSET_NODE_PARAMS {
  CUdeviceptr dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};
struct CUDA_HOST_NODE_PARAMS {
  CUhostFn fn;
  void *userData;
};
enum {
  graphNodeKernel = 0,
  graphNodeMemcpy = 1,
  graphNodeMemset = 2,
  graphNodeHost = 3,
  graphNodeEmpty = 5
};

#endif
