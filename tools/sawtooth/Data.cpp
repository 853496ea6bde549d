// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Data.h"

#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Names.h"
#include "sawtooth/runtime/Random.h"

#include <algorithm>
#include <cstring>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

std::vector<uint64_t> shuffledOrder(uint64_t seed, uint64_t epoch, uint64_t examples) {
  RandomStream random(seed, 0, epoch, hashName("order"));
  std::vector<std::pair<uint64_t, uint64_t>> keyed(examples);
  for (uint64_t i = 0; i < examples; ++i)
    keyed[i] = {uint64_t(random.word(2 * i)) << 32 | random.word(2 * i + 1), i};
  std::sort(keyed.begin(), keyed.end());
  std::vector<uint64_t> order(examples);
  for (uint64_t i = 0; i < examples; ++i)
    order[i] = keyed[i].second;
  return order;
}

Result<std::unique_ptr<BatchFeed>> BatchFeed::create(std::shared_ptr<const TensorFile> file,
                                                     const std::string &split,
                                                     StepRunner &executor) {
  auto feed = std::make_unique<BatchFeed>();
  feed->file = std::move(file);
  const std::string &path = feed->file->path();
  const Plan &plan = executor.plan();
  feed->size = executor.step().batch;
  for (uint32_t i = 0; i < executor.tensorArgs().size(); ++i) {
    const SawtoothTensorArgRow &arg = executor.tensorArgs()[i];
    if (plan.text(arg.batch).empty())
      continue;
    std::string name = split + "." + plan.string(arg.batch);
    const TensorEntry *entry = feed->file->find(name);
    if (!entry) {
      std::vector<std::string> names;
      for (const TensorEntry &other : feed->file->tensors())
        names.push_back(other.name);
      return Status::error(StatusCode::NotFound, path + ": " + unknownName("tensor", name, names));
    }
    std::span<const int64_t> row(arg.dims + 1, arg.rank - 1);
    bool fits = entry->type == SawtoothType(arg.type) && entry->dims.size() == arg.rank &&
                std::equal(row.begin(), row.end(), entry->dims.begin() + 1);
    if (!fits) {
      std::vector<int64_t> wanted(arg.dims, arg.dims + arg.rank);
      std::string shape = shapeText(wanted);
      shape.replace(0, std::to_string(wanted[0]).size(), "?");
      return Status::error(StatusCode::Mismatch, path + ": tensor '" + name + "': expected " +
                                                     dtypeName(SawtoothType(arg.type)) + " of " +
                                                     shape + ", got " + entry->dtype + " of " +
                                                     shapeText(entry->dims));
    }
    uint64_t examples = static_cast<uint64_t>(entry->dims[0]);
    if (!feed->sources.empty() && examples != feed->count)
      return Status::error(StatusCode::Mismatch, path + ": tensor '" + name + "': expected " +
                                                     std::to_string(feed->count) +
                                                     " examples like the others, got " +
                                                     std::to_string(examples));
    feed->count = examples;
    if (static_cast<uint64_t>(arg.dims[0]) != feed->size)
      return Status::error(StatusCode::Corrupt,
                           "argument '" + plan.string(arg.name) + "': expected a batch of " +
                               std::to_string(feed->size) + ", got " + std::to_string(arg.dims[0]));
    uint64_t rowBytes = typeBytes(SawtoothType(arg.type));
    for (int64_t dim : row)
      rowBytes *= static_cast<uint64_t>(dim);
    // Never empty: an executor takes a null pointer for a missing argument.
    Result<Allocation> buffer =
        Allocation::zeroed(std::max<uint64_t>(rowBytes * feed->size, 1), "a batch");
    if (!buffer.ok())
      return buffer.status();
    executor.setTensor(i, buffer->data());
    feed->sources.push_back({entry->data, rowBytes, std::move(*buffer)});
  }
  if (feed->count == 0)
    return Status::error(StatusCode::Invalid, path + ": '" + split + "' has no examples");
  return feed;
}

void BatchFeed::fill(std::span<const uint64_t> which) {
  for (Source &source : sources)
    for (uint64_t i = 0; i < size; ++i)
      std::memcpy(static_cast<std::byte *>(source.buffer.data()) + i * source.rowBytes,
                  source.data + which[i] * source.rowBytes, source.rowBytes);
}

} // namespace sawtooth::tool
