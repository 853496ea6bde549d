// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data for benchmarks.
#ifndef SAWTOOTH_TOOLS_BENCH_RANDOMLIST_H
#define SAWTOOTH_TOOLS_BENCH_RANDOMLIST_H

#include "sawtooth/runtime/Allocation.h"
#include "sawtooth/runtime/Model.h"
#include "sawtooth/runtime/ParallelFor.h"

#include <span>
#include <vector>

namespace sawtooth::bench {

/// A list of random elements in [-1, 1), first touched by the threads that will work on it.
class RandomList {
public:
  static runtime::Result<RandomList> create(const std::vector<runtime::TensorSpec> &specs,
                                            SawtoothType type, uint32_t stream,
                                            const runtime::ParallelFor &parallelFor);

  std::span<const runtime::TensorRef> tensors() const { return refs; }

  bool hasElements() const;
  /// Puts an infinity into the first element that there is, or takes it out again.
  void poison(bool on);

private:
  runtime::Allocation memory;
  SawtoothType type;
  std::vector<runtime::TensorRef> refs;
};

} // namespace sawtooth::bench

#endif // SAWTOOTH_TOOLS_BENCH_RANDOMLIST_H
