// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/Bound.h"

#include <algorithm>

using namespace sawtooth::bench;

namespace {

// Elements that are handled list by list before the next ones: few enough to stay in the first
// cache, many enough that the loops over one list are long.
constexpr int64_t kBlock = 512;
// Elements that a thread takes at once; small tensors share a share.
constexpr int64_t kShare = 16384;

// The three loops, once for each vector width. Unaligned vectors, as a list may start anywhere; the
// empty assembly makes the compiler neither drop a load nor the store of what was loaded.
#define SAWTOOTH_STREAM_LOOPS(isa, width)                                                          \
  __attribute__((target(isa))) void touch##width(char *data, int64_t bytes, bool read,             \
                                                 bool written) {                                   \
    typedef float Vector __attribute__((vector_size(width), aligned(1), may_alias));               \
    typedef float Register __attribute__((vector_size(width)));                                    \
    int64_t i = 0;                                                                                 \
    if (read && written) {                                                                         \
      for (; i + width <= bytes; i += width) {                                                     \
        Register value = *reinterpret_cast<Vector *>(data + i);                                    \
        asm volatile("" : "+v"(value));                                                            \
        *reinterpret_cast<Vector *>(data + i) = value;                                             \
      }                                                                                            \
    } else if (read) {                                                                             \
      for (; i + width <= bytes; i += width) {                                                     \
        Register value = *reinterpret_cast<Vector *>(data + i);                                    \
        asm volatile("" ::"v"(value));                                                             \
      }                                                                                            \
    } else {                                                                                       \
      Register zero = {};                                                                          \
      for (; i + width <= bytes; i += width)                                                       \
        *reinterpret_cast<Vector *>(data + i) = zero;                                              \
    }                                                                                              \
    for (; i < bytes; ++i) {                                                                       \
      char value = read ? data[i] : char(0);                                                       \
      asm volatile("" : "+r"(value));                                                              \
      if (written)                                                                                 \
        data[i] = value;                                                                           \
    }                                                                                              \
  }
SAWTOOTH_STREAM_LOOPS("avx2", 32)
SAWTOOTH_STREAM_LOOPS("avx512f", 64)
#undef SAWTOOTH_STREAM_LOOPS

} // namespace

StreamLoop::StreamLoop(StreamPass pass) : pass(std::move(pass)) {
  int64_t filled = 0;
  for (uint32_t tensor = 0; tensor < this->pass.numel.size(); ++tensor)
    for (int64_t first = 0, numel = this->pass.numel[tensor]; first < numel;) {
      int64_t count = std::min(kShare - filled, numel - first);
      pieces.push_back({tensor, first, count});
      first += count;
      if ((filled += count) == kShare) {
        shares.push_back(pieces.size());
        filled = 0;
      }
    }
  if (shares.back() != pieces.size())
    shares.push_back(pieces.size());
}

void StreamLoop::run(unsigned threads) const {
  auto *touch = __builtin_cpu_supports("avx512f") ? touch64 : touch32;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (size_t share = 0; share < shares.size() - 1; ++share)
    for (size_t p = shares[share]; p < shares[share + 1]; ++p)
      for (int64_t done = 0; done < pieces[p].count; done += kBlock) {
        int64_t count = std::min(kBlock, pieces[p].count - done);
        for (const Stream &list : pass.streams)
          touch(list.tensor[pieces[p].tensor] + (pieces[p].first + done) * list.bytes,
                count * list.bytes, list.read, list.written);
      }
}
