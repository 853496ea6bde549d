// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Store.h"

#include "Cat.h"
#include "sawtooth/runtime/Names.h"

#include <algorithm>
#include <new>

namespace sawtooth::runtime {

Result<std::unique_ptr<Store>> Store::create(Plan plan, uint64_t seed, ParallelFor parallelFor) {
  std::unique_ptr<Store> store(new Store(std::move(plan), seed, parallelFor));
  const Plan &rows = store->plan_;
  store->lists.resize(rows.lists().size());
  store->perTensor.resize(rows.header().perTensorFields);
  for (const SawtoothModelRow &row : rows.models()) {
    Model &model = store->models.emplace_back();
    model.name = rows.string(row.name);
    if (row.tensors.count == 0)
      continue;
    std::vector<TensorSpec> specs;
    for (const SawtoothTensorRow &tensor : Plan::rows(row.tensors, rows.tensors()))
      specs.push_back({rows.string(tensor.name), {tensor.dims, tensor.dims + tensor.rank}});
    if (Status status = model.define(std::move(specs)); !status.ok())
      return status;
  }
  Result<Allocation> state = Allocation::zeroed(rows.header().stateBytes, "the state block");
  if (!state.ok())
    return state.status();
  store->state = std::move(*state);
  for (uint32_t field = 0; field < rows.fields().size(); ++field)
    if (rows.fields()[field].extent == SAWTOOTH_PER_STEP)
      store->slots(field)[0] = rows.fields()[field].initial;
  return store;
}

Status Store::accepts(const Plan &other) const {
  auto differs = [](const char *what) {
    return Status::error(StatusCode::Mismatch,
                         cat("expected a module with the same ", what, " as the first one"));
  };
  const Plan &mine = plan_;
  if (mine.models().size() != other.models().size() || mine.lists().size() != other.lists().size())
    return differs("models and lists");
  for (size_t i = 0; i < mine.models().size(); ++i)
    if (mine.text(mine.models()[i].name) != other.text(other.models()[i].name))
      return differs("models");
  for (size_t i = 0; i < mine.lists().size(); ++i) {
    const SawtoothListRow &a = mine.lists()[i], &b = other.lists()[i];
    if (mine.text(a.name) != other.text(b.name) || a.kind != b.kind || a.type != b.type ||
        a.model != b.model || a.step != b.step)
      return differs("lists");
  }
  if (mine.fields().size() != other.fields().size() ||
      mine.header().stateBytes != other.header().stateBytes)
    return differs("fields");
  for (size_t i = 0; i < mine.fields().size(); ++i) {
    const SawtoothFieldRow &a = mine.fields()[i], &b = other.fields()[i];
    if (mine.text(a.name) != other.text(b.name) || a.type != b.type || a.extent != b.extent ||
        a.offset != b.offset || a.model != b.model)
      return differs("fields");
  }
  return {};
}

Result<std::vector<uint32_t>> Store::listsNamed(const std::string &name) const {
  std::vector<uint32_t> found;
  std::vector<std::string> known;
  for (uint32_t i = 0; i < plan_.lists().size(); ++i) {
    const SawtoothListRow &row = plan_.lists()[i];
    if (row.kind == SAWTOOTH_LIST_SCRATCH)
      continue;
    std::string plain = plan_.string(row.name);
    bool isArgument = row.step != SAWTOOTH_NONE;
    if (plain == name ||
        (isArgument && cat(plan_.text(plan_.steps()[row.step].name), ".", plain) == name))
      found.push_back(i);
    if (std::find(known.begin(), known.end(), plain) == known.end())
      known.push_back(plain);
  }
  if (found.empty())
    return Status::error(StatusCode::NotFound, unknownName("list", name, known));
  return found;
}

std::vector<std::string> Store::bindableLists(uint32_t model) const {
  std::vector<std::string> names;
  for (const SawtoothListRow &row : plan_.lists())
    if (row.model == model && row.kind != SAWTOOTH_LIST_SCRATCH)
      names.push_back(plan_.string(row.name));
  return names;
}

Status Store::defineModel(uint32_t model, std::vector<TensorSpec> tensors) {
  if (models[model].known)
    return Status::error(StatusCode::Invalid,
                         cat("model '", models[model].name, "' has its tensors already"));
  return models[model].define(std::move(tensors));
}

Status Store::finish() {
  if (finished_)
    return Status::error(StatusCode::Invalid, "the store is finished already");
  for (Model &model : models) {
    if (model.known)
      continue;
    // A model without tensors leaves nothing in a state file but its absence.
    // Nor does one without lists, which nobody could bind.
    std::vector<std::string> bindable = bindableLists(uint32_t(&model - &models[0]));
    if (!loaded && !bindable.empty())
      return Status::error(StatusCode::Invalid, cat("model '", model.name,
                                                    "' has no tensors yet: bind one of its lists, ",
                                                    quoteAll(bindable)));
    SAWTOOTH_TRY(model.define({}));
  }
  // Tables by tensor and chunk are the only memory here that grows with what was bound.
  try {
    chunks_ = chunkTable(models);
  } catch (const std::bad_alloc &) {
    return Status::error(StatusCode::OutOfMemory, "cannot allocate the table of chunks");
  }
  SAWTOOTH_TRY(initialFields());
  SAWTOOTH_TRY(initialLists());
  SAWTOOTH_TRY(checkOverlaps());
  finished_ = true;
  return {};
}

} // namespace sawtooth::runtime
