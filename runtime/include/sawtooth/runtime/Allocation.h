// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_ALLOCATION_H
#define SAWTOOTH_RUNTIME_ALLOCATION_H

#include "sawtooth/runtime/Status.h"

#include <cstdint>
#include <utility>

namespace sawtooth::runtime {

/// Memory of the runtime: zero at first, on a page boundary. Pages that nobody touches cost
/// nothing, and the thread that touches one first gets it near itself.
class Allocation {
public:
  Allocation() = default;
  Allocation(Allocation &&other) noexcept
      : memory(std::exchange(other.memory, nullptr)), size(std::exchange(other.size, 0)) {}
  Allocation &operator=(Allocation &&other) noexcept {
    std::swap(memory, other.memory);
    std::swap(size, other.size);
    return *this;
  }
  ~Allocation();

  /// `OutOfMemory`, naming `what` and the bytes, when the system has no more. No bytes: null.
  static Result<Allocation> zeroed(uint64_t bytes, const char *what);

  void *data() const { return memory; }
  uint64_t bytes() const { return size; }

private:
  void *memory = nullptr;
  uint64_t size = 0;
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_ALLOCATION_H
