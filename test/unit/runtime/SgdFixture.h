// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A store with the hand-written SGD module on it, and tensors to bind.
#ifndef SAWTOOTH_TEST_UNIT_RUNTIME_SGDFIXTURE_H
#define SAWTOOTH_TEST_UNIT_RUNTIME_SGDFIXTURE_H

#include "FakeModule.h"
#include "sawtooth/runtime/Executor.h"
#include "sawtooth/runtime/StateFile.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace sawtooth::test {

using namespace sawtooth::runtime;

/// Fails the test with the message of a status that should be ok.
#define EXPECT_STATUS_OK(expression)                                                               \
  do {                                                                                             \
    Status expectedOk = (expression);                                                              \
    EXPECT_TRUE(expectedOk.ok()) << expectedOk.message();                                          \
  } while (false)
#define ASSERT_STATUS_OK(expression)                                                               \
  do {                                                                                             \
    Status assertedOk = (expression);                                                              \
    ASSERT_TRUE(assertedOk.ok()) << assertedOk.message();                                          \
  } while (false)

/// A folder that goes with the test.
class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "sawtooth-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string &name) const { return path / name; }
  std::string write(const std::string &name, const std::string &content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }
  std::filesystem::path path;
};

inline std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Sgd {
  enum List : uint32_t { W, H, M, G };

  explicit Sgd(ParallelFor parallelFor = ParallelFor::serial(), const SgdOptions &options = {})
      : Sgd(fakeSgd(options), parallelFor) {}
  explicit Sgd(FakeModule module, ParallelFor parallelFor = ParallelFor::serial())
      : module(std::move(module)), compiled(this->module.artifact()) {
    create(parallelFor);
  }
  /// Code of another kind for the same plan; what it points to outlives this.
  explicit Sgd(const SawtoothArtifact &artifact) : compiled(artifact) {
    create(ParallelFor::serial());
  }

  void create(ParallelFor parallelFor) {
    Result<Artifact> read = Artifact::read(&compiled);
    EXPECT_TRUE(read.ok()) << read.status().message();
    artifact = std::make_unique<Artifact>(std::move(*read));
    Result<std::unique_ptr<Store>> created = Store::create(artifact->plan, 0, parallelFor);
    EXPECT_TRUE(created.ok()) << created.status().message();
    store = std::move(*created);
  }

  /// Binds w and g with these tensors (name, elements of w, bits of g) and finishes.
  struct Tensor {
    std::string name;
    std::vector<float> w;
    std::vector<_Float16> g;
  };
  Status bind(std::vector<Tensor> given) {
    tensors = std::move(given);
    SAWTOOTH_TRY(bindOnly(W));
    SAWTOOTH_TRY(bindOnly(G));
    return store->finish();
  }
  Status bindOnly(List list) {
    std::vector<TensorRef> refs;
    for (Tensor &tensor : tensors)
      refs.push_back({tensor.name,
                      {int64_t(list == W ? tensor.w.size() : tensor.g.size())},
                      list == W ? SAWTOOTH_F32 : SAWTOOTH_F16,
                      list == W ? static_cast<void *>(tensor.w.data()) : tensor.g.data()});
    return store->bind(list, refs);
  }

  std::unique_ptr<Executor> executor() {
    Result<std::unique_ptr<Executor>> created = Executor::create(*artifact, 0, *store);
    EXPECT_TRUE(created.ok()) << created.status().message();
    return std::move(*created);
  }

  template <typename T>
  std::span<T> elements(List list, size_t tensor) {
    return {static_cast<T *>(store->buffers(list)[tensor]),
            static_cast<size_t>(store->model(0).numel[tensor])};
  }
  uint64_t &slot(const char *field) { return store->slots(*store->plan().findField(field))[0]; }
  float scale() { return std::bit_cast<float>(uint32_t(slot("s.scale"))); }

  FakeModule module;
  SawtoothArtifact compiled;
  std::unique_ptr<Artifact> artifact;
  std::unique_ptr<Store> store;
  std::vector<Tensor> tensors;
};

} // namespace sawtooth::test

#endif // SAWTOOTH_TEST_UNIT_RUNTIME_SGDFIXTURE_H
