// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Json.h"

#include "Cat.h"
#include "JsonValue.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Names.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

namespace sawtooth::runtime {

Result<std::string> readTextFile(const std::string &path) {
  auto io = [&](const char *what) { return Status::error(StatusCode::Io, cat(path, ": ", what)); };
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return io(std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return io("expected a regular file");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || (info.st_size && !(text << file.rdbuf())))
    return io("cannot read");
  return text.str();
}

namespace {
// Remembers where a text stops being JSON, for the message; throws away the values.
struct Position : nlohmann::json_sax<nlohmann::json> {
  std::size_t byte = 0;
  int depth = 0;
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  // What we read is nested three deep at most; values nested deeper are not built.
  bool start_object(std::size_t) override { return ++depth <= 16; }
  bool end_object() override { return depth--; }
  bool start_array(std::size_t) override { return ++depth <= 16; }
  bool end_array() override { return depth--; }
  bool key(string_t &) override { return true; }
  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    byte = position;
    return false;
  }
};
} // namespace

Result<nlohmann::json> readJsonFile(const std::string &path) {
  Result<std::string> text = readTextFile(path);
  if (!text.ok())
    return text.status();
  Position position;
  if (!nlohmann::json::sax_parse(*text, &position))
    return Status::error(StatusCode::Invalid,
                         position.byte ? cat(path, ": no valid JSON at byte ", position.byte)
                                       : cat(path, ": nested too deeply"));
  return nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
}

Result<uint64_t> jsonToSlot(SawtoothType type, const nlohmann::json &value) {
  auto expected = [&](const char *what) {
    return Status::error(StatusCode::Invalid, cat("expected ", what, " of type ", typeName(type),
                                                  ", got ", printable(value.dump(-1, ' ', true))));
  };
  uint64_t slot = 0;
  if (isFloat(type)) {
    if (!value.is_number())
      return expected("a number");
    double number = value.get<double>();
    slot = doubleToSlot(type, number);
    if (!std::isfinite(slotToDouble(type, slot)))
      return expected("a number in the range");
    return slot;
  }
  if (type == SAWTOOTH_I1 && value.is_boolean())
    return uint64_t(value.get<bool>());
  bool fits = value.is_number_unsigned() ? value.get<uint64_t>() <= uint64_t(INT64_MAX)
                                         : value.is_number_integer();
  if (!fits || !integerToSlot(type, value.get<int64_t>(), slot))
    return expected("a whole number");
  return slot;
}

nlohmann::json slotToJson(SawtoothType type, uint64_t slot) {
  if (type == SAWTOOTH_I1)
    return slotToInteger(type, slot) != 0;
  if (isFloat(type))
    return slotToDouble(type, slot);
  return slotToInteger(type, slot);
}

Result<std::vector<std::pair<std::string, uint64_t>>> readPatternFile(const std::string &path,
                                                                      SawtoothType type) {
  Result<nlohmann::json> json = readJsonFile(path);
  if (!json.ok())
    return json.status();
  std::vector<std::pair<std::string, uint64_t>> patterns;
  bool wellFormed = json->is_array();
  for (size_t i = 0; wellFormed && i < json->size(); ++i) {
    const nlohmann::json &pair = (*json)[i];
    wellFormed = pair.is_array() && pair.size() == 2 && pair[0].is_string();
    if (!wellFormed)
      break;
    Result<uint64_t> slot = jsonToSlot(type, pair[1]);
    if (!slot.ok())
      return slot.status().of(cat(path, ": pattern '", printable(pair[0].get<std::string>()), "'"));
    patterns.push_back({pair[0].get<std::string>(), *slot});
  }
  if (!wellFormed)
    return Status::error(StatusCode::Invalid,
                         cat(path, ": expected pairs of pattern and value, such as "
                                   "[[\"*.bias\", 0.0], [\"*\", 0.01]]"));
  return patterns;
}

} // namespace sawtooth::runtime
