// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each step did and why, for a host that looks when it likes: a ring of rows between one
// producer (who runs steps) and one consumer, without locks.
#ifndef SAWTOOTH_RUNTIME_RING_H
#define SAWTOOTH_RUNTIME_RING_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sawtooth::runtime {

class StatusRing {
public:
  /// Room for at least `rows` rows of `slots` 8-byte values.
  StatusRing(uint64_t rows, uint64_t slots);

  /// Producer: appends a row of at most `slots` values. A full ring drops it and counts.
  bool push(std::span<const uint64_t> row);

  /// Consumer: takes the oldest row, padded with 0; false when there is none.
  bool pop(std::vector<uint64_t> &row);

  /// Rows that found no room. Any thread.
  uint64_t dropped() const { return lost.load(std::memory_order_relaxed); }
  uint64_t capacity() const { return mask + 1; }

private:
  uint64_t mask, slots;
  std::unique_ptr<uint64_t[]> memory;
  // On lines of their own: the two sides would otherwise take them from each other.
  alignas(64) std::atomic<uint64_t> written{0};
  alignas(64) std::atomic<uint64_t> taken{0};
  alignas(64) std::atomic<uint64_t> lost{0};
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_RING_H
