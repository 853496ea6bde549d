// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Analysis/ArenaPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sawtooth;

ArenaPlan sawtooth::planArena(llvm::ArrayRef<ArenaRequest> requests) {
  ArenaPlan plan;
  plan.offsets.assign(requests.size(), 0);
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, requests.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return requests[a].bytes != requests[b].bytes ? requests[a].bytes > requests[b].bytes : a < b;
  });

  // Those placed so far, by offset.
  llvm::SmallVector<unsigned> placed;
  for (unsigned request : order) {
    const ArenaRequest &wanted = requests[request];
    if (wanted.bytes == 0)
      continue;
    uint64_t offset = 0;
    for (unsigned other : placed) {
      const ArenaRequest &taken = requests[other];
      bool together = taken.first <= wanted.last && wanted.first <= taken.last;
      if (!together)
        continue;
      if (plan.offsets[other] >= offset + wanted.bytes)
        break;
      offset =
          std::max(offset, llvm::alignTo<ArenaPlan::alignment>(plan.offsets[other] + taken.bytes));
    }
    plan.offsets[request] = offset;
    plan.bytes = std::max(plan.bytes, offset + wanted.bytes);
    auto position = llvm::partition_point(
        placed, [&](unsigned other) { return plan.offsets[other] <= offset; });
    placed.insert(position, request);
  }
  return plan;
}
