// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens with every step. DeviceTables.cpp is what happens once.
#include "sawtooth/runtime/cuda/DeviceExecutor.h"

#include "Cat.h"
#include "Staging.h"

#include <algorithm>

namespace sawtooth::runtime::cuda {

DeviceExecutor::DeviceExecutor(const Artifact &artifact, uint32_t step, DeviceStore &store)
    : StepRunner(artifact, step, store.store()), device(store) {}
DeviceExecutor::~DeviceExecutor() = default;

void DeviceExecutor::setDeviceTensor(uint32_t arg, CUdeviceptr address) {
  uint32_t slot = tensorArgs()[arg].slot;
  places[slot].ownsIt = false;
  tensors[slot] = reinterpret_cast<const void *>(address); // what ready() looks at
  outgoing[argBlock.size() + slot] = address;
  argumentsChanged = true;
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
                         cat("an argument of step '", name(),
                             "' changed: upload the arguments before the capture, and again before "
                             "a replay when they change"));
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
  SAWTOOTH_TRY(api.checkProcess());
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
