// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include "Output.h"
#include "sawtooth/runtime/Json.h"
#include "sawtooth/runtime/Names.h"

using namespace sawtooth::runtime;

namespace sawtooth::tool {

Status Session::applySettings() {
  for (const std::string &text : options.set) {
    auto split = splitSetting("--set", text, "NAME=VALUE");
    if (!split.ok())
      return split.status();
    SAWTOOTH_TRY(applySetting(split->first, split->second));
  }
  return {};
}

// A field of the module, or an argument of every step that has one of the name; "STEP.NAME" is the
// argument of that step alone.
Status Session::applySetting(const std::string &setting, const std::string &value) {
  std::vector<std::string> known;
  std::optional<uint32_t> field = plan().findField(setting);
  std::string argumentOf;
  for (auto &[step, executor] : executors)
    for (uint32_t i = 0; i < executor->args().size(); ++i) {
      std::string plain = plan().string(executor->args()[i].name);
      std::string qualified = executor->name() + "." + plain;
      known.push_back(plain);
      if (setting != plain && setting != qualified)
        continue;
      argumentOf = executor->name();
      if (!field)
        SAWTOOTH_TRY(executor->setArg(i, value).of("--set"));
    }
  if (!argumentOf.empty() && !field)
    return {};
  for (const std::string &name : plan().fieldNames())
    known.push_back(name);
  if (!field)
    return Status::error(StatusCode::NotFound,
                         "--set: " + unknownName("argument or field", setting, known));
  if (!argumentOf.empty())
    return Status::error(StatusCode::Invalid, "--set: '" + setting +
                                                  "' is a field and an argument of step '" +
                                                  argumentOf + "'; write '" + argumentOf + "." +
                                                  setting + "' for the argument");
  const SawtoothFieldRow &row = plan().fields()[*field];
  if (row.kind == SAWTOOTH_FIELD_COUNTER)
    return Status::error(StatusCode::Invalid, "--set: '" + setting + "' is counted, not set");
  if (row.extent != SAWTOOTH_PER_TENSOR || !value.ends_with(".json")) {
    SAWTOOTH_TRY(store().setField(*field, value).of("--set"));
    return engine().pushField(*field);
  }
  auto patterns = readPatternFile(value, SawtoothType(row.type));
  if (!patterns.ok())
    return patterns.status().of("--set");
  SAWTOOTH_TRY(store().setField(*field, *patterns).of("--set"));
  return engine().pushField(*field);
}

} // namespace sawtooth::tool
