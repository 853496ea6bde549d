// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Allocation.h"

#include "Cat.h"

#include <sys/mman.h>

namespace sawtooth::runtime {

Result<Allocation> Allocation::zeroed(uint64_t bytes, const char *what) {
  Allocation allocation;
  if (bytes == 0)
    return allocation;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return Status::error(StatusCode::OutOfMemory,
                         cat("cannot allocate ", bytes, " bytes for ", what));
  // Streams over gigabytes miss the TLB on every 4 KiB otherwise; a refusal does no harm.
  constexpr uint64_t hugePage = 2u << 20;
  if (bytes >= 2 * hugePage)
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
  allocation.memory = memory;
  allocation.size = bytes;
  return allocation;
}

Allocation::~Allocation() {
  if (memory)
    munmap(memory, size);
}

} // namespace sawtooth::runtime
