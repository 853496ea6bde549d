// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_STORE_H
#define SAWTOOTH_RUNTIME_STORE_H

#include "sawtooth/runtime/Allocation.h"
#include "sawtooth/runtime/Model.h"
#include "sawtooth/runtime/ParallelFor.h"
#include "sawtooth/runtime/Plan.h"
#include "sawtooth/runtime/SafeTensors.h"

#include <functional>
#include <map>
#include <memory>

namespace sawtooth::runtime {

/// Where the elements of a list came from.
enum class ListOrigin { None, Initial, Loaded, Bound };

/// What outlives a step: the models' tensors, the state lists, the fields. Steps of every artifact
/// with the same lists and fields (compiled for another batch size, say) run on one store.
///
/// In order: loadState (StateFile.h) if there is a file, bind, finish, then set. Not thread-safe.
class Store {
public:
  /// `seed` keys the random initial values.
  static Result<std::unique_ptr<Store>> create(Plan plan, uint64_t seed,
                                               ParallelFor parallelFor = ParallelFor::openMp());

  const Plan &plan() const { return plan_; }
  uint64_t seed() const { return seed_; }
  void setSeed(uint64_t seed) { seed_ = seed; }
  const ParallelFor &parallelFor() const { return parallelFor_; }

  /// `Mismatch` unless `other` has the same models, lists and fields.
  Status accepts(const Plan &other) const;

  //===----------------------------------------------------------------------------------------===//
  // Lists
  //===----------------------------------------------------------------------------------------===//

  /// The lists that a user means by `name`: a state, or the arguments of that name in every step,
  /// or with "STEP." before it in that step. `NotFound` lists what there is.
  Result<std::vector<uint32_t>> listsNamed(const std::string &name) const;

  /// Uses the tensors where they are, in any order. They must outlive the store; those of a state
  /// are written by steps. The first list bound to a model defines its names and shapes; `Mismatch`
  /// names the first difference in another. Once finished, a bound list may be bound again.
  Status bind(uint32_t list, std::span<const TensorRef> tensors);

  /// The same for tensors in the memory of a device, `data` being the addresses there. The store
  /// keeps room for their elements on the host, which costs no memory until somebody fills it.
  Status bindDevice(uint32_t list, std::span<const TensorRef> tensors);

  /// Binds to the tensors of `file` whose names begin with `prefix`, which is cut off. The file is
  /// never written: a state is copied out of it.
  Status bindFile(uint32_t list, std::shared_ptr<const TensorFile> file, const std::string &prefix);

  /// Says which tensors `model` has, where neither the module nor a list that is bound does.
  /// `Invalid` when one does already, for two tensors of one name, or a bad shape.
  Status defineModel(uint32_t model, std::vector<TensorSpec> tensors);

  const Model &model(uint32_t model) const { return models[model]; }
  ListOrigin origin(uint32_t list) const { return lists[list].origin; }
  /// The buffers of a list, by tensor; empty for one that is neither bound nor a state.
  std::span<void *const> buffers(uint32_t list) const { return lists[list].tensor; }
  /// The addresses of a list that is bound on a device, by tensor; else empty.
  std::span<const uint64_t> deviceAddresses(uint32_t list) const { return lists[list].device; }
  std::span<const SawtoothChunk> chunks() const { return chunks_; }

  /// Copies bytes from a device to the host, and has done so when it returns.
  using Fetch = std::function<Status(void *to, uint64_t from, uint64_t bytes)>;
  /// How finish() gets at elements on a device that an initial value is cast or copied from.
  void setFetch(Fetch fetch) { fetch_ = std::move(fetch); }

  /// Models are complete, state that was neither bound nor loaded takes its initial value, copies
  /// follow their source, no writable buffer overlaps another. What happened is in `notes`. Once.
  Status finish();
  bool finished() const { return finished_; }

  //===----------------------------------------------------------------------------------------===//
  // Fields
  //===----------------------------------------------------------------------------------------===//

  void *stateBlock() const { return state.data(); }
  /// The 8-byte slots of a field: one, or one a tensor (none before the store is finished).
  std::span<uint64_t> slots(uint32_t field);
  std::span<const uint64_t> slots(uint32_t field) const;
  /// The array behind SawtoothModel::perTensor[k], null when model `model` has no such field.
  void *perTensorArray(uint32_t k, uint32_t model);

  /// `NotFound` lists the fields.
  Result<uint32_t> fieldNamed(const std::string &name) const;
  /// Sets a field, all tensors of it, to the value that `text` spells. `Invalid` when it spells
  /// none of the field's type.
  Status setField(uint32_t field, const std::string &text);
  /// Sets a per-tensor field by patterns: the first that covers a tensor's name gives its value.
  /// `Invalid`, and nothing is set, when none does.
  Status setField(uint32_t field, std::span<const std::pair<std::string, uint64_t>> patterns);

  //===----------------------------------------------------------------------------------------===//
  // For people
  //===----------------------------------------------------------------------------------------===//

  /// What the store decided by itself: a state that starts from its initial value.
  std::vector<std::string> notes;
  /// What is likely not meant: an entry that a state file lacks.
  std::vector<std::string> warnings;

private:
  friend class StateLoader;

  struct List {
    ListOrigin origin = ListOrigin::None;
    std::vector<void *> tensor;
    std::vector<uint64_t> device;           // addresses there; `tensor` is then room on the host
    bool fetched = false;                   // for initial values
    Allocation own;                         // when the runtime owns the elements
    std::shared_ptr<const TensorFile> file; // when an argument reads them in place
  };

  Store(Plan plan, uint64_t seed, ParallelFor parallelFor)
      : plan_(std::move(plan)), seed_(seed), parallelFor_(parallelFor) {}

  std::vector<std::string> bindableLists(uint32_t model) const;
  // Bind.cpp
  Status place(uint32_t list, std::span<const TensorRef> tensors, std::vector<size_t> &order);
  Status checkBuffers(uint32_t list, std::span<const TensorRef> tensors,
                      std::vector<size_t> &order);
  Status allocate(uint32_t list);
  Status copyIn(uint32_t list, std::span<const TensorRef> tensors, ListOrigin origin);
  Status checkOverlaps() const;
  // Initial.cpp
  Status initialLists();
  Status initialList(uint32_t list);
  Status initialTensor(uint32_t list, size_t tensor);
  Status fetchList(uint32_t list);
  void convertTensor(uint32_t to, uint32_t from, size_t tensor);
  std::string describeInitial(uint32_t list) const;
  // Fields.cpp
  Status initialFields();

  Plan plan_;
  uint64_t seed_;
  ParallelFor parallelFor_;
  Fetch fetch_;
  bool finished_ = false;
  bool loaded = false;
  std::vector<Model> models;
  std::vector<List> lists;
  std::vector<SawtoothChunk> chunks_;
  Allocation state;
  std::vector<std::vector<uint64_t>> perTensor; // by the fields' `offset`
  // Per-tensor values of a state file that came before the model's names; by field.
  std::map<uint32_t, std::map<std::string, uint64_t>> pending;
};

/// The value of type `type` that `text` spells, as a slot: a decimal or hexadecimal float, inf,
/// nan; an integer; true, false, 0, 1. Rounded once.
Result<uint64_t> parseSlot(SawtoothType type, const std::string &text);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_STORE_H
