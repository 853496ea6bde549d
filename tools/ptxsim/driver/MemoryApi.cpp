// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation, copies, fills.

#include "driver/State.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace ptxsim;

static CUresult allocateDevice(Call &call, CUdeviceptr *address, size_t bytes, const char *what) {
  if (!address || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t number = call.driver.memory->nextNumber();
  Allocation *allocation = call.driver.memory->allocate(
      bytes, 256, AllocationKind::Device, std::string(what) + " #" + std::to_string(number));
  if (!allocation)
    return CUDA_ERROR_OUT_OF_MEMORY;
  call.context->allocations.insert(allocation->base);
  *address = allocation->base;
  return CUDA_SUCCESS;
}
static CUresult releaseDevice(CUcontext context, uint64_t address) {
  if (!Driver::get().memory->release(address))
    return CUDA_ERROR_INVALID_VALUE;
  context->allocations.erase(address);
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  PTXSIM_ENTER(Context);
  if (CUresult refused = refuseDuringCapture(); refused != CUDA_SUCCESS)
    return refused;
  return allocateDevice(call, address, bytes, "cuMemAlloc");
}
PTXSIM_API CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width,
                                       size_t height, unsigned) {
  PTXSIM_ENTER(Context);
  if (!pitch)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult refused = refuseDuringCapture(); refused != CUDA_SUCCESS)
    return refused;
  *pitch = (width + 511) / 512 * 512;
  return allocateDevice(call, address, *pitch * height, "cuMemAllocPitch");
}
PTXSIM_API CUresult cuMemFree_v2(CUdeviceptr address) {
  PTXSIM_ENTER(Context);
  if (!address)
    return CUDA_SUCCESS;
  if (CUresult refused = refuseDuringCapture(); refused != CUDA_SUCCESS)
    return refused;
  if (CUresult result = drainAll(call.context); result != CUDA_SUCCESS)
    return result;
  Allocation *allocation = call.driver.memory->find(address);
  if (allocation && allocation->kind == AllocationKind::Managed && allocation->base == address)
    std::free(allocation->host);
  return releaseDevice(call.context, address);
}
PTXSIM_API CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream handle) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture)
    return unsupported("cuMemAllocAsync during capture");
  return allocateDevice(call, address, bytes, "cuMemAllocAsync");
}
PTXSIM_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture)
    return unsupported("cuMemFreeAsync during capture");
  Allocation *allocation = call.driver.memory->find(address);
  if (!allocation || allocation->base != address || allocation->freed)
    return CUDA_ERROR_INVALID_VALUE;
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeEmpty;
  CUcontext context = call.context;
  node->work = [=] { return releaseDevice(context, address); };
  return enqueue(call.context, stream, std::move(node));
}
PTXSIM_API CUresult cuMemGetInfo_v2(size_t *unused, size_t *total) {
  PTXSIM_ENTER(Context);
  if (unused)
    *unused = call.driver.memory->total() - call.driver.memory->used();
  if (total)
    *total = call.driver.memory->total();
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
  PTXSIM_ENTER(Context);
  Allocation *allocation = call.driver.memory->find(address);
  if (!allocation || allocation->freed)
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = allocation->base;
  if (bytes)
    *bytes = allocation->size;
  return CUDA_SUCCESS;
}

static CUresult allocateHost(Call &call, void **pointer, size_t bytes, AllocationKind kind,
                             const char *what) {
  if (!pointer || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  void *host = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!host)
    return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(host, 0xfe, bytes);
  call.driver.memory->adopt(host, bytes, kind,
                            std::string(what) + " #" +
                                std::to_string(call.driver.memory->nextNumber()));
  *pointer = host;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  PTXSIM_ENTER(Context);
  return allocateHost(call, pointer, bytes, AllocationKind::Host, "cuMemHostAlloc");
}
PTXSIM_API CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}
PTXSIM_API CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned) {
  PTXSIM_ENTER(Context);
  void *host = nullptr;
  CUresult result = allocateHost(call, &host, bytes, AllocationKind::Managed, "cuMemAllocManaged");
  if (result == CUDA_SUCCESS && address)
    *address = reinterpret_cast<uintptr_t>(host);
  return result;
}
PTXSIM_API CUresult cuMemFreeHost(void *pointer) {
  PTXSIM_ENTER(Context);
  if (CUresult result = drainAll(call.context); result != CUDA_SUCCESS)
    return result;
  if (!call.driver.memory->release(reinterpret_cast<uintptr_t>(pointer)))
    return CUDA_ERROR_INVALID_VALUE;
  std::free(pointer);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned) {
  PTXSIM_ENTER(Context);
  if (!pointer || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  Allocation *old = call.driver.memory->find(reinterpret_cast<uintptr_t>(pointer));
  if (old && !old->freed)
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  call.driver.memory->adopt(pointer, bytes, AllocationKind::Host,
                            "cuMemHostRegister #" +
                                std::to_string(call.driver.memory->nextNumber()));
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuMemHostUnregister(void *pointer) {
  PTXSIM_ENTER(Context);
  drainAll(call.context);
  return call.driver.memory->release(reinterpret_cast<uintptr_t>(pointer))
             ? CUDA_SUCCESS
             : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}
PTXSIM_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *pointer, unsigned) {
  PTXSIM_ENTER(Context);
  Allocation *allocation = call.driver.memory->find(reinterpret_cast<uintptr_t>(pointer));
  if (!allocation || !address)
    return CUDA_ERROR_INVALID_VALUE;
  *address = reinterpret_cast<uintptr_t>(pointer);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuMemHostGetFlags(unsigned *flags, void *) {
  PTXSIM_ENTER(Context);
  if (flags)
    *flags = 2; // mapped
  return CUDA_SUCCESS;
}

// CUpointer_attribute: 1 context, 2 memory type, 3 device pointer, 4 host pointer, 8 managed,
// 9 device ordinal, 11 start, 12 size, 13 mapped.
PTXSIM_API CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr address) {
  PTXSIM_ENTER(Context);
  Allocation *allocation = call.driver.memory->find(address);
  if (!data || !allocation || allocation->freed)
    return CUDA_ERROR_INVALID_VALUE;
  bool host = allocation->kind == AllocationKind::Host;
  uint64_t value = 0;
  size_t bytes = 8;
  switch (attribute) {
  case 1:
    value = reinterpret_cast<uintptr_t>(call.context);
    break;
  case 2:
    value = host ? memoryTypeHost : memoryTypeDevice, bytes = 4;
    break;
  case 3:
    value = address;
    break;
  case 4:
    if (!host && allocation->kind != AllocationKind::Managed)
      return CUDA_ERROR_INVALID_VALUE;
    value = address;
    break;
  case 8:
    value = allocation->kind == AllocationKind::Managed, bytes = 4;
    break;
  case 9:
    bytes = 4;
    break;
  case 11:
    value = allocation->base;
    break;
  case 12:
    value = allocation->size;
    break;
  case 13:
    value = 1, bytes = 4;
    break;
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  std::memcpy(data, &value, bytes);
  return CUDA_SUCCESS;
}

namespace {
/// Where one end of a copy lies; host memory that nobody registered has no allocation.
struct End {
  Allocation *allocation = nullptr;
  uint8_t *host = nullptr;
  uint64_t offset = 0;
};
} // namespace

static bool locate(uint64_t address, size_t bytes, End &end) {
  Allocation *allocation = Driver::get().memory->find(address);
  if (allocation && (allocation->freed || !allocation->contains(address, bytes)))
    return false;
  if (!allocation && address >= deviceBase)
    return false;
  end.allocation = allocation;
  end.offset = allocation ? address - allocation->base : 0;
  end.host = allocation ? allocation->host + end.offset : reinterpret_cast<uint8_t *>(address);
  return true;
}

CUresult ptxsim::copyBytes(CUcontext context, uint64_t to, uint64_t from, size_t bytes) {
  Driver &driver = Driver::get();
  End source, target;
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (!locate(from, bytes, source) || !locate(to, bytes, target))
    return CUDA_ERROR_INVALID_VALUE;
  bool device = source.allocation && source.allocation->kind == AllocationKind::Device;
  bool complete = !device || source.allocation->written.complete();
  if (!complete && !(target.allocation && target.allocation->base >= deviceBase) &&
      driver.options.uninit && !source.allocation->written.all(source.offset, bytes)) {
    uint64_t first = source.allocation->written.firstMissing(source.offset, bytes);
    Report report;
    report.finding = Finding::UninitialisedMemory;
    report.title =
        "Uninitialised __global__ memory copied to the host, " + std::to_string(bytes) + " bytes";
    report.kernel = "a copy";
    report.buffer = source.allocation->name;
    report.address = source.allocation->base + first;
    report.distance = int64_t(first);
    report.details = {"the first unwritten byte is " + std::to_string(first) + " bytes inside " +
                      source.allocation->name + " (" + std::to_string(source.allocation->size) +
                      " bytes)"};
    driver.reporter.start(driver.options.reports);
    driver.reporter.add(std::move(report));
    driver.publish();
    if (driver.options.fail)
      return context->sticky = CUDA_ERROR_LAUNCH_FAILED;
  }
  std::memmove(target.host, source.host, bytes);
  if (!target.allocation || target.allocation->written.complete())
    return CUDA_SUCCESS;
  if (complete) {
    target.allocation->written.mark(target.offset, bytes);
    return CUDA_SUCCESS;
  }
  // Unwritten stays unwritten when it is copied.
  for (size_t i = 0; i < bytes; ++i)
    if (source.allocation->written.all(source.offset + i, 1))
      target.allocation->written.mark(target.offset + i, 1);
    else
      target.allocation->written.clear(target.offset + i, 1);
  return CUDA_SUCCESS;
}

CUresult ptxsim::fillBytes(CUcontext, uint64_t to, uint32_t value, unsigned element, size_t count) {
  End target;
  size_t bytes = count * element;
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (to % element || !locate(to, bytes, target) || !target.allocation)
    return CUDA_ERROR_INVALID_VALUE;
  if (element == 1)
    std::memset(target.host, int(value), bytes);
  else
    for (size_t i = 0; i < count; ++i)
      std::memcpy(target.host + i * element, &value, element);
  if (!target.allocation->written.complete())
    target.allocation->written.mark(target.offset, bytes);
  return CUDA_SUCCESS;
}

static uint64_t numberOf(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

static bool valid(uint64_t address, size_t bytes) {
  End end;
  return bytes == 0 || (address && locate(address, bytes, end));
}

static CUresult copyOnStream(Call &call, CUstream handle, uint64_t to, uint64_t from, size_t bytes,
                             bool wait) {
  CUstream stream = streamOf(call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  // The host blocks on a synchronous copy, which no capture can record.
  if (wait)
    if (CUresult refused = refuseDuringCapture(); refused != CUDA_SUCCESS)
      return refused;
  if (!valid(to, bytes) || !valid(from, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  CUcontext context = call.context;
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeMemcpy;
  node->memcpy.WidthInBytes = bytes;
  node->memcpy.Height = node->memcpy.Depth = 1;
  node->memcpy.srcDevice = from;
  node->memcpy.dstDevice = to;
  node->memcpy.srcMemoryType = node->memcpy.dstMemoryType = memoryTypeUnified;
  node->work = [=] { return copyBytes(context, to, from, bytes); };
  CUresult result = enqueue(call.context, stream, std::move(node));
  if (result == CUDA_SUCCESS && wait)
    result = drain(stream);
  return result;
}

PTXSIM_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  PTXSIM_ENTER(Context);
  return copyOnStream(call, nullptr, to, from, bytes, true);
}
PTXSIM_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  PTXSIM_ENTER(Context);
  return copyOnStream(call, stream, to, from, bytes, false);
}
PTXSIM_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  return cuMemcpy(to, numberOf(from), bytes);
}
PTXSIM_API CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return cuMemcpy(numberOf(to), from, bytes);
}
PTXSIM_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return cuMemcpy(to, from, bytes);
}
PTXSIM_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                         CUstream stream) {
  return cuMemcpyAsync(to, numberOf(from), bytes, stream);
}
PTXSIM_API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                                         CUstream stream) {
  return cuMemcpyAsync(numberOf(to), from, bytes, stream);
}
PTXSIM_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                         CUstream stream) {
  return cuMemcpyAsync(to, from, bytes, stream);
}

Work ptxsim::rectangleWork(CUcontext context, const CUDA_MEMCPY3D &copy) {
  return [context, copy] {
    uint64_t from = copy.srcMemoryType == memoryTypeHost ? numberOf(copy.srcHost) : copy.srcDevice;
    uint64_t to = copy.dstMemoryType == memoryTypeHost ? numberOf(copy.dstHost) : copy.dstDevice;
    for (size_t z = 0; z < copy.Depth; ++z)
      for (size_t y = 0; y < copy.Height; ++y) {
        CUresult result =
            copyBytes(context,
                      to + ((copy.dstZ + z) * copy.dstHeight + copy.dstY + y) * copy.dstPitch +
                          copy.dstXInBytes,
                      from + ((copy.srcZ + z) * copy.srcHeight + copy.srcY + y) * copy.srcPitch +
                          copy.srcXInBytes,
                      copy.WidthInBytes);
        if (result != CUDA_SUCCESS)
          return result;
      }
    return CUDA_SUCCESS;
  };
}

static CUresult copyRectangle(Call &call, const CUDA_MEMCPY2D *copy, CUstream handle, bool wait) {
  CUstream stream = streamOf(call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!copy || (copy->srcPitch && copy->srcPitch < copy->WidthInBytes) ||
      (copy->dstPitch && copy->dstPitch < copy->WidthInBytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (copy->srcMemoryType == memoryTypeArray || copy->dstMemoryType == memoryTypeArray)
    return unsupported("cuMemcpy2D with arrays");
  if (wait)
    if (CUresult refused = refuseDuringCapture(); refused != CUDA_SUCCESS)
      return refused;
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeMemcpy;
  CUDA_MEMCPY3D &all = node->memcpy;
  all.srcXInBytes = copy->srcXInBytes;
  all.srcY = copy->srcY;
  all.srcMemoryType = copy->srcMemoryType;
  all.srcHost = copy->srcHost;
  all.srcDevice = copy->srcDevice;
  all.srcPitch = copy->srcPitch ? copy->srcPitch : copy->WidthInBytes;
  all.dstXInBytes = copy->dstXInBytes;
  all.dstY = copy->dstY;
  all.dstMemoryType = copy->dstMemoryType;
  all.dstHost = copy->dstHost;
  all.dstDevice = copy->dstDevice;
  all.dstPitch = copy->dstPitch ? copy->dstPitch : copy->WidthInBytes;
  all.WidthInBytes = copy->WidthInBytes;
  all.Height = copy->Height;
  all.Depth = 1;
  node->work = rectangleWork(call.context, all);
  CUresult result = enqueue(call.context, stream, std::move(node));
  if (result == CUDA_SUCCESS && wait)
    result = drain(stream);
  return result;
}
PTXSIM_API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  PTXSIM_ENTER(Context);
  return copyRectangle(call, copy, nullptr, true);
}
PTXSIM_API CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy) {
  return cuMemcpy2D_v2(copy);
}
PTXSIM_API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  PTXSIM_ENTER(Context);
  return copyRectangle(call, copy, stream, false);
}

static CUresult fillOnStream(Call &call, CUstream handle, uint64_t to, uint32_t value,
                             unsigned element, size_t count, bool wait) {
  CUstream stream = streamOf(call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (wait)
    if (CUresult refused = refuseDuringCapture(); refused != CUDA_SUCCESS)
      return refused;
  End end;
  if (count && (to % element || !locate(to, count * element, end) || !end.allocation))
    return CUDA_ERROR_INVALID_VALUE;
  CUcontext context = call.context;
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeMemset;
  node->memset = {to, 0, value, element, count, 1};
  node->work = [=] { return fillBytes(context, to, value, element, count); };
  CUresult result = enqueue(call.context, stream, std::move(node));
  if (result == CUDA_SUCCESS && wait)
    result = drain(stream);
  return result;
}
#define PTXSIM_MEMSET(name, element, type)                                                         \
  PTXSIM_API CUresult name##_v2(CUdeviceptr to, type value, size_t count) {                        \
    PTXSIM_ENTER(Context);                                                                         \
    return fillOnStream(call, nullptr, to, value, element, count, true);                           \
  }                                                                                                \
  PTXSIM_API CUresult name##Async(CUdeviceptr to, type value, size_t count, CUstream stream) {     \
    PTXSIM_ENTER(Context);                                                                         \
    return fillOnStream(call, stream, to, value, element, count, false);                           \
  }
PTXSIM_MEMSET(cuMemsetD8, 1, unsigned char)
PTXSIM_MEMSET(cuMemsetD16, 2, unsigned short)
PTXSIM_MEMSET(cuMemsetD32, 4, unsigned)
