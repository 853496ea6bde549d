// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/ScalerFile.h"

#include "Cat.h"
#include "JsonValue.h"
#include "sawtooth/runtime/Names.h"

namespace sawtooth::runtime {

Result<uint32_t> scalerNamed(const Plan &plan, const std::string &name) {
  std::vector<std::string> known;
  for (const SawtoothScalerRow &row : plan.scalers())
    known.push_back(plan.string(row.name));
  if (name.empty() && known.size() == 1)
    return 0u;
  for (uint32_t i = 0; i < known.size(); ++i)
    if (known[i] == name)
      return i;
  if (name.empty() && known.size() > 1)
    return Status::error(StatusCode::Invalid, cat("expected the name of a scaler, as in ", known[0],
                                                  "=FILE.json; there are ", quoteAll(known)));
  if (name.empty())
    return Status::error(StatusCode::NotFound, "the module has no scaler");
  return Status::error(StatusCode::NotFound, unknownName("scaler", name, known));
}

// Fields of the scaler that have a key, by key.
static std::map<std::string, uint32_t> keysOf(const Plan &plan, uint32_t scaler) {
  std::map<std::string, uint32_t> keys;
  for (uint32_t field = 0; field < plan.fields().size(); ++field) {
    const SawtoothFieldRow &row = plan.fields()[field];
    if (row.scaler == scaler && row.extent == SAWTOOTH_PER_STEP && !plan.text(row.alias).empty())
      keys[plan.string(row.alias)] = field;
  }
  return keys;
}

Status loadScaler(Store &store, uint32_t scaler, const std::string &path) {
  const Plan &plan = store.plan();
  Result<nlohmann::json> json = readJsonFile(path);
  if (!json.ok())
    return json.status();
  if (!json->is_object())
    return Status::error(StatusCode::Invalid,
                         cat(path, ": expected an object, as GradScaler.state_dict() gives"));
  if (json->empty())
    return Status::error(StatusCode::Invalid,
                         cat(path, ": the dictionary is empty, as a disabled GradScaler's is"));
  std::map<std::string, uint32_t> keys = keysOf(plan, scaler);
  std::vector<std::string> known;
  for (const auto &[key, field] : keys)
    known.push_back(key);
  std::vector<std::pair<uint32_t, uint64_t>> values;
  for (const auto &[key, value] : json->items()) {
    auto found = keys.find(key);
    if (found == keys.end())
      return Status::error(StatusCode::NotFound, unknownName("key", key, known)).of(path);
    SawtoothType type = SawtoothType(plan.fields()[found->second].type);
    Result<uint64_t> slot = jsonToSlot(type, value);
    if (!slot.ok())
      return slot.status().of(cat(path, ": '", key, "'"));
    values.push_back({found->second, *slot});
    keys.erase(found);
  }
  for (auto [field, slot] : values)
    store.slots(field)[0] = slot;
  for (const auto &[key, field] : keys)
    store.warnings.push_back(
        cat(path, " lacks '", key, "'; '", plan.text(plan.fields()[field].name), "' is kept"));
  return {};
}

Status saveScaler(const Store &store, uint32_t scaler, const std::string &path) {
  const Plan &plan = store.plan();
  nlohmann::json dictionary = nlohmann::json::object();
  for (const auto &[key, field] : keysOf(plan, scaler))
    dictionary[key] = slotToJson(SawtoothType(plan.fields()[field].type), store.slots(field)[0]);
  std::string text = dictionary.dump(2) + "\n";
  std::span<const std::byte> piece = std::as_bytes(std::span(text));
  return replaceFile(path, {&piece, 1});
}

} // namespace sawtooth::runtime
