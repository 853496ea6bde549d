// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The status ring of a GPU: its kernels write rows into the host's memory, the host reads them when
// it likes. Nobody waits, so a host that reads too late loses rows, the oldest first, and knows.
#ifndef SAWTOOTH_RUNTIME_CUDA_DEVICERING_H
#define SAWTOOTH_RUNTIME_CUDA_DEVICERING_H

#include "sawtooth/runtime/Report.h"
#include "sawtooth/runtime/cuda/Device.h"

#include <atomic>

namespace sawtooth::runtime::cuda {

class DeviceRing {
public:
  /// At least `rows` rows of any step of `plan`.
  static Result<std::unique_ptr<DeviceRing>> create(const DevicePointer &device, const Plan &plan,
                                                    uint64_t rows, CUstream stream);
  ~DeviceRing();

  /// Takes the oldest row that is still there; false when there is none.
  bool next(StatusRow &row);
  uint64_t dropped() const { return lost.load(std::memory_order_relaxed); }
  uint64_t capacity() const { return rows; }

  /// Of the SawtoothDeviceRing on the device.
  CUdeviceptr address() const { return header.address(); }
  /// `Mismatch` when `other`, the same step compiled anew, lays out its rows differently.
  Status accepts(const Plan &other, uint32_t step) const;

private:
  explicit DeviceRing(const Plan &plan);
  enum class Read { Done, NotYet, Overwritten };
  Read read(uint64_t number, uint64_t &sequence);

  Plan plan;
  std::unique_ptr<const RowCodec> codec;
  PinnedMemory memory;
  DeviceMemory header;
  uint64_t rows = 0, rowSlots = 0;
  uint64_t taken = 0; // number of the next row to take
  std::vector<uint64_t> copy, slots;
  std::atomic<uint64_t> lost{0};
};

} // namespace sawtooth::runtime::cuda

#endif // SAWTOOTH_RUNTIME_CUDA_DEVICERING_H
