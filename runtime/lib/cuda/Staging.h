// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies from the host that are on their way when the call returns.
#ifndef SAWTOOTH_RUNTIME_LIB_CUDA_STAGING_H
#define SAWTOOTH_RUNTIME_LIB_CUDA_STAGING_H

#include "sawtooth/runtime/cuda/Device.h"

namespace sawtooth::runtime::cuda {

/// Pinned memory in two halves. A half is filled again only when the copies from it are over, so a
/// caller waits only when it is a whole half ahead of the device.
class Staging {
public:
  /// Room for at least two copies of `bytes`.
  static Result<std::unique_ptr<Staging>> create(const DevicePointer &device, uint64_t bytes);
  ~Staging();
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  /// Enqueues one copy of bytes that the caller may change at once. With the context current.
  /// `Invalid` for more bytes than there is room for.
  Status upload(CUdeviceptr to, const void *from, uint64_t bytes, CUstream stream);

private:
  explicit Staging(DevicePointer device) : device(std::move(device)) {}
  Status turn(CUstream stream);

  DevicePointer device;
  PinnedMemory memory;
  CUevent left[2] = {}; // the copies from a half are over
  bool used[2] = {};
  unsigned half = 0;
  uint64_t filled = 0;
};

} // namespace sawtooth::runtime::cuda

#endif // SAWTOOTH_RUNTIME_LIB_CUDA_STAGING_H
