// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_CUDA_DEVICESTORE_H
#define SAWTOOTH_RUNTIME_CUDA_DEVICESTORE_H

#include "sawtooth/runtime/Store.h"
#include "sawtooth/runtime/cuda/DeviceRing.h"

namespace sawtooth::runtime::cuda {

class Staging;

/// A finished store on a device: elements of its lists (or the caller's own, see
/// Store::bindDevice), tables, fields, and the ring that steps write. All of its steps run on one
/// stream at a time.
class DeviceStore {
public:
  /// Allocates and uploads everything, and has done so when it returns. `rows` of the ring, rounded
  /// up to a power of two. `Mismatch` names a tensor that is on another device.
  static Result<std::unique_ptr<DeviceStore>> create(Store &store, DevicePointer device,
                                                     uint64_t rows, CUstream stream);
  ~DeviceStore();

  Store &store() const { return host; }
  const DevicePointer &device() const { return device_; }
  DeviceRing &ring() { return *ring_; }

  // Addresses that a step's own tables point to.
  CUdeviceptr stateBlock() const { return fields.address(); }
  CUdeviceptr chunks() const { return tables.address() + chunkTable; }
  CUdeviceptr firstRow(uint32_t model) const { return tables.address() + models[model].firstRow; }
  CUdeviceptr numel(uint32_t model) const { return tables.address() + models[model].numel; }
  CUdeviceptr rank(uint32_t model) const { return tables.address() + models[model].rank; }
  CUdeviceptr dims(uint32_t model) const { return tables.address() + models[model].dims; }
  CUdeviceptr nameHash(uint32_t model) const { return tables.address() + models[model].nameHash; }
  /// The array of a list's tensors; the place stays when its contents change.
  CUdeviceptr listTable(uint32_t list) const { return tables.address() + lists[list].table; }
  /// The array of a per-tensor field, 0 when model `model` has none of that number.
  CUdeviceptr perTensor(uint32_t k, uint32_t model) const;
  /// The address of a tensor of a list, and of the slot of a field.
  CUdeviceptr tensorAddress(uint32_t list, uint64_t tensor) const;
  CUdeviceptr fieldAddress(uint32_t field, uint64_t tensor) const;

  // From the host to the device. The fields are on their way when the call returns and may be
  // changed again; elements have been copied.
  Status pushField(uint32_t field, CUstream stream);
  Status pushFields(CUstream stream); // of step extent
  /// After its elements or buffers changed.
  Status pushList(uint32_t list, CUstream stream);
  /// From the device to the host: waits for the stream first.
  Status pull(CUstream stream);
  Status pullFields(CUstream stream);

private:
  struct ModelTables {
    uint64_t firstRow, numel, rank, dims, nameHash;
  };
  struct List {
    uint64_t table = 0;
    DeviceMemory own; // elements, unless they are the caller's
    std::vector<uint64_t> addresses;
  };

  DeviceStore(Store &store, DevicePointer device);
  Status placeList(uint32_t list);
  Status checkDevice(uint32_t list, std::span<const uint64_t> addresses) const;
  Status createTables(CUstream stream);
  Status createFields(CUstream stream);
  Status copyElements(uint32_t list, bool toDevice, CUstream stream);
  uint64_t fieldPlace(uint32_t field) const;

  Store &host;
  DevicePointer device_;
  // Before the memory of the device, so that they go after it: freeing that waits for what is on
  // its way, which copies from the one and writes to the other.
  std::unique_ptr<Staging> staging;
  std::unique_ptr<DeviceRing> ring_;
  DeviceMemory tables, fields; // fields: the state block, then the per-tensor arrays
  uint64_t chunkTable = 0;
  std::vector<ModelTables> models;
  std::vector<List> lists;
  std::vector<uint64_t> arrays; // places in `fields` of the per-tensor arrays
};

} // namespace sawtooth::runtime::cuda

#endif // SAWTOOTH_RUNTIME_CUDA_DEVICESTORE_H
