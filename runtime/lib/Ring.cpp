// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Ring.h"

#include <algorithm>
#include <bit>

namespace sawtooth::runtime {

StatusRing::StatusRing(uint64_t rows, uint64_t slots)
    : mask(std::bit_ceil(std::max<uint64_t>(rows, 1)) - 1), slots(slots),
      memory(new uint64_t[(mask + 1) * slots]) {}

bool StatusRing::push(std::span<const uint64_t> row) {
  uint64_t at = written.load(std::memory_order_relaxed);
  // Acquire: the consumer has read the row that this one overwrites.
  if (at - taken.load(std::memory_order_acquire) > mask) {
    lost.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  uint64_t *to = memory.get() + (at & mask) * slots;
  std::fill(std::copy_n(row.begin(), std::min<uint64_t>(row.size(), slots), to), to + slots, 0);
  written.store(at + 1, std::memory_order_release);
  return true;
}

bool StatusRing::pop(std::vector<uint64_t> &row) {
  uint64_t at = taken.load(std::memory_order_relaxed);
  if (at == written.load(std::memory_order_acquire))
    return false;
  const uint64_t *from = memory.get() + (at & mask) * slots;
  row.assign(from, from + slots);
  taken.store(at + 1, std::memory_order_release);
  return true;
}

} // namespace sawtooth::runtime
