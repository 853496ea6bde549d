// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Store.h"

#include "Cat.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Names.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sawtooth::runtime {

// Checks the tensors against the model, which they define if nothing did before.
Status Store::place(uint32_t list, std::span<const TensorRef> tensors, std::vector<size_t> &order) {
  const SawtoothListRow &row = plan_.lists()[list];
  Model &model = models[row.model];
  std::vector<TensorSpec> specs;
  for (const TensorRef &tensor : tensors)
    specs.push_back({tensor.name, tensor.dims});
  if (!model.known)
    SAWTOOTH_TRY(model.define(specs));
  SAWTOOTH_TRY(model.agree(plan_.listTitle(list), specs, order));
  for (size_t place : order) {
    const TensorRef &tensor = tensors[place];
    if (tensor.type != SawtoothType(row.type))
      return Status::error(StatusCode::Mismatch,
                           cat("tensor '", printable(tensor.name), "' of list ",
                               plan_.listTitle(list), ": expected ",
                               typeName(SawtoothType(row.type)), ", got ", typeName(tensor.type)));
  }
  return {};
}

// Checks buffers that somebody else owns, wherever they are.
Status Store::checkBuffers(uint32_t list, std::span<const TensorRef> tensors,
                           std::vector<size_t> &order) {
  const SawtoothListRow &row = plan_.lists()[list];
  if (row.kind == SAWTOOTH_LIST_SCRATCH)
    return Status::error(StatusCode::Invalid, cat("list ", plan_.listTitle(list),
                                                  " is the runtime's own and cannot be bound"));
  SAWTOOTH_TRY(place(list, tensors, order));
  uint64_t elementBytes = typeBytes(SawtoothType(row.type));
  for (size_t i = 0; i < order.size(); ++i) {
    const TensorRef &tensor = tensors[order[i]];
    bool needed = models[row.model].numel[i] != 0;
    if ((needed && !tensor.data) || reinterpret_cast<uintptr_t>(tensor.data) % elementBytes)
      return Status::error(StatusCode::Invalid,
                           cat("tensor '", printable(tensor.name), "' of list ",
                               plan_.listTitle(list), ": expected a buffer at a multiple of ",
                               elementBytes, " bytes"));
  }
  return {};
}

Status Store::bind(uint32_t list, std::span<const TensorRef> tensors) {
  std::vector<size_t> order;
  SAWTOOTH_TRY(checkBuffers(list, tensors, order));
  List &bound = lists[list];
  std::vector<void *> before = bound.tensor;
  std::vector<uint64_t> beforeOnDevice = std::exchange(bound.device, {});
  // In place once finished: running steps keep the address of the array.
  bound.tensor.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    bound.tensor[i] = tensors[order[i]].data;
  bound.origin = ListOrigin::Bound;
  if (finished_) {
    if (Status status = checkOverlaps(); !status.ok()) {
      std::copy(before.begin(), before.end(), bound.tensor.begin());
      bound.device = std::move(beforeOnDevice);
      return status;
    }
  }
  bound.own = Allocation();
  bound.file = nullptr;
  return {};
}

Status Store::bindDevice(uint32_t list, std::span<const TensorRef> tensors) {
  std::vector<size_t> order;
  SAWTOOTH_TRY(checkBuffers(list, tensors, order));
  List &bound = lists[list];
  if (bound.device.empty())
    SAWTOOTH_TRY(allocate(list));
  std::vector<uint64_t> before = std::exchange(bound.device, {});
  for (size_t place : order)
    bound.device.push_back(reinterpret_cast<uintptr_t>(tensors[place].data));
  if (finished_) {
    if (Status status = checkOverlaps(); !status.ok()) {
      bound.device = std::move(before);
      return status;
    }
  }
  bound.origin = ListOrigin::Bound;
  bound.fetched = false;
  return {};
}

Status Store::allocate(uint32_t list) {
  const SawtoothListRow &row = plan_.lists()[list];
  uint64_t total;
  std::vector<uint64_t> offsets;
  SAWTOOTH_TRY(layOut(models[row.model], typeBytes(SawtoothType(row.type)), offsets, total));
  Result<Allocation> memory = Allocation::zeroed(total, "a list");
  if (!memory.ok())
    return memory.status().of(cat("list ", plan_.listTitle(list)));
  lists[list].own = std::move(*memory);
  lists[list].file = nullptr;
  lists[list].device.clear();
  lists[list].tensor.clear();
  for (uint64_t offset : offsets)
    lists[list].tensor.push_back(static_cast<char *>(lists[list].own.data()) + offset);
  return {};
}

Status Store::copyIn(uint32_t list, std::span<const TensorRef> tensors, ListOrigin origin) {
  std::vector<size_t> order;
  SAWTOOTH_TRY(place(list, tensors, order));
  SAWTOOTH_TRY(allocate(list));
  const SawtoothListRow &row = plan_.lists()[list];
  const Model &model = models[row.model];
  uint64_t elementBytes = typeBytes(SawtoothType(row.type));
  constexpr uint64_t piece = 1u << 20;
  for (size_t i = 0; i < order.size(); ++i) {
    char *to = static_cast<char *>(lists[list].tensor[i]);
    const char *from = static_cast<const char *>(tensors[order[i]].data);
    parallelFor_(
        static_cast<uint64_t>(model.numel[i]) * elementBytes, piece,
        [&](uint64_t begin, uint64_t end) { std::memcpy(to + begin, from + begin, end - begin); });
  }
  lists[list].origin = origin;
  return {};
}

Status Store::bindFile(uint32_t list, std::shared_ptr<const TensorFile> file,
                       const std::string &prefix) {
  const SawtoothListRow &row = plan_.lists()[list];
  std::vector<TensorRef> tensors;
  bool aligned = true;
  for (const TensorEntry &entry : file->tensors()) {
    if (!entry.name.starts_with(prefix))
      continue;
    std::string name = entry.name.substr(prefix.size());
    if (entry.type != SawtoothType(row.type))
      return Status::error(StatusCode::Mismatch,
                           cat(file->path(), ": tensor '", printable(entry.name), "' for list ",
                               plan_.listTitle(list), ": expected ",
                               dtypeName(SawtoothType(row.type)), ", got ", entry.dtype));
    aligned &= reinterpret_cast<uintptr_t>(entry.data) % typeBytes(*entry.type) == 0;
    tensors.push_back({name, entry.dims, *entry.type, const_cast<std::byte *>(entry.data)});
  }
  if (tensors.empty() && !file->tensors().empty()) {
    std::vector<std::string> names;
    for (const TensorEntry &entry : file->tensors())
      names.push_back(entry.name);
    return Status::error(StatusCode::NotFound,
                         cat(file->path(), ": no tensor's name begins with '", printable(prefix),
                             "'; there are ", quoteAll(names)));
  }
  if (row.kind == SAWTOOTH_LIST_ARGUMENT && aligned) {
    SAWTOOTH_TRY(bind(list, tensors).of(file->path()));
    lists[list].file = std::move(file);
    return {};
  }
  return copyIn(list, tensors, ListOrigin::Bound).of(file->path());
}

Status Store::checkOverlaps() const {
  struct Interval {
    uintptr_t begin, end;
    uint32_t list;
    size_t tensor;
  };
  std::vector<Interval> intervals;
  for (uint32_t list = 0; list < lists.size(); ++list) {
    const SawtoothListRow &row = plan_.lists()[list];
    for (size_t tensor = 0; tensor < lists[list].tensor.size(); ++tensor) {
      // Addresses of devices are none of the host's.
      uintptr_t begin = lists[list].device.empty()
                            ? reinterpret_cast<uintptr_t>(lists[list].tensor[tensor])
                            : lists[list].device[tensor];
      uint64_t bytes = static_cast<uint64_t>(models[row.model].numel[tensor]) *
                       typeBytes(SawtoothType(row.type));
      if (bytes)
        intervals.push_back({begin, begin + bytes, list, tensor});
    }
  }
  std::sort(intervals.begin(), intervals.end(), [](const Interval &a, const Interval &b) {
    return std::pair(a.begin, a.list) < std::pair(b.begin, b.list);
  });
  // Arguments of different steps are never in use together and only read: one gradient buffer may
  // serve an accumulating step and the step that applies it.
  auto mayShare = [&](const Interval &a, const Interval &b) {
    const SawtoothListRow &rowA = plan_.lists()[a.list], &rowB = plan_.lists()[b.list];
    return rowA.kind == SAWTOOTH_LIST_ARGUMENT && rowB.kind == SAWTOOTH_LIST_ARGUMENT &&
           rowA.step != rowB.step;
  };
  // Intervals that reach beyond the begin of the one looked at.
  std::vector<const Interval *> open;
  for (const Interval &interval : intervals) {
    std::erase_if(open, [&](const Interval *other) { return other->end <= interval.begin; });
    for (const Interval *other : open)
      if (!mayShare(*other, interval)) {
        auto title = [&](const Interval &which) {
          uint32_t model = plan_.lists()[which.list].model;
          return cat("tensor '", printable(models[model].tensors[which.tensor]), "' of list ",
                     plan_.listTitle(which.list));
        };
        return Status::error(StatusCode::Invalid, cat("the buffers of ", title(*other), " and ",
                                                      title(interval), " overlap"));
      }
    open.push_back(&interval);
  }
  return {};
}

} // namespace sawtooth::runtime
