// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches out of a data set: a safetensors file with `train.NAME` and `test.NAME`, the first
// dimension counting examples.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_DATA_H
#define SAWTOOTH_TOOLS_SAWTOOTH_DATA_H

#include "sawtooth/runtime/StepRunner.h"

namespace sawtooth::tool {

/// The order of an epoch's examples: sorted by 64-bit random keys (then by number) from the stream
/// named by (seed, stream 0, epoch, hash of "order"), example i having words 2 i and 2 i + 1. The
/// same on every machine, and for each epoch without the ones before it.
std::vector<uint64_t> shuffledOrder(uint64_t seed, uint64_t epoch, uint64_t examples);

/// Gives an executor its batch arguments from one split.
class BatchFeed {
public:
  /// `Mismatch` or `NotFound` names the tensor of the file that does not fit.
  static runtime::Result<std::unique_ptr<BatchFeed>>
  create(std::shared_ptr<const runtime::TensorFile> file, const std::string &split,
         runtime::StepRunner &executor);

  uint64_t examples() const { return count; }
  uint64_t batch() const { return size; }

  /// Copies examples `which`, batch() of them, to where the executor reads them.
  void fill(std::span<const uint64_t> which);

private:
  struct Source {
    const std::byte *data;
    uint64_t rowBytes;
    runtime::Allocation buffer;
  };

  std::shared_ptr<const runtime::TensorFile> file;
  std::vector<Source> sources;
  uint64_t count = 0, size = 0;
};

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_DATA_H
