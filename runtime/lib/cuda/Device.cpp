// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/cuda/Device.h"

#include "Cat.h"

#include <cstring>

namespace sawtooth::runtime::cuda {

Result<DevicePointer> Device::primary(int ordinal) {
  Result<const Driver *> driver = Driver::get();
  if (!driver.ok())
    return driver.status();
  const Driver &api = **driver;
  int count = 0;
  CUdevice number = 0;
  SAWTOOTH_TRY(api.check(api.cuDeviceGetCount(&count), "cuDeviceGetCount"));
  if (ordinal < 0 || ordinal >= count)
    return Status::error(StatusCode::NotFound,
                         cat("expected a device from 0 to ", count - 1, ", got ", ordinal));
  SAWTOOTH_TRY(api.check(api.cuDeviceGet(&number, ordinal), "cuDeviceGet"));
  std::shared_ptr<Device> device(new Device(&api));
  SAWTOOTH_TRY(
      api.check(api.cuDevicePrimaryCtxRetain(&device->handle, number), "cuDevicePrimaryCtxRetain"));
  device->retained = true;
  device->number = number; // what the destructor gives back
  SAWTOOTH_TRY(device->describe(number));
  return DevicePointer(std::move(device));
}

Result<DevicePointer> Device::of(CUcontext context) {
  Result<const Driver *> driver = Driver::get();
  if (!driver.ok())
    return driver.status();
  if (!context)
    return Status::error(StatusCode::Invalid, "expected a context, got none");
  const Driver &api = **driver;
  std::shared_ptr<Device> device(new Device(&api));
  device->handle = context;
  ContextScope scope(api, context);
  SAWTOOTH_TRY(scope.status());
  CUdevice number = 0;
  SAWTOOTH_TRY(api.check(api.cuCtxGetDevice(&number), "cuCtxGetDevice"));
  SAWTOOTH_TRY(device->describe(number));
  return DevicePointer(std::move(device));
}

Status Device::describe(CUdevice device) {
  number = device;
  auto attribute = [&](int which, unsigned &value) {
    int got = 0;
    Status status =
        api->check(api->cuDeviceGetAttribute(&got, which, device), "cuDeviceGetAttribute");
    value = static_cast<unsigned>(got);
    return status;
  };
  unsigned major = 0, minor = 0;
  SAWTOOTH_TRY(attribute(attributeCapabilityMajor, major));
  SAWTOOTH_TRY(attribute(attributeCapabilityMinor, minor));
  SAWTOOTH_TRY(attribute(attributeProcessors, multiprocessors));
  computeCapability = 10 * major + minor;
  char text[256] = {};
  SAWTOOTH_TRY(api->check(api->cuDeviceGetName(text, sizeof(text), device), "cuDeviceGetName"));
  product = text;
  return {};
}

Device::~Device() {
  if (retained && api->checkProcess().ok())
    (void)api->cuDevicePrimaryCtxRelease(number);
}

Status Device::checkHolds(CUdeviceptr address) const {
  ContextScope scope(*api, handle);
  SAWTOOTH_TRY(scope.status());
  int ordinal = -1;
  Status known = api->check(api->cuPointerGetAttribute(&ordinal, pointerDeviceOrdinal, address),
                            "cuPointerGetAttribute");
  if (!known.ok())
    return Status::error(StatusCode::Invalid, cat("no address of a device: ", known.message()));
  if (ordinal != number)
    return Status::error(StatusCode::Mismatch,
                         cat("expected memory of device ", number, ", got ", ordinal));
  return {};
}

StreamAccess::StreamAccess(const Device &device, CUstream stream)
    : scope(device.driver(), device.context()), outside(device.driver()), state(scope.status()) {
  if (!state.ok())
    return;
  const Driver &api = device.driver();
  int capturing = 0;
  state = api.check(api.cuStreamIsCapturing(stream, &capturing), "cuStreamIsCapturing");
  if (state.ok() && capturing)
    state = Status::error(StatusCode::Invalid,
                          "the stream is being captured: a graph holds the launches of a step and "
                          "nothing else; do this before the capture or between replays");
}

Status DriverMemory::take(const DevicePointer &from, uint64_t count, const char *what, Kind kind) {
  if (count == 0)
    return {};
  const Driver &api = from->driver();
  ContextScope scope(api, from->context());
  OutsideCapture outside(api);
  SAWTOOTH_TRY(scope.status());
  // Portable: a host with contexts on several devices may free it under any of them.
  constexpr unsigned flags = hostAllocPortable | hostAllocMapped;
  Status status = kind == Kind::Pinned
                      ? api.check(api.cuMemHostAlloc(&host, count, flags), "cuMemHostAlloc")
                      : api.check(api.cuMemAlloc(&start, count), "cuMemAlloc");
  if (status.code() == StatusCode::OutOfMemory)
    return Status::error(StatusCode::OutOfMemory,
                         cat("the device has no ", count, " bytes for ", what));
  SAWTOOTH_TRY(status);
  device = from;
  size = count;
  if (kind == Kind::Device)
    return {};
  std::memset(host, 0, count);
  return api.check(api.cuMemHostGetDevicePointer(&start, host, 0), "cuMemHostGetDevicePointer");
}

DriverMemory::~DriverMemory() {
  if (!device)
    return;
  const Driver &api = device->driver();
  ContextScope scope(api, device->context());
  OutsideCapture outside(api);
  if (scope.status().ok())
    (void)(host ? api.cuMemFreeHost(host) : api.cuMemFree(start));
}

Result<DeviceMemory> DeviceMemory::allocate(const DevicePointer &device, uint64_t bytes,
                                            const char *what) {
  DeviceMemory memory;
  SAWTOOTH_TRY(memory.take(device, bytes, what, Kind::Device));
  return memory;
}

Result<PinnedMemory> PinnedMemory::allocate(const DevicePointer &device, uint64_t bytes,
                                            const char *what) {
  PinnedMemory memory;
  SAWTOOTH_TRY(memory.take(device, bytes, what, Kind::Pinned));
  return memory;
}

Result<std::unique_ptr<Stream>> Stream::create(const DevicePointer &device) {
  const Driver &api = device->driver();
  ContextScope scope(api, device->context());
  OutsideCapture outside(api);
  SAWTOOTH_TRY(scope.status());
  CUstream stream = nullptr;
  SAWTOOTH_TRY(api.check(api.cuStreamCreate(&stream, streamDefault), "cuStreamCreate"));
  return std::unique_ptr<Stream>(new Stream(device, stream));
}

Stream::~Stream() {
  ContextScope scope(device->driver(), device->context());
  OutsideCapture outside(device->driver());
  if (scope.status().ok())
    (void)device->driver().cuStreamDestroy(handle);
}

} // namespace sawtooth::runtime::cuda
