// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles cut steps and runs them on buffers between guard bytes, by the ABI alone: no runtime.
#ifndef SAWTOOTH_TEST_UNIT_TARGET_HARNESS_H
#define SAWTOOTH_TEST_UNIT_TARGET_HARNESS_H

#include "sawtooth/Target/CPU/CPU.h"
#include "sawtooth/runtime/Abi.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace sawtooth::test {

/// A compiled module. `diagnostics` says why when `artifact` is null.
struct Compiled {
  std::unique_ptr<LoadedObject> object;
  const SawtoothArtifact *artifact = nullptr;
  std::string diagnostics;
};

/// From cut form on. The text of a module, its name in diagnostics is "test.mlir".
Compiled compile(const std::string &text, const std::string &chip);
/// LLVM IR, assembly or object of the same.
std::string emit(const std::string &text, const std::string &chip, OutputKind kind);

/// Chips that this processor runs.
std::vector<std::string> chips();

/// Everything that one step of an artifact with one model needs, with initial values that the test
/// sets. Each tensor's buffer starts `offset` elements into a 64-byte line and stands between guard
/// bytes.
class Machine {
public:
  Machine(const SawtoothArtifact *artifact, std::vector<int64_t> numel, size_t offset = 0);

  template <typename Element>
  Element *tensor(const std::string &list, size_t number) {
    return reinterpret_cast<Element *>(bufferOf(list, number));
  }
  /// A scalar argument, a field of the step, a field of a tensor.
  template <typename Value>
  void setArgument(const std::string &name, Value value) {
    std::memcpy(&args[argumentOffset(name) / 8], &value, sizeof(value));
  }
  template <typename Value>
  Value &field(const std::string &name) {
    return *reinterpret_cast<Value *>(&state[fieldRow(name).offset / 8]);
  }
  template <typename Value>
  Value &field(const std::string &name, size_t tensor) {
    return *reinterpret_cast<Value *>(&perTensor[fieldRow(name).offset][tensor]);
  }
  /// A logged value, and what became of the step.
  template <typename Value>
  Value log(const std::string &key) {
    Value value;
    std::memcpy(&value, reinterpret_cast<const char *>(frame.data()) + logOffset(key),
                sizeof(value));
    return value;
  }
  bool applied() const;
  uint64_t causes() const;

  /// Gives a tensor more dimensions than the one it starts with.
  void reshape(size_t number, const std::vector<int64_t> &shape) {
    rank[number] = static_cast<int64_t>(shape.size());
    std::copy(shape.begin(), shape.end(), dims.begin() + number * SAWTOOTH_MAX_RANK);
  }

  /// Runs the only step: passes row by row from the last to the first, since no order may matter.
  void run();
  /// False when a byte outside the tensors has changed.
  bool guardsIntact() const;

private:
  const SawtoothFieldRow &fieldRow(const std::string &name) const;
  uint64_t argumentOffset(const std::string &name) const;
  uint64_t logOffset(const std::string &key) const;
  unsigned char *bufferOf(const std::string &list, size_t number);
  template <typename Row>
  const Row *table(const SawtoothTable &table) const {
    return reinterpret_cast<const Row *>(reinterpret_cast<const char *>(plan) + table.offset);
  }
  const char *text(SawtoothString offset) const {
    return reinterpret_cast<const char *>(plan) + offset;
  }

  struct Buffer {
    std::vector<unsigned char> bytes;
    size_t begin, size;
  };
  const SawtoothArtifact *artifact;
  const SawtoothPlan *plan;
  const SawtoothStepRow *step;
  std::vector<std::vector<Buffer>> lists; // by list and tensor
  std::vector<std::vector<void *>> listPointers;
  std::vector<void *const *> listTable;
  std::vector<std::vector<uint64_t>> perTensor;
  std::vector<void *> perTensorTable;
  std::vector<int64_t> numel, rank, dims;
  std::vector<SawtoothChunk> chunks;
  std::vector<uint64_t> state, args, frame, partials;
  SawtoothModel model;
  const SawtoothModel *models[1];
  SawtoothCtx ctx;
};

} // namespace sawtooth::test

#endif // SAWTOOTH_TEST_UNIT_TARGET_HARNESS_H
