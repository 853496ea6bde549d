// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include "Output.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Json.h"
#include "sawtooth/runtime/Names.h"

#include <cmath>

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

// Infinities are numbers that a user may mean, as in --set max=inf: do not clip. NaN never is, and
// no scale but a positive finite one can be taken out of gradients again. What is no number at all
// is left to whoever takes the value.
static Status checkNumber(SawtoothType type, bool isScale, const std::string &text) {
  Result<uint64_t> slot = parseSlot(type, text);
  if (!slot.ok() || !isFloat(type))
    return {};
  double value = slotToDouble(type, *slot);
  const char *expected = nullptr;
  if (isScale && !(value > 0 && std::isfinite(value)))
    expected = "a scale that is positive and finite";
  else if (std::isnan(value))
    expected = "a number";
  return expected ? Status::error(StatusCode::Invalid,
                                  std::string("expected ") + expected + ", got '" + text + "'")
                  : Status();
}

// What is wrong with a file is wrong input, not wrong usage.
static Status ofFile(const Status &status) {
  return status.code() == StatusCode::Invalid ? Status::error(StatusCode::Corrupt, status.message())
                                              : status;
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
      if (field)
        continue;
      SAWTOOTH_TRY(checkNumber(SawtoothType(executor->args()[i].type), /*isScale=*/false, value)
                       .of("--set: argument '" + plain + "'"));
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
    SAWTOOTH_TRY(checkNumber(SawtoothType(row.type), row.role == SAWTOOTH_ROLE_SCALE, value)
                     .of("--set: '" + setting + "'"));
    SAWTOOTH_TRY(store().setField(*field, value).of("--set"));
    return engine().pushField(*field);
  }
  auto patterns = readPatternFile(value, SawtoothType(row.type));
  if (!patterns.ok())
    return ofFile(patterns.status()).of("--set");
  SAWTOOTH_TRY(ofFile(store().setField(*field, *patterns)).of("--set"));
  return engine().pushField(*field);
}

} // namespace sawtooth::tool
