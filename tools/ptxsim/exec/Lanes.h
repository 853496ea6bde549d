// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over the lanes of a warp, shaped so that the compiler vectorises them. Registers are whole
// lane arrays: a result either is one of its sources or overlaps none of them.

#ifndef PTXSIM_EXEC_LANES_H
#define PTXSIM_EXEC_LANES_H

#include "exec/Warp.h"

#include <bit>
#include <cstring>
#include <immintrin.h>

namespace ptxsim {

/// out[l] = body(l) for the lanes of the mask. The body is computed for all lanes, so it must
/// neither trap nor have effects.
template <class T, class Body>
inline void eachLane(Warp &warp, uint32_t destination, Mask mask, Body body) {
  T *out = warp.lanes<T>(destination);
  if (mask == fullMask) {
#pragma clang loop vectorize(assume_safety)
    for (unsigned l = 0; l < warpSize; ++l)
      out[l] = body(l);
    return;
  }
#pragma clang loop vectorize(assume_safety)
  for (unsigned l = 0; l < warpSize; ++l) {
    T result = body(l);
    out[l] = mask >> l & 1 ? result : out[l];
  }
}

/// The lanes for which `body` is true.
template <class Body>
inline Mask gatherMask(Body body) {
  alignas(32) uint8_t bytes[warpSize];
#pragma clang loop vectorize(assume_safety)
  for (unsigned l = 0; l < warpSize; ++l)
    bytes[l] = body(l) ? 0x80 : 0;
  return Mask(_mm256_movemask_epi8(_mm256_load_si256(reinterpret_cast<const __m256i *>(bytes))));
}

inline void setPredicate(Warp &warp, uint32_t destination, Mask mask, Mask value) {
  Mask &out = warp.predicate(destination);
  out = (out & ~mask) | (value & mask);
}

template <class Body>
inline void forLanes(Mask mask, Body body) {
  for (Mask rest = mask; rest; rest &= rest - 1)
    body(unsigned(std::countr_zero(rest)));
}

} // namespace ptxsim

#endif
