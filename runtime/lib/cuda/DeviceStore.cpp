// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/cuda/DeviceStore.h"

#include "Cat.h"
#include "Staging.h"
#include "TableWriter.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Names.h"

namespace sawtooth::runtime::cuda {

DeviceStore::DeviceStore(Store &store, DevicePointer device)
    : host(store), device_(std::move(device)), lists(store.plan().lists().size()) {}
DeviceStore::~DeviceStore() = default;

Result<std::unique_ptr<DeviceStore>> DeviceStore::create(Store &store, DevicePointer device,
                                                         uint64_t rows, CUstream stream) {
  if (!store.finished())
    return Status::error(StatusCode::Invalid, "expected a finished store");
  std::unique_ptr<DeviceStore> created(new DeviceStore(store, std::move(device)));
  const Driver &api = created->device_->driver();
  ContextScope scope(api, created->device_->context());
  OutsideCapture outside(api);
  SAWTOOTH_TRY(scope.status());
  Result<std::unique_ptr<Staging>> staging = Staging::create(created->device_, 1 << 12);
  if (!staging.ok())
    return staging.status();
  created->staging = std::move(*staging);
  for (uint32_t list = 0; list < created->lists.size(); ++list)
    SAWTOOTH_TRY(created->placeList(list));
  SAWTOOTH_TRY(created->createTables(stream));
  SAWTOOTH_TRY(created->createFields(stream));
  for (uint32_t list = 0; list < created->lists.size(); ++list)
    SAWTOOTH_TRY(created->copyElements(list, /*toDevice=*/true, stream));
  SAWTOOTH_TRY(api.check(api.cuStreamSynchronize(stream), "cuStreamSynchronize"));
  Result<std::unique_ptr<DeviceRing>> ring =
      DeviceRing::create(created->device_, store.plan(), rows, stream);
  if (!ring.ok())
    return ring.status();
  created->ring_ = std::move(*ring);
  return created;
}

// Finds or makes room for the elements of a list that there is something of. After an error the
// list lies where it lay, which is where kernels still look for it.
Status DeviceStore::placeList(uint32_t number) {
  List &list = lists[number];
  const SawtoothListRow &row = host.plan().lists()[number];
  std::span<const uint64_t> given = host.deviceAddresses(number);
  if (!given.empty()) {
    SAWTOOTH_TRY(checkDevice(number, given));
    list.own = DeviceMemory();
    list.addresses.assign(given.begin(), given.end());
    return {};
  }
  if (host.buffers(number).empty()) {
    list.addresses.clear();
    return {};
  }
  uint64_t total = 0;
  std::vector<uint64_t> offsets;
  SAWTOOTH_TRY(layOut(host.model(row.model), typeBytes(SawtoothType(row.type)), offsets, total));
  if (list.own.bytes() != total) {
    std::string title = "list " + host.plan().listTitle(number);
    Result<DeviceMemory> memory = DeviceMemory::allocate(device_, total, title.c_str());
    if (!memory.ok())
      return memory.status();
    list.own = std::move(*memory);
  }
  list.addresses.clear();
  for (uint64_t offset : offsets)
    list.addresses.push_back(list.own.address() + offset);
  return {};
}

Status DeviceStore::checkDevice(uint32_t number, std::span<const uint64_t> addresses) const {
  const Model &model = host.model(host.plan().lists()[number].model);
  for (size_t tensor = 0; tensor < model.tensors.size(); ++tensor) {
    if (model.numel[tensor] == 0)
      continue;
    if (Status status = device_->checkHolds(addresses[tensor]); !status.ok())
      return status.of(cat("tensor '", printable(model.tensors[tensor]), "' of list ",
                           host.plan().listTitle(number)));
  }
  return {};
}

/// Makes room for what was written and copies it there; returns when it has arrived.
static Status upload(const DevicePointer &device, TableWriter &writer, const char *what,
                     DeviceMemory &to, CUstream stream) {
  Result<DeviceMemory> memory = DeviceMemory::allocate(device, writer.size(), what);
  if (!memory.ok())
    return memory.status();
  to = std::move(*memory);
  const std::vector<std::byte> &bytes = writer.finish(to.address());
  const Driver &api = device->driver();
  SAWTOOTH_TRY(api.check(api.cuMemcpyHtoDAsync(to.address(), bytes.data(), bytes.size(), stream),
                         "cuMemcpyHtoDAsync"));
  return api.check(api.cuStreamSynchronize(stream), "cuStreamSynchronize");
}

Status DeviceStore::createTables(CUstream stream) {
  TableWriter writer;
  chunkTable = writer.add(host.chunks());
  for (uint32_t m = 0; m < host.plan().models().size(); ++m) {
    const Model &model = host.model(m);
    auto add = [&](const auto &values) { return writer.add(std::span(values)); };
    models.push_back({add(model.firstRow), add(model.numel), add(model.rank), add(model.dims),
                      add(model.nameHash)});
  }
  for (uint32_t number = 0; number < lists.size(); ++number) {
    // Room for every tensor, also of a list that is bound later.
    const SawtoothListRow &row = host.plan().lists()[number];
    lists[number].table = writer.reserve(host.model(row.model).tensors.size() * 8);
    for (size_t i = 0; i < lists[number].addresses.size(); ++i)
      writer.set(lists[number].table + i * 8, lists[number].addresses[i]);
  }
  return upload(device_, writer, "tables", tables, stream);
}

Status DeviceStore::createFields(CUstream stream) {
  const Plan &plan = host.plan();
  TableWriter writer;
  writer.add(
      std::span(static_cast<const uint64_t *>(host.stateBlock()), plan.header().stateBytes / 8));
  arrays.resize(plan.header().perTensorFields);
  for (uint32_t field = 0; field < plan.fields().size(); ++field)
    if (plan.fields()[field].extent == SAWTOOTH_PER_TENSOR)
      arrays[plan.fields()[field].offset] =
          writer.add(std::span<const uint64_t>(host.slots(field)));
  return upload(device_, writer, "fields", fields, stream);
}

CUdeviceptr DeviceStore::perTensor(uint32_t k, uint32_t model) const {
  for (const SawtoothFieldRow &row : host.plan().fields())
    if (row.extent == SAWTOOTH_PER_TENSOR && row.offset == k && row.model == model)
      return fields.address() + arrays[k];
  return 0;
}

CUdeviceptr DeviceStore::tensorAddress(uint32_t list, uint64_t tensor) const {
  return tensor < lists[list].addresses.size() ? lists[list].addresses[tensor] : 0;
}

uint64_t DeviceStore::fieldPlace(uint32_t field) const {
  const SawtoothFieldRow &row = host.plan().fields()[field];
  return row.extent == SAWTOOTH_PER_TENSOR ? arrays[row.offset] : row.offset;
}

CUdeviceptr DeviceStore::fieldAddress(uint32_t field, uint64_t tensor) const {
  return fields.address() + fieldPlace(field) + tensor * 8;
}

} // namespace sawtooth::runtime::cuda
