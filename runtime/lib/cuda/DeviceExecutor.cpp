// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens with every step. DeviceTables.cpp is what happens once.
#include "sawtooth/runtime/cuda/DeviceExecutor.h"

#include "Cat.h"
#include "Staging.h"
#include "sawtooth/runtime/Convert.h"

#include <algorithm>

namespace sawtooth::runtime::cuda {

DeviceExecutor::DeviceExecutor(const Artifact &artifact, uint32_t step, DeviceStore &store)
    : StepRunner(artifact, step, store.store()), device(store) {}
DeviceExecutor::~DeviceExecutor() = default;

// Where kernels find a tensor argument.
void DeviceExecutor::pointTo(uint32_t slot, CUdeviceptr address, bool ownsIt) {
  uint64_t &place = outgoing[argBlock.size() + slot];
  places[slot].ownsIt = ownsIt;
  argumentsChanged |= place != address;
  place = address;
}

void DeviceExecutor::setTensor(uint32_t arg, const void *data) {
  StepRunner::setTensor(arg, data);
  uint32_t slot = tensorArgs()[arg].slot;
  pointTo(slot, places[slot].own, /*ownsIt=*/true);
}

Status DeviceExecutor::setDeviceTensor(uint32_t arg, CUdeviceptr address) {
  const SawtoothTensorArgRow &row = tensorArgs()[arg];
  std::string title = cat("tensor argument '", plan().text(row.name), "' of step '", name(), "'");
  if (places[row.slot].bytes)
    if (Status status = device.device()->checkHolds(address); !status.ok())
      return status.of(title);
  if (uint64_t bytes = typeBytes(SawtoothType(row.type)); address % bytes)
    return Status::error(StatusCode::Invalid, cat(title, ": expected an address that ", bytes,
                                                  " divides, got ", address));
  // What ready() looks at.
  StepRunner::setTensor(arg, reinterpret_cast<const void *>(address));
  pointTo(row.slot, address, /*ownsIt=*/false);
  return {};
}

Status DeviceExecutor::run(CUstream stream) {
  SAWTOOTH_TRY(uploadArguments(stream));
  return launch(stream);
}

Status DeviceExecutor::uploadArguments(CUstream stream) {
  bool elements =
      std::ranges::any_of(places, [](const TensorPlace &place) { return place.ownsIt; });
  if (!argumentsChanged && !elements)
    return {};
  const Driver &api = device.device()->driver();
  ContextScope scope(api, device.device()->context());
  SAWTOOTH_TRY(scope.status());
  int capturing = 0;
  SAWTOOTH_TRY(api.check(api.cuStreamIsCapturing(stream, &capturing), "cuStreamIsCapturing"));
  if (capturing)
    return Status::error(StatusCode::Invalid,
                         cat(elements ? "a tensor argument of step '" : "an argument of step '",
                             name(), elements ? "' lies on the host" : "' changed",
                             ": upload the arguments before the capture, and again before a replay "
                             "when they change"));
  if (elements)
    SAWTOOTH_TRY(uploadTensors(stream));
  if (!argumentsChanged)
    return {};
  std::ranges::copy(argBlock, outgoing.begin());
  SAWTOOTH_TRY(
      staging->upload(argumentBlock, outgoing.data(), std::span(outgoing).size_bytes(), stream));
  argumentsChanged = false;
  return {};
}

Status DeviceExecutor::uploadTensors(CUstream stream) {
  for (size_t slot = 0; slot < places.size(); ++slot)
    if (const TensorPlace &place = places[slot]; place.ownsIt && place.bytes)
      SAWTOOTH_TRY(staging->upload(place.own, tensors[slot], place.bytes, stream));
  return {};
}

Status DeviceExecutor::launch(CUstream stream) const {
  const Driver &api = device.device()->driver();
  ContextScope scope(api, device.device()->context());
  SAWTOOTH_TRY(scope.status());
  CUdeviceptr argument = context;
  void *parameters[] = {&argument};
  for (const Launch &each : launches_) {
    CUresult result = api.cuLaunchKernel(each.function, each.blocks, 1, 1, each.threads, 1, 1,
                                         /*shared=*/0, stream, parameters, nullptr);
    if (result != success)
      return api.check(result, "cuLaunchKernel").of(cat("step '", name(), "'"));
  }
  return {};
}

} // namespace sawtooth::runtime::cuda
