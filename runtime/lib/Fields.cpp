// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Store.h"

#include "Cat.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Names.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>

namespace sawtooth::runtime {

std::span<uint64_t> Store::slots(uint32_t field) {
  const SawtoothFieldRow &row = plan_.fields()[field];
  if (row.extent == SAWTOOTH_PER_TENSOR)
    return perTensor[row.offset];
  return {static_cast<uint64_t *>(state.data()) + row.offset / 8, 1};
}

std::span<const uint64_t> Store::slots(uint32_t field) const {
  return const_cast<Store *>(this)->slots(field);
}

void *Store::perTensorArray(uint32_t k, uint32_t model) {
  for (const SawtoothFieldRow &row : plan_.fields())
    if (row.extent == SAWTOOTH_PER_TENSOR && row.offset == k && row.model == model)
      return perTensor[k].data();
  return nullptr;
}

Result<uint32_t> Store::fieldNamed(const std::string &name) const {
  if (std::optional<uint32_t> field = plan_.findField(name))
    return *field;
  return Status::error(StatusCode::NotFound, unknownName("field", name, plan_.fieldNames()));
}

// The slots of a per-tensor field by its patterns, or the name of a tensor that none covers.
static Status matchPatterns(const Model &model,
                            std::span<const std::pair<std::string, uint64_t>> patterns,
                            std::vector<uint64_t> &values) {
  for (const std::string &tensor : model.tensors) {
    auto covers = [&](const auto &pattern) { return matchesGlob(pattern.first, tensor); };
    auto found = std::find_if(patterns.begin(), patterns.end(), covers);
    if (found == patterns.end())
      return Status::error(StatusCode::Invalid,
                           cat("no pattern covers tensor '", printable(tensor), "'"));
    values.push_back(found->second);
  }
  return {};
}

Status Store::initialFields() {
  for (uint32_t field = 0; field < plan_.fields().size(); ++field) {
    const SawtoothFieldRow &row = plan_.fields()[field];
    if (row.extent != SAWTOOTH_PER_TENSOR)
      continue;
    const Model &model = models[row.model];
    std::vector<uint64_t> &values = perTensor[row.offset];
    values.clear();
    if (auto found = pending.find(field); found != pending.end()) {
      const auto &loadedValues = found->second;
      for (const std::string &tensor : model.tensors) {
        auto value = loadedValues.find(tensor);
        if (value == loadedValues.end())
          return Status::error(
              StatusCode::Mismatch,
              cat("the state file lacks '", plan_.text(row.name), "/", printable(tensor), "'"));
        values.push_back(value->second);
      }
      for (const auto &[tensor, value] : loadedValues)
        if (model.find(tensor) < 0)
          return Status::error(StatusCode::Mismatch,
                               cat("the state file has '", plan_.text(row.name), "/",
                                   printable(tensor), "', but model '", model.name,
                                   "' has no such tensor"));
    } else if (row.patterns.count) {
      std::vector<std::pair<std::string, uint64_t>> patterns;
      for (const SawtoothPattern &pattern : Plan::rows(row.patterns, plan_.patterns()))
        patterns.push_back({plan_.string(pattern.glob), pattern.value});
      SAWTOOTH_TRY(matchPatterns(model, patterns, values)
                       .of(cat(plan_.text(row.location), ": '", plan_.text(row.name), "'")));
    } else {
      values.assign(model.tensors.size(), row.initial);
    }
    // Generated code may look at an array's address even when the model is empty.
    if (values.empty())
      values.reserve(1);
  }
  pending.clear();
  return {};
}

template <typename T>
static bool parseAll(std::string_view text, T &value) {
  // from_chars takes no plus; "+-1" stays wrong.
  if (text.starts_with('+') && !text.starts_with("+-"))
    text.remove_prefix(1);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

static bool parseFloat(std::string_view text, double &value) {
  // from_chars takes hexadecimal digits without their mark.
  size_t sign = text.starts_with('-') || text.starts_with('+');
  if (text.substr(sign).starts_with("0x") || text.substr(sign).starts_with("0X")) {
    std::string_view digits = text.substr(sign + 2);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                        std::chars_format::hex);
    // It also takes a sign, "inf" and "nan" there.
    bool isNumber = !digits.empty() &&
                    (std::isxdigit(static_cast<unsigned char>(digits[0])) || digits[0] == '.');
    if (!isNumber || error != std::errc() || end != digits.data() + digits.size())
      return false;
    value = text[0] == '-' ? -value : value;
    return true;
  }
  return parseAll(text, value);
}

Result<uint64_t> parseSlot(SawtoothType type, const std::string &text) {
  auto expected = [&](const char *what) {
    return Status::error(StatusCode::Invalid, cat("expected ", what, " of type ", typeName(type),
                                                  ", got '", printable(text), "'"));
  };
  uint64_t slot = 0;
  if (type == SAWTOOTH_F32) {
    // Directly to f32: by way of f64 it would be rounded twice.
    float value;
    if (parseAll(text, value))
      return f64BitsToF32(f32ToF64Bits(std::bit_cast<uint32_t>(value)));
  }
  if (isFloat(type)) {
    double value;
    if (!parseFloat(text, value))
      return expected("a number");
    slot = doubleToSlot(type, value);
    if (std::isfinite(value) && !std::isfinite(slotToDouble(type, slot)))
      return expected("a number in the range");
    return slot;
  }
  int64_t value = 0;
  if (type == SAWTOOTH_I1 && (text == "true" || text == "false"))
    value = text == "true";
  else if (!parseAll(text, value))
    return expected("a whole number");
  if (!integerToSlot(type, value, slot))
    return expected("a value");
  return slot;
}

// A per-tensor field has no tensors yet before the store is finished.
static Status needsTensors(const SawtoothFieldRow &row, bool finished) {
  if (row.extent == SAWTOOTH_PER_STEP || finished)
    return {};
  return Status::error(StatusCode::Invalid, "per-tensor values can be set once state is finished");
}

Status Store::setField(uint32_t field, const std::string &text) {
  const SawtoothFieldRow &row = plan_.fields()[field];
  SAWTOOTH_TRY(needsTensors(row, finished_).of(cat("'", plan_.text(row.name), "'")));
  Result<uint64_t> slot = parseSlot(SawtoothType(row.type), text);
  if (!slot.ok())
    return slot.status().of(cat("'", plan_.text(row.name), "'"));
  for (uint64_t &value : slots(field))
    value = *slot;
  return {};
}

Status Store::setField(uint32_t field, std::span<const std::pair<std::string, uint64_t>> patterns) {
  const SawtoothFieldRow &row = plan_.fields()[field];
  std::string title = cat("'", plan_.text(row.name), "'");
  if (row.extent != SAWTOOTH_PER_TENSOR)
    return Status::error(StatusCode::Invalid,
                         cat(title, " is one value, expected a number instead of patterns"));
  SAWTOOTH_TRY(needsTensors(row, finished_).of(title));
  std::vector<uint64_t> values;
  SAWTOOTH_TRY(matchPatterns(models[row.model], patterns, values).of(title));
  std::copy(values.begin(), values.end(), slots(field).begin());
  return {};
}

} // namespace sawtooth::runtime
