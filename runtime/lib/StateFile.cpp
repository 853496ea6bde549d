// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/StateFile.h"

#include "Cat.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Names.h"

#include <charconv>
#include <cstring>
#include <set>

namespace sawtooth::runtime {

static constexpr const char *versionKey = "sawtooth.version", *version = "1";
static constexpr const char *seedKey = "seed", *epochKey = "epoch", *batchKey = "batch";
static constexpr const char *programKey = "program", *nextKey = "next";

/// Sorts a file's entries by where they belong, then takes them.
class StateLoader {
public:
  StateLoader(Store &store, std::shared_ptr<const TensorFile> file)
      : store(store), plan(store.plan()), file(std::move(file)) {}

  Status check(Position &position) {
    SAWTOOTH_TRY(readMetadata(position));
    for (uint32_t list = 0; list < plan.lists().size(); ++list)
      if (plan.lists()[list].kind == SAWTOOTH_LIST_STATE)
        listNumbers[plan.string(plan.lists()[list].name)] = list;
    for (const TensorEntry &entry : file->tensors())
      SAWTOOTH_TRY(sortEntry(entry));
    models = store.models;
    for (auto &[list, tensors] : lists)
      SAWTOOTH_TRY(checkList(list, tensors));
    for (auto &[field, values] : perTensor)
      SAWTOOTH_TRY(checkPerTensor(field, values));
    return {};
  }

  Status take() {
    store.seed_ = seed;
    store.loaded = true;
    for (auto &[list, tensors] : lists)
      SAWTOOTH_TRY(store.copyIn(list, tensors, ListOrigin::Loaded));
    for (auto &[field, value] : scalars)
      store.slots(field)[0] = value;
    store.pending = std::move(perTensor);
    for (uint32_t field = 0; field < plan.fields().size(); ++field) {
      const SawtoothFieldRow &row = plan.fields()[field];
      bool there =
          row.extent == SAWTOOTH_PER_STEP ? scalars.count(field) : store.pending.count(field);
      // An empty model leaves no entries of its per-tensor fields.
      const Model *model = row.extent == SAWTOOTH_PER_TENSOR ? &store.model(row.model) : nullptr;
      if (!there && !(model && (!model->known || model->tensors.empty())))
        store.warnings.push_back(
            cat(file->path(), " lacks '", plan.text(row.name), "', which keeps its initial value"));
    }
    return {};
  }

private:
  Store &store;
  const Plan &plan;
  std::shared_ptr<const TensorFile> file;
  uint64_t seed = 0;
  std::map<std::string, uint32_t, std::less<>> listNumbers;
  std::vector<Model> models; // as they will be
  std::map<uint32_t, std::vector<TensorRef>> lists;
  std::map<uint32_t, uint64_t> scalars;
  std::map<uint32_t, std::map<std::string, uint64_t>> perTensor;

  Status error(StatusCode code, std::string message,
               std::source_location where = std::source_location::current()) const {
    return Status::error(code, cat(file->path(), ": ", message), where);
  }

  Status number(const char *key, uint64_t &value) const {
    auto found = file->metadata().find(key);
    const std::string &text = found == file->metadata().end() ? "" : found->second;
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size())
      return error(StatusCode::Corrupt, cat("expected a number for '", key,
                                            "' in the metadata, got '", printable(text), "'"));
    return {};
  }

  Status readMetadata(Position &position) {
    auto found = file->metadata().find(versionKey);
    if (found == file->metadata().end())
      return error(StatusCode::Invalid,
                   "this is no state file of sawtooth (its tensors can be bound instead)");
    if (found->second != version)
      return error(StatusCode::Unsupported, cat("expected a state file of version ", version,
                                                ", got '", printable(found->second), "'"));
    SAWTOOTH_TRY(number(seedKey, seed));
    SAWTOOTH_TRY(number(epochKey, position.epoch));
    SAWTOOTH_TRY(number(batchKey, position.batch));
    if (file->metadata().count(nextKey)) {
      SAWTOOTH_TRY(number(nextKey, position.next));
      auto program = file->metadata().find(programKey);
      position.program = program == file->metadata().end() ? "" : program->second;
    }
    return {};
  }

  Status sortEntry(const TensorEntry &entry) {
    // Names of lists and fields hold no slash, those of tensors may.
    size_t slash = entry.name.find('/');
    std::string owner = entry.name.substr(0, slash);
    std::optional<uint32_t> field = plan.findField(owner);
    if (slash != std::string::npos) {
      std::string tensor = entry.name.substr(slash + 1);
      if (auto list = listNumbers.find(owner); list != listNumbers.end())
        return addListTensor(entry, list->second, std::move(tensor));
      if (field && plan.fields()[*field].extent == SAWTOOTH_PER_TENSOR) {
        uint64_t value = 0;
        SAWTOOTH_TRY(readScalar(entry, *field, value));
        perTensor[*field][tensor] = value;
        return {};
      }
    } else if (field && plan.fields()[*field].extent == SAWTOOTH_PER_STEP) {
      return readScalar(entry, *field, scalars[*field]);
    }
    std::vector<std::string> known = plan.fieldNames();
    for (const auto &[name, list] : listNumbers)
      known.push_back(name + "/");
    return error(StatusCode::NotFound, unknownName("entry", entry.name, known));
  }

  Status addListTensor(const TensorEntry &entry, uint32_t list, std::string tensor) {
    SawtoothType type = SawtoothType(plan.lists()[list].type);
    if (entry.type != type)
      return mistyped(entry, type);
    lists[list].push_back(
        {std::move(tensor), entry.dims, type, const_cast<std::byte *>(entry.data)});
    return {};
  }

  Status readScalar(const TensorEntry &entry, uint32_t field, uint64_t &value) const {
    SawtoothType type = SawtoothType(plan.fields()[field].type);
    if (entry.type != type)
      return mistyped(entry, type);
    if (!entry.dims.empty())
      return error(StatusCode::Mismatch,
                   cat("'", printable(entry.name), "': expected a scalar, got shape ",
                       shapeText(entry.dims)));
    value = 0;
    std::memcpy(&value, entry.data, entry.bytes);
    if (type == SAWTOOTH_I1 && value > 1)
      return error(StatusCode::Corrupt,
                   cat("'", printable(entry.name), "': expected 0 or 1, got ", value));
    return {};
  }

  Status mistyped(const TensorEntry &entry, SawtoothType type) const {
    return error(StatusCode::Mismatch, cat("'", printable(entry.name), "': expected ",
                                           dtypeName(type), ", got ", entry.dtype));
  }

  Status checkList(uint32_t list, const std::vector<TensorRef> &tensors) {
    Model &model = models[plan.lists()[list].model];
    std::vector<TensorSpec> specs;
    for (const TensorRef &tensor : tensors)
      specs.push_back({tensor.name, tensor.dims});
    if (!model.known)
      SAWTOOTH_TRY(model.define(specs).of(file->path()));
    std::vector<size_t> order;
    return model.agree(plan.listTitle(list), specs, order).of(file->path());
  }

  Status checkPerTensor(uint32_t field, const std::map<std::string, uint64_t> &values) const {
    const SawtoothFieldRow &row = plan.fields()[field];
    const Model &model = models[row.model];
    if (!model.known)
      return {}; // compared once the model is
    for (const auto &[tensor, value] : values)
      if (model.find(tensor) < 0)
        return error(StatusCode::NotFound,
                     cat("'", plan.text(row.name), "/", printable(tensor), "': model '", model.name,
                         "' has no tensor '", printable(tensor), "'"));
    for (const std::string &tensor : model.tensors)
      if (!values.count(tensor))
        return error(StatusCode::Mismatch,
                     cat("lacks '", plan.text(row.name), "/", printable(tensor), "'"));
    return {};
  }
};

Status loadState(Store &store, const std::string &path, Position &position) {
  // Later, running steps would keep the addresses of what is replaced.
  if (store.finished())
    return Status::error(StatusCode::Invalid, "expected state to be loaded before it is finished");
  Result<std::shared_ptr<const TensorFile>> file = TensorFile::open(path);
  if (!file.ok())
    return file.status();
  StateLoader loader(store, *file);
  Position read;
  SAWTOOTH_TRY(loader.check(read));
  SAWTOOTH_TRY(loader.take());
  position = read;
  return {};
}

Status saveState(const Store &store, const std::string &path, const Position &position) {
  const Plan &plan = store.plan();
  std::vector<TensorSource> tensors;
  for (uint32_t list = 0; list < plan.lists().size(); ++list) {
    const SawtoothListRow &row = plan.lists()[list];
    if (row.kind != SAWTOOTH_LIST_STATE)
      continue;
    const Model &model = store.model(row.model);
    for (size_t i = 0; i < model.tensors.size(); ++i) {
      std::span<const int64_t> shape = model.shape(i);
      tensors.push_back({cat(plan.text(row.name), "/", model.tensors[i]),
                         SawtoothType(row.type),
                         {shape.begin(), shape.end()},
                         store.buffers(list)[i]});
    }
  }
  for (uint32_t field = 0; field < plan.fields().size(); ++field) {
    const SawtoothFieldRow &row = plan.fields()[field];
    std::span<const uint64_t> slots = store.slots(field);
    if (row.extent == SAWTOOTH_PER_STEP) {
      tensors.push_back({plan.string(row.name), SawtoothType(row.type), {}, slots.data()});
      continue;
    }
    const Model &model = store.model(row.model);
    for (size_t i = 0; i < slots.size(); ++i)
      tensors.push_back(
          {cat(plan.text(row.name), "/", model.tensors[i]), SawtoothType(row.type), {}, &slots[i]});
  }
  std::map<std::string, std::string> metadata = {{versionKey, version},
                                                 {seedKey, std::to_string(store.seed())},
                                                 {epochKey, std::to_string(position.epoch)},
                                                 {batchKey, std::to_string(position.batch)}};
  if (position.next) {
    metadata[programKey] = position.program;
    metadata[nextKey] = std::to_string(position.next);
  }
  return writeTensorFile(path, std::move(tensors), metadata);
}

} // namespace sawtooth::runtime
