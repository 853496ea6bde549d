// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the temporaries of a forward and backward part live.
#ifndef SAWTOOTH_ANALYSIS_ARENAPLAN_H
#define SAWTOOTH_ANALYSIS_ARENAPLAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace sawtooth {

/// A buffer that is written by action `first` and last read by action `last`, both included.
struct ArenaRequest {
  uint64_t bytes;
  unsigned first, last;
};

struct ArenaPlan {
  llvm::SmallVector<uint64_t> offsets; ///< by request, multiples of ArenaPlan::alignment
  uint64_t bytes = 0;                  ///< of the whole arena

  /// A cache line: two threads never write one line of two buffers.
  static constexpr uint64_t alignment = 64;
};

/// Gives every request a place such that buffers that live at the same time do not overlap. The
/// largest are placed first, each at the lowest offset that is free while it lives; among equal
/// sizes, in the order given. A buffer of no bytes takes no room.
ArenaPlan planArena(llvm::ArrayRef<ArenaRequest> requests);

} // namespace sawtooth

#endif // SAWTOOTH_ANALYSIS_ARENAPLAN_H
