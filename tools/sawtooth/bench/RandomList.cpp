// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/RandomList.h"

#include "sawtooth/runtime/Convert.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace sawtooth::bench;
using namespace sawtooth::runtime;

Result<RandomList> RandomList::create(const std::vector<TensorSpec> &specs, SawtoothType type,
                                      uint32_t stream, const ParallelFor &parallelFor) {
  RandomList list;
  list.type = type;
  uint64_t bytes = 0;
  std::vector<uint64_t> offsets;
  for (const TensorSpec &spec : specs) {
    Result<int64_t> numel = countElements(spec.dims);
    if (!numel.ok())
      return numel.status().of(spec.name);
    offsets.push_back(bytes);
    bytes += (*numel * typeBytes(type) + 63) / 64 * 64;
  }
  Result<Allocation> memory = Allocation::zeroed(bytes, "a list of random elements");
  if (!memory.ok())
    return memory.status();
  list.memory = std::move(*memory);
  char *base = static_cast<char *>(list.memory.data());
  for (size_t i = 0; i < specs.size(); ++i)
    list.refs.push_back({specs[i].name, specs[i].dims, type, base + offsets[i]});
  // Gaps between tensors are filled too; nobody reads them.
  const uint64_t elements = bytes / typeBytes(type);
  parallelFor(elements, 1 << 16, [&](uint64_t begin, uint64_t end) {
    uint64_t state = begin * 0x9e3779b97f4a7c15ull + stream;
    for (uint64_t i = begin; i < end; ++i) {
      // Any generator does: nobody's values depend on it.
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      double value = static_cast<double>(static_cast<int32_t>(state >> 32)) * 0x1p-31;
      storeFloat(type, base, i, std::bit_cast<uint64_t>(value));
    }
  });
  return list;
}

bool RandomList::hasElements() const {
  return std::ranges::any_of(refs, [](const TensorRef &ref) { return *countElements(ref.dims); });
}

void RandomList::poison(bool on) {
  for (TensorRef &ref : refs)
    if (*countElements(ref.dims) > 0)
      return storeFloat(type, ref.data, 0, std::bit_cast<uint64_t>(on ? INFINITY : 0.5));
}
