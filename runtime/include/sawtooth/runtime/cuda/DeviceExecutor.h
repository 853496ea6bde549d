// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_CUDA_DEVICEEXECUTOR_H
#define SAWTOOTH_RUNTIME_CUDA_DEVICEEXECUTOR_H

#include "sawtooth/runtime/StepRunner.h"
#include "sawtooth/runtime/cuda/DeviceStore.h"
#include "sawtooth/runtime/cuda/Module.h"

namespace sawtooth::runtime::cuda {

class TableWriter;

/// One step of an artifact on a device. Everything is loaded, allocated and computed when it is
/// created: starting it is the plan's launches and nothing else, so it can be captured in a graph,
/// and a graph can be replayed with other arguments, which lie in device memory.
class DeviceExecutor : public StepRunner {
public:
  /// Waits for the stream. `Unsupported` when no image of the artifact runs on the device.
  static Result<std::unique_ptr<DeviceExecutor>> create(const Artifact &artifact, uint32_t step,
                                                        DeviceStore &store, CUstream stream);
  ~DeviceExecutor() override;

  /// uploadArguments(), then launch().
  Status run(CUstream stream);
  /// Enqueues one small copy if an argument changed since the last one, and the elements of tensor
  /// arguments that setTensor() said. Not for a stream that is being captured, whose graph would
  /// bring back the old values with every replay: `Invalid` says so.
  Status uploadArguments(CUstream stream);
  /// Enqueues the launches.
  Status launch(CUstream stream) const;

  void setTensor(uint32_t arg, const void *data) override;
  /// Tensor arguments that are on the device already, until setTensor(). `Mismatch` for memory of
  /// another device, `Invalid` for none's and for elements that are not aligned.
  Status setDeviceTensor(uint32_t arg, CUdeviceptr address);

  const Module &module() const { return *code; }
  /// Where the step's frame lies on the device.
  CUdeviceptr frame() const { return frameBlock; }
  /// Blocks and threads of each launch, for people and tests.
  struct Launch {
    CUfunction function;
    unsigned blocks, threads;
    int registers, localBytes;
  };
  std::span<const Launch> launches() const { return launches_; }

private:
  DeviceExecutor(const Artifact &artifact, uint32_t step, DeviceStore &store);
  Status prepareLaunches();
  Status prepareMemory(CUstream stream);
  Status prepareTables(CUstream stream);
  Status prepareTensors();
  void writeModels(TableWriter &writer, uint64_t pointers);
  Status uploadTensors(CUstream stream);
  void pointTo(uint32_t slot, CUdeviceptr address, bool ownsIt);
  Result<DeviceMemory> zeroed(uint64_t bytes, const char *what, CUstream stream) const;

  DeviceStore &device;
  std::shared_ptr<const Module> code;
  std::vector<Launch> launches_;
  // Before the memory of the device, so that it goes after it: freeing that waits for what is on
  // its way, which copies from here.
  std::unique_ptr<Staging> staging;
  DeviceMemory tables, partials, arena, temporaries, tensorMemory;
  std::vector<DeviceMemory> scratch;                 // elements of scratch lists
  std::vector<std::vector<CUdeviceptr>> scratchRows; // by list number, by tensor
  CUdeviceptr frameBlock = 0;
  CUdeviceptr context = 0;       // of the step's SawtoothCtx
  CUdeviceptr argumentBlock = 0; // arguments, then tensor addresses
  struct TensorPlace {
    uint64_t bytes;
    CUdeviceptr own;
    bool ownsIt; // false once the caller gave an address
  };
  std::vector<TensorPlace> places; // by slot
  std::vector<uint64_t> outgoing;  // the argument block as it is uploaded
};

} // namespace sawtooth::runtime::cuda

#endif // SAWTOOTH_RUNTIME_CUDA_DEVICEEXECUTOR_H
