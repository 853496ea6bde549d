// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What goes between a store and its mirror on a device once both are there.
#include "Staging.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/cuda/DeviceStore.h"

namespace sawtooth::runtime::cuda {

// Elements of a list; the caller waits. Those that are the caller's own on the device go to the
// host alone.
Status DeviceStore::copyElements(uint32_t number, bool toDevice, CUstream stream) {
  const List &list = lists[number];
  const SawtoothListRow &row = host.plan().lists()[number];
  if (toDevice && !host.deviceAddresses(number).empty())
    return {};
  const Model &model = host.model(row.model);
  const Driver &api = device_->driver();
  std::span<void *const> buffers = host.buffers(number);
  for (size_t tensor = 0; tensor < list.addresses.size(); ++tensor) {
    uint64_t bytes = static_cast<uint64_t>(model.numel[tensor]) * typeBytes(SawtoothType(row.type));
    if (bytes == 0)
      continue;
    CUresult result =
        toDevice ? api.cuMemcpyHtoDAsync(list.addresses[tensor], buffers[tensor], bytes, stream)
                 : api.cuMemcpyDtoHAsync(buffers[tensor], list.addresses[tensor], bytes, stream);
    SAWTOOTH_TRY(api.check(result, toDevice ? "cuMemcpyHtoDAsync" : "cuMemcpyDtoHAsync"));
  }
  return {};
}

Status DeviceStore::pushList(uint32_t number, CUstream stream) {
  const Driver &api = device_->driver();
  StreamAccess access(*device_, stream);
  SAWTOOTH_TRY(access.status());
  List &list = lists[number];
  std::vector<uint64_t> before = list.addresses;
  SAWTOOTH_TRY(placeList(number));
  bool moved = list.addresses != before;
  if (moved && !list.addresses.empty())
    SAWTOOTH_TRY(api.check(api.cuMemcpyHtoDAsync(listTable(number), list.addresses.data(),
                                                 list.addresses.size() * 8, stream),
                           "cuMemcpyHtoDAsync"));
  bool elements = host.deviceAddresses(number).empty();
  SAWTOOTH_TRY(copyElements(number, /*toDevice=*/true, stream));
  // The host's buffers and the list of addresses may change again after this.
  return moved || elements ? api.check(api.cuStreamSynchronize(stream), "cuStreamSynchronize")
                           : Status();
}

Status DeviceStore::pushField(uint32_t field, CUstream stream) {
  StreamAccess access(*device_, stream);
  SAWTOOTH_TRY(access.status());
  // In pieces that the staging memory has room for.
  constexpr size_t piece = 512;
  std::span<const uint64_t> slots = host.slots(field);
  for (size_t first = 0; first < slots.size(); first += piece) {
    std::span<const uint64_t> some = slots.subspan(first, std::min(piece, slots.size() - first));
    SAWTOOTH_TRY(
        staging->upload(fieldAddress(field, first), some.data(), some.size_bytes(), stream));
  }
  return {};
}

Status DeviceStore::pushFields(CUstream stream) {
  const Driver &api = device_->driver();
  StreamAccess access(*device_, stream);
  SAWTOOTH_TRY(access.status());
  if (uint64_t bytes = host.plan().header().stateBytes) {
    SAWTOOTH_TRY(
        api.check(api.cuMemcpyHtoDAsync(fields.address(), host.stateBlock(), bytes, stream),
                  "cuMemcpyHtoDAsync"));
    return api.check(api.cuStreamSynchronize(stream), "cuStreamSynchronize");
  }
  return {};
}

Status DeviceStore::pullFields(CUstream stream) {
  const Driver &api = device_->driver();
  StreamAccess access(*device_, stream);
  SAWTOOTH_TRY(access.status());
  auto take = [&](void *to, CUdeviceptr from, uint64_t bytes) {
    return bytes ? api.check(api.cuMemcpyDtoHAsync(to, from, bytes, stream), "cuMemcpyDtoHAsync")
                 : Status();
  };
  SAWTOOTH_TRY(take(host.stateBlock(), fields.address(), host.plan().header().stateBytes));
  for (uint32_t field = 0; field < host.plan().fields().size(); ++field)
    if (host.plan().fields()[field].extent == SAWTOOTH_PER_TENSOR)
      SAWTOOTH_TRY(
          take(host.slots(field).data(), fieldAddress(field, 0), host.slots(field).size_bytes()));
  return api.check(api.cuStreamSynchronize(stream), "cuStreamSynchronize");
}

Status DeviceStore::pull(CUstream stream) {
  StreamAccess access(*device_, stream);
  SAWTOOTH_TRY(access.status());
  for (uint32_t list = 0; list < lists.size(); ++list)
    if (host.plan().lists()[list].kind == SAWTOOTH_LIST_STATE)
      SAWTOOTH_TRY(copyElements(list, /*toDevice=*/false, stream));
  return pullFields(stream);
}

} // namespace sawtooth::runtime::cuda
