// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/Bound.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <immintrin.h>

using namespace sawtooth::bench;

namespace sawtooth::bench {

/// A list at one place: where it is, and the bytes that a unit of it takes.
struct Lane {
  char *data;
  int64_t bytes;
};

/// Lists by what happens to them: each kind ends where the next one begins.
struct Lanes {
  std::vector<Lane> lane;
  size_t readEnd, updateEnd, pastEnd;
  int nothing;          // 0, but nobody can tell
  int sum = 0x3d5b9f17; // where loads end, so that they are not left out
};

} // namespace sawtooth::bench

namespace {

// Elements that a thread takes at once; small tensors share a share.
constexpr int64_t kShare = 16384;
// Elements of all lists that go through the loop together: whole cache lines of each.
// Larger blocks, a list after the other within them, were up to a tenth slower.
constexpr int64_t kUnit = 32;

/// Whole units of all lists. A list that is read goes into `sum`, one that is updated gets a 0
/// that the compiler does not know, so that no load and no store is left out. What is only written
/// gets the sum: some machines write lines of zeros faster than others. Vectors are unaligned, as a
/// list may start anywhere, but for those that go past the caches.
template <int width>
[[gnu::always_inline]] inline void streamUnits(Lanes &lanes, int64_t units) {
  typedef int Aligned __attribute__((vector_size(width), may_alias));
  typedef Aligned Vector __attribute__((aligned(1)));
  const Lane *first = lanes.lane.data(), *updates = first + lanes.readEnd;
  const Lane *pasts = first + lanes.updateEnd, *writes = first + lanes.pastEnd;
  const Lane *last = first + lanes.lane.size();
  const Aligned add = Aligned{} + lanes.nothing;
  Aligned sum = add + lanes.sum;
  for (int64_t unit = 0; unit < units; ++unit) {
    for (const Lane *lane = first; lane != updates; ++lane)
      for (int64_t i = unit * lane->bytes, end = i + lane->bytes; i != end; i += width)
        sum ^= *reinterpret_cast<const Vector *>(lane->data + i);
    for (const Lane *lane = updates; lane != pasts; ++lane)
      for (int64_t i = unit * lane->bytes, end = i + lane->bytes; i != end; i += width)
        *reinterpret_cast<Vector *>(lane->data + i) += add;
    for (const Lane *lane = pasts; lane != writes; ++lane)
      for (int64_t i = unit * lane->bytes, end = i + lane->bytes; i != end; i += width)
        __builtin_nontemporal_store(sum, reinterpret_cast<Aligned *>(lane->data + i));
    for (const Lane *lane = writes; lane != last; ++lane)
      for (int64_t i = unit * lane->bytes, end = i + lane->bytes; i != end; i += width)
        *reinterpret_cast<Vector *>(lane->data + i) = sum;
  }
  if (pasts != writes)
    _mm_sfence(); // orders what went past the caches before the end of the loop
  lanes.sum = sum[0] ^ sum[width / 4 - 1];
}

__attribute__((target("avx2"))) void streamUnits32(Lanes &lanes, int64_t units) {
  streamUnits<32>(lanes, units);
}
__attribute__((target("avx512f"))) void streamUnits64(Lanes &lanes, int64_t units) {
  streamUnits<64>(lanes, units);
}

/// What is left of a tensor behind its whole units, in vectors as long as there are.
template <typename T, typename Element>
void touchRest(char *&data, int64_t &bytes, const Stream &list, Lanes &lanes) {
  for (; bytes >= int64_t(sizeof(T)); bytes -= sizeof(T), data += sizeof(T)) {
    T value = T{} + static_cast<Element>(lanes.sum);
    if (list.read)
      std::memcpy(&value, data, sizeof(T));
    value = value + (T{} + static_cast<Element>(lanes.nothing));
    if (list.written)
      std::memcpy(data, &value, sizeof(T));
    lanes.sum ^= static_cast<int>(value[0]);
  }
}

void touchRest(char *data, int64_t bytes, const Stream &list, Lanes &lanes) {
  typedef int Quad __attribute__((vector_size(16)));
  typedef int Single __attribute__((vector_size(4)));
  typedef short Half __attribute__((vector_size(2)));
  touchRest<Quad, int>(data, bytes, list, lanes);
  touchRest<Single, int>(data, bytes, list, lanes);
  touchRest<Half, short>(data, bytes, list, lanes);
}

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

void StreamLoop::runPiece(const Piece &piece, Stores stores, Lanes &lanes) const {
  const bool wide = __builtin_cpu_supports("avx512f");
  const uintptr_t misaligned = (wide ? 64 : 32) - 1;
  auto place = [&](const Stream &list) {
    return list.tensor[piece.tensor] + piece.first * list.bytes;
  };
  auto goesPast = [&](const Stream &list) {
    return stores == Stores::PastCaches && !list.read &&
           !(reinterpret_cast<uintptr_t>(place(list)) & misaligned);
  };
  lanes.lane.clear();
  auto add = [&](auto &&wanted) {
    for (const Stream &list : pass.streams)
      if (wanted(list))
        lanes.lane.push_back({place(list), kUnit * list.bytes});
    return lanes.lane.size();
  };
  lanes.readEnd = add([](const Stream &list) { return list.read && !list.written; });
  lanes.updateEnd = add([](const Stream &list) { return list.read && list.written; });
  lanes.pastEnd = add(goesPast);
  add([&](const Stream &list) { return !list.read && !goesPast(list); });

  const int64_t units = piece.count / kUnit, rest = piece.count % kUnit;
  (wide ? streamUnits64 : streamUnits32)(lanes, units);
  if (rest)
    for (const Stream &list : pass.streams)
      touchRest(place(list) + units * kUnit * list.bytes, rest * list.bytes, list, lanes);
}

void StreamLoop::run(unsigned threads, Stores stores) const {
#pragma omp parallel num_threads(threads)
  {
    static volatile int nothing;
    Lanes lanes{{}, 0, 0, 0, nothing};
#pragma omp for nowait schedule(dynamic, 8)
    for (size_t share = 0; share < shares.size() - 1; ++share)
      for (size_t p = shares[share]; p < shares[share + 1]; ++p)
        runPiece(pieces[p], stores, lanes);
    asm volatile("" ::"r"(lanes.sum)); // where it is used
  }
}
