// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_CUDA_DEVICEENGINE_H
#define SAWTOOTH_RUNTIME_CUDA_DEVICEENGINE_H

#include "sawtooth/runtime/Engine.h"
#include "sawtooth/runtime/cuda/DeviceExecutor.h"

namespace sawtooth::runtime::cuda {

/// Steps on a device, enqueued on one stream. Runners are DeviceExecutors.
class DeviceEngine : public Engine {
public:
  /// `stream`: the caller's, of the device's context; null: one of the engine's own, which and the
  /// default stream wait for each other.
  static Result<std::unique_ptr<DeviceEngine>> create(Store &store, DevicePointer device,
                                                      uint64_t rows, CUstream stream = nullptr);
  ~DeviceEngine() override;

  Result<std::unique_ptr<StepRunner>> prepare(const Artifact &artifact, uint32_t step) override;
  Status start(StepRunner &runner) override;
  Status wait() override;
  Result<bool> applied(StepRunner &runner) override;
  bool next(StatusRow &row) override { return mirror->ring().next(row); }
  uint64_t dropped() const override { return mirror->ring().dropped(); }
  uint64_t capacity() const override { return mirror->ring().capacity(); }
  Status pull() override { return mirror->pull(stream); }
  Status pullFields() override { return mirror->pullFields(stream); }
  Status pushField(uint32_t field) override { return mirror->pushField(field, stream); }
  Status pushFields() override { return mirror->pushFields(stream); }
  Status pushList(uint32_t list) override { return mirror->pushList(list, stream); }
  std::string description() const override;

  DeviceStore &deviceStore() { return *mirror; }
  const DevicePointer &device() const { return mirror->device(); }
  /// Another stream of the same context from now on; the caller orders it after the one before.
  void setStream(CUstream other) { stream = other; }
  CUstream currentStream() const { return stream; }

private:
  DeviceEngine() = default;

  std::unique_ptr<Stream> own;
  CUstream stream = nullptr;
  std::unique_ptr<DeviceStore> mirror;
  std::string code; // what was picked, and what was refused before it
};

/// Lets the store get at elements on `device` when it is finished, see Store::setFetch. What was
/// enqueued on `stream` (null: on the default stream and those that wait for it) comes before.
void fetchFrom(Store &store, DevicePointer device, CUstream stream = nullptr);

} // namespace sawtooth::runtime::cuda

#endif // SAWTOOTH_RUNTIME_CUDA_DEVICEENGINE_H
