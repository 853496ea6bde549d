// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Staging.h"

#include "Cat.h"

#include <algorithm>
#include <cstring>

namespace sawtooth::runtime::cuda {

static constexpr uint64_t line = 64, smallestHalf = 64 << 10;

Result<std::unique_ptr<Staging>> Staging::create(const DevicePointer &device, uint64_t bytes) {
  std::unique_ptr<Staging> staging(new Staging(device));
  uint64_t half = std::max(smallestHalf, (bytes + line - 1) / line * line);
  Result<PinnedMemory> memory = PinnedMemory::allocate(device, 2 * half, "copies to the device");
  if (!memory.ok())
    return memory.status();
  staging->memory = std::move(*memory);
  const Driver &api = device->driver();
  ContextScope scope(api, device->context());
  OutsideCapture outside(api);
  SAWTOOTH_TRY(scope.status());
  for (CUevent &event : staging->left)
    SAWTOOTH_TRY(api.check(api.cuEventCreate(&event, eventDisableTiming), "cuEventCreate"));
  return staging;
}

Staging::~Staging() {
  const Driver &api = device->driver();
  ContextScope scope(api, device->context());
  OutsideCapture outside(api);
  for (CUevent event : left)
    if (event && scope.status().ok())
      (void)api.cuEventDestroy(event);
}

// Goes on in the other half.
Status Staging::turn(CUstream stream) {
  const Driver &api = device->driver();
  SAWTOOTH_TRY(api.check(api.cuEventRecord(left[half], stream), "cuEventRecord"));
  used[half] = true;
  half ^= 1;
  filled = 0;
  OutsideCapture outside(api); // of another stream
  return used[half] ? api.check(api.cuEventSynchronize(left[half]), "cuEventSynchronize")
                    : Status();
}

Status Staging::upload(CUdeviceptr to, const void *from, uint64_t bytes, CUstream stream) {
  uint64_t room = memory.bytes() / 2;
  if (bytes > room)
    return Status::error(StatusCode::Invalid,
                         cat("expected a copy of at most ", room, " bytes, got ", bytes));
  if (filled + bytes > room)
    SAWTOOTH_TRY(turn(stream));
  char *place = static_cast<char *>(memory.data()) + half * room + filled;
  std::memcpy(place, from, bytes);
  filled += (bytes + line - 1) / line * line;
  const Driver &api = device->driver();
  return api.check(api.cuMemcpyHtoDAsync(to, place, bytes, stream), "cuMemcpyHtoDAsync");
}

} // namespace sawtooth::runtime::cuda
