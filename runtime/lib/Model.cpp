// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Model.h"

#include "Cat.h"
#include "sawtooth/runtime/Names.h"

#include <algorithm>
#include <numeric>

namespace sawtooth::runtime {

Result<int64_t> countElements(std::span<const int64_t> dims) {
  if (dims.size() > SAWTOOTH_MAX_RANK)
    return Status::error(StatusCode::Invalid, cat("expected at most ", SAWTOOTH_MAX_RANK,
                                                  " dimensions, got ", dims.size()));
  // No address space holds 2^56 elements; sizes in bytes below it never overflow.
  constexpr int64_t limit = int64_t(1) << 56;
  int64_t product = 1;
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return Status::error(StatusCode::Invalid, cat("expected dimensions from 0, got ", dim));
    empty |= dim == 0;
    if (dim != 0 && (__builtin_mul_overflow(product, dim, &product) || product > limit))
      return Status::error(StatusCode::Invalid,
                           cat("a shape of ", shapeText(dims), " is too large"));
  }
  return empty ? 0 : product;
}

// Places of the specs in the byte order of their names. std::string compares bytes unsigned.
static std::vector<size_t> byteOrder(std::span<const TensorSpec> specs) {
  std::vector<size_t> order(specs.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return specs[a].name < specs[b].name; });
  return order;
}

Status Model::define(std::vector<TensorSpec> specs) {
  std::vector<size_t> order = byteOrder(specs);
  Model defined;
  for (size_t place : order) {
    const TensorSpec &spec = specs[place];
    if (!defined.tensors.empty() && defined.tensors.back() == spec.name)
      return Status::error(
          StatusCode::Invalid,
          cat("two tensors of model '", name, "' have the name '", printable(spec.name), "'"));
    Result<int64_t> count = countElements(spec.dims);
    if (!count.ok())
      return count.status().of(cat("tensor '", printable(spec.name), "'"));
    defined.tensors.push_back(spec.name);
    defined.numel.push_back(*count);
    defined.rank.push_back(static_cast<int64_t>(spec.dims.size()));
    for (size_t i = 0; i < SAWTOOTH_MAX_RANK; ++i)
      defined.dims.push_back(i < spec.dims.size() ? spec.dims[i] : 1);
    defined.nameHash.push_back(hashName(spec.name));
  }
  defined.name = std::move(name);
  defined.known = true;
  *this = std::move(defined);
  return {};
}

int64_t Model::find(std::string_view tensor) const {
  auto found = std::lower_bound(tensors.begin(), tensors.end(), tensor);
  return found != tensors.end() && *found == tensor ? found - tensors.begin() : -1;
}

Status Model::agree(const std::string &title, std::span<const TensorSpec> specs,
                    std::vector<size_t> &order) const {
  order = byteOrder(specs);
  for (size_t i = 0; i < std::max(order.size(), tensors.size()); ++i) {
    const TensorSpec *spec = i < order.size() ? &specs[order[i]] : nullptr;
    if (!spec || (i < tensors.size() && tensors[i] < spec->name))
      return Status::error(StatusCode::Mismatch,
                           cat("list ", title, " lacks tensor '", printable(tensors[i]),
                               "' of model '", name, "'; expected ", tensors.size(),
                               " tensors, got ", specs.size()));
    if (i > 0 && specs[order[i - 1]].name == spec->name)
      return Status::error(StatusCode::Mismatch,
                           cat("list ", title, " has two tensors '", printable(spec->name), "'"));
    if (i == tensors.size() || spec->name < tensors[i])
      return Status::error(StatusCode::Mismatch,
                           cat("list ", title, " has tensor '", printable(spec->name),
                               "', which model '", name, "' lacks; expected ", tensors.size(),
                               " tensors, got ", specs.size()));
    if (!std::ranges::equal(spec->dims, shape(i)))
      return Status::error(StatusCode::Mismatch,
                           cat("tensor '", printable(spec->name), "' of list ", title,
                               ": expected shape ", shapeText(shape(i)), ", got ",
                               shapeText(spec->dims)));
  }
  return {};
}

Status layOut(const Model &model, uint64_t elementBytes, std::vector<uint64_t> &offsets,
              uint64_t &total) {
  constexpr uint64_t line = 64;
  total = 0;
  for (int64_t numel : model.numel) {
    offsets.push_back(total);
    uint64_t bytes = static_cast<uint64_t>(numel) * elementBytes;
    if (__builtin_add_overflow(total, (bytes + line - 1) / line * line, &total))
      return Status::error(StatusCode::OutOfMemory,
                           cat("the tensors of model '", model.name, "' exceed any memory"));
  }
  return {};
}

std::vector<SawtoothChunk> chunkTable(std::span<Model> models) {
  auto rowsOf = [](int64_t numel) {
    return (static_cast<uint64_t>(numel) + SAWTOOTH_CHUNK - 1) / SAWTOOTH_CHUNK;
  };
  uint64_t total = 0;
  for (const Model &model : models)
    for (int64_t numel : model.numel)
      total += rowsOf(numel);
  std::vector<SawtoothChunk> chunks;
  chunks.reserve(total);
  for (uint32_t m = 0; m < models.size(); ++m) {
    models[m].firstChunk = chunks.size();
    models[m].firstRow.clear();
    for (uint32_t t = 0; t < models[m].numel.size(); ++t) {
      models[m].firstRow.push_back(chunks.size());
      for (uint64_t index = 0; index < rowsOf(models[m].numel[t]); ++index)
        chunks.push_back({m, t, index});
    }
    models[m].firstRow.push_back(chunks.size());
    models[m].chunks = chunks.size() - models[m].firstChunk;
  }
  return chunks;
}

} // namespace sawtooth::runtime
