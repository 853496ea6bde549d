// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device and the context on it that belongs to the caller, with memory and streams that give
// themselves back.
#ifndef SAWTOOTH_RUNTIME_CUDA_DEVICE_H
#define SAWTOOTH_RUNTIME_CUDA_DEVICE_H

#include "sawtooth/runtime/cuda/Driver.h"

#include <memory>
#include <string>
#include <utility>

namespace sawtooth::runtime::cuda {

class Device {
public:
  /// The primary context of a device, which frameworks share, kept for as long as this lives.
  /// `NotFound` says how many devices there are.
  static Result<std::shared_ptr<const Device>> primary(int ordinal);
  /// A context of the caller's, who keeps it alive.
  static Result<std::shared_ptr<const Device>> of(CUcontext context);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const Driver &driver() const { return *api; }
  CUcontext context() const { return handle; }
  int ordinal() const { return number; }
  const std::string &name() const { return product; }
  /// 10 * major + minor compute capability: 90 for sm_90.
  unsigned capability() const { return computeCapability; }
  unsigned processors() const { return multiprocessors; }
  /// Whether `address` is memory of this device: `Mismatch` when it is another one's, `Invalid`
  /// when it is none's.
  Status checkHolds(CUdeviceptr address) const;

private:
  explicit Device(const Driver *api) : api(api) {}
  Status describe(CUdevice device);

  const Driver *api;
  CUcontext handle = nullptr;
  int number = 0;
  bool retained = false;
  std::string product;
  unsigned computeCapability = 0, multiprocessors = 0;
};

using DevicePointer = std::shared_ptr<const Device>;

/// What copying and waiting on a stream needs, for a scope: the context, leave to wait although
/// some other stream is being captured, and a stream that is not captured itself.
class StreamAccess {
public:
  StreamAccess(const Device &device, CUstream stream);
  /// `Invalid` for a captured stream, whose graph would copy again with every replay.
  const Status &status() const { return state; }

private:
  ContextScope scope;
  OutsideCapture outside;
  Status state;
};

/// Memory that the driver gave, and gets back.
class DriverMemory {
public:
  CUdeviceptr address() const { return start; } // as the device sees it
  uint64_t bytes() const { return size; }

protected:
  enum class Kind { Device, Pinned };

  DriverMemory() = default;
  DriverMemory(DriverMemory &&other) noexcept { swap(other); }
  DriverMemory &operator=(DriverMemory &&other) noexcept {
    swap(other);
    return *this;
  }
  ~DriverMemory();
  Status take(const DevicePointer &from, uint64_t count, const char *what, Kind kind);

  void *host = nullptr; // of pinned memory

private:
  void swap(DriverMemory &other) {
    std::swap(host, other.host);
    std::swap(device, other.device);
    std::swap(start, other.start);
    std::swap(size, other.size);
  }
  DevicePointer device;
  CUdeviceptr start = 0;
  uint64_t size = 0;
};

/// Memory on a device; its bytes are whatever they were.
class DeviceMemory : public DriverMemory {
public:
  /// `OutOfMemory` names `what` and the bytes. No bytes: the address 0.
  static Result<DeviceMemory> allocate(const DevicePointer &device, uint64_t bytes,
                                       const char *what);
};

/// Memory of the host, zero at first, that the device reads and writes by itself.
class PinnedMemory : public DriverMemory {
public:
  /// As DeviceMemory::allocate().
  static Result<PinnedMemory> allocate(const DevicePointer &device, uint64_t bytes,
                                       const char *what);
  void *data() const { return host; }
};

/// A stream of our own, for tools; an embedder has one. It and the default stream (null) wait for
/// each other: what a program without streams does to its tensors comes before a step on them.
class Stream {
public:
  static Result<std::unique_ptr<Stream>> create(const DevicePointer &device);
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  CUstream get() const { return handle; }

private:
  Stream(DevicePointer device, CUstream handle) : device(std::move(device)), handle(handle) {}
  DevicePointer device;
  CUstream handle;
};

} // namespace sawtooth::runtime::cuda

#endif // SAWTOOTH_RUNTIME_CUDA_DEVICE_H
