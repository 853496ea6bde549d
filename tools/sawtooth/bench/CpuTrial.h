// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_TOOLS_BENCH_CPUTRIAL_H
#define SAWTOOTH_TOOLS_BENCH_CPUTRIAL_H

#include "bench/Bound.h"
#include "bench/RandomList.h"
#include "bench/Trial.h"
#include "sawtooth/runtime/Executor.h"

namespace sawtooth::bench {

/// The passes of a step as streams over the store's buffers.
class BoundStep {
public:
  BoundStep(const runtime::Plan &plan, const SawtoothStepRow &step, const runtime::Store &store);

  /// The passes that a step runs: all, or those that a skip does not keep from running.
  void run(bool applied, unsigned threads, Stores stores) const;

private:
  struct Pass {
    bool gated;
    StreamLoop loop;
  };
  std::vector<Pass> passes;
};

/// A copy within memory: one library call of memcpy for each thread, half of the bytes read, half
/// of them written.
class Copy {
public:
  static runtime::Result<Copy> create(const char *from, uint64_t bytes);
  void run(unsigned threads);
  double bytes() const { return 2.0 * static_cast<double>(to.bytes()); }

private:
  const char *from = nullptr;
  runtime::Allocation to;
};

/// A step whose arguments and required state are random, the rest as declared, on threads.
class CpuTrial : public Trial {
public:
  /// The artifact must outlive the trial.
  static runtime::Result<std::unique_ptr<CpuTrial>>
  create(const runtime::Artifact &artifact, uint32_t step,
         const std::vector<runtime::TensorSpec> &tensors, unsigned threads);

  runtime::Result<Run> runStep(bool poisoned) override;
  runtime::Result<double> runBound(bool applied) override;
  runtime::Result<double> runCopy() override;
  /// Finds how the bound writes fastest, and touches the copy's pages.
  runtime::Status warmUp() override;

  double copyBytes() const override { return copy.bytes(); }
  bool canSkip() const override { return firstArgument && lists[*firstArgument].hasElements(); }

private:
  explicit CpuTrial(unsigned threads) : threads(threads) {}
  double boundSeconds(bool applied);
  std::span<const char> memoryOf(uint32_t list) const;

  unsigned threads;
  std::unique_ptr<runtime::Executor> executor;
  std::vector<RandomList> lists;
  std::optional<size_t> firstArgument; // of `lists`
  std::optional<BoundStep> bound;
  Stores stores = Stores::Cached;
  Copy copy;
};

} // namespace sawtooth::bench

#endif // SAWTOOTH_TOOLS_BENCH_CPUTRIAL_H
