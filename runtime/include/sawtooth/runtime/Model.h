// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_MODEL_H
#define SAWTOOTH_RUNTIME_MODEL_H

#include "sawtooth/runtime/Abi.h"
#include "sawtooth/runtime/Status.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sawtooth::runtime {

/// Name and shape of a tensor.
struct TensorSpec {
  std::string name;
  std::vector<int64_t> dims;
};

/// A tensor somewhere in memory, row-major and without gaps.
struct TensorRef {
  std::string name;
  std::vector<int64_t> dims;
  SawtoothType type;
  void *data;
};

/// Product of the dimensions, 1 for a scalar. `Invalid` for more than SAWTOOTH_MAX_RANK dimensions,
/// a negative one, or more elements than memory can address.
Result<int64_t> countElements(std::span<const int64_t> dims);

/// The tensors of one model, numbered by the byte order of their names, in the arrays that
/// generated code reads.
struct Model {
  std::string name;
  bool known = false; // names and shapes are there
  std::vector<std::string> tensors;
  std::vector<int64_t> numel, rank, dims; // dims: SAWTOOTH_MAX_RANK a tensor, padded with 1
  std::vector<uint64_t> nameHash;
  // Filled by chunkTable; firstRow has an entry more than there are tensors.
  uint64_t firstChunk = 0, chunks = 0;
  std::vector<uint64_t> firstRow;

  /// Takes names and shapes, in any order. `Invalid` for two tensors of one name or a bad shape.
  Status define(std::vector<TensorSpec> specs);

  std::span<const int64_t> shape(size_t tensor) const {
    return {&dims[tensor * SAWTOOTH_MAX_RANK], static_cast<size_t>(rank[tensor])};
  }
  /// Number of the tensor, or -1.
  int64_t find(std::string_view tensor) const;

  /// Compares names and shapes with those of list `title`, whose tensors come in any order.
  /// `Mismatch` names the first difference in byte order. `order[i]` becomes the place in `specs`
  /// of tensor i.
  Status agree(const std::string &title, std::span<const TensorSpec> specs,
               std::vector<size_t> &order) const;
};

/// Places for the tensors of a list in one piece of memory, each on cache lines of its own: two
/// tensors that shared one would make two threads share it. `OutOfMemory` when the sum, `total`,
/// exceeds 64 bits.
Status layOut(const Model &model, uint64_t elementBytes, std::vector<uint64_t> &offsets,
              uint64_t &total);

/// One row for each SAWTOOTH_CHUNK elements begun, by model, tensor, index; sets the models' own
/// rows. A tensor without elements has none.
std::vector<SawtoothChunk> chunkTable(std::span<Model> models);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_MODEL_H
