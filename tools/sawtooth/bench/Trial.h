// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step on random data, and what it is measured against.
#ifndef SAWTOOTH_TOOLS_BENCH_TRIAL_H
#define SAWTOOTH_TOOLS_BENCH_TRIAL_H

#include "bench/Bound.h"
#include "bench/RandomList.h"
#include "sawtooth/runtime/Executor.h"

namespace sawtooth::bench {

/// The passes of a step as streams over the store's buffers.
class BoundStep {
public:
  BoundStep(const runtime::Plan &plan, const SawtoothStepRow &step, const runtime::Store &store);

  /// The passes that a step runs: all, or those that a skip does not keep from running.
  void run(bool applied, unsigned threads, Stores stores) const;
  double bytes(bool applied) const;

private:
  struct Pass {
    bool gated;
    double bytes;
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

/// A step whose arguments and required state are random, the rest as declared.
class Trial {
public:
  /// The artifact must outlive the trial. All models of the step get the same tensors.
  static runtime::Result<std::unique_ptr<Trial>>
  create(const runtime::Artifact &artifact, uint32_t step,
         const std::vector<runtime::TensorSpec> &tensors, unsigned threads);

  /// Runs the step and returns its seconds; `applied` says how it ended. With `poisoned`, its first
  /// list argument holds an infinity meanwhile.
  double runStep(bool poisoned, bool &applied);
  /// Runs the bound of a step that ended like that, and returns its seconds.
  double runBound(bool applied);
  double runCopy();

  double bytes(bool applied) const { return bound->bytes(applied); }
  double copyBytes() const { return copy.bytes(); }
  bool canSkip() const { return firstArgument.has_value(); }
  /// Finds how the bound writes fastest.
  void tuneBound();

private:
  Trial(unsigned threads) : threads(threads) {}

  unsigned threads;
  std::unique_ptr<runtime::Store> store;
  std::unique_ptr<runtime::Executor> executor;
  std::vector<RandomList> lists;
  std::optional<size_t> firstArgument; // of `lists`
  std::optional<BoundStep> bound;
  Stores stores = Stores::Cached;
  Copy copy;
};

} // namespace sawtooth::bench

#endif // SAWTOOTH_TOOLS_BENCH_TRIAL_H
