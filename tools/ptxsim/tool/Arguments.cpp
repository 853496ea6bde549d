// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tool/Arguments.h"
#include "numeric/SoftFloat.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace ptxsim;

static bool parseElement(Type type, const std::string &text, uint64_t &bits) {
  char *end = nullptr;
  errno = 0;
  if (isFloat(type) && text.rfind("0x", 0) != 0) {
    double value = std::strtod(text.c_str(), &end);
    bits = type == Type::F64 ? std::bit_cast<uint64_t>(value)
                             : narrow(formatOf(type), value, Rounding::Nearest);
  } else {
    bits = text[0] == '-' ? uint64_t(std::strtoll(text.c_str(), &end, 0))
                          : std::strtoull(text.c_str(), &end, 0);
  }
  return !text.empty() && !*end && !errno;
}

std::string ptxsim::parseArgument(const std::string &text, uint64_t seed, Argument &argument) {
  size_t equals = text.find('='), bracket = text.find('[');
  std::string head = text.substr(0, equals);
  std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (bracket != std::string::npos && bracket < head.size()) {
    argument.isBuffer = true;
    char *end = nullptr;
    argument.count = std::strtoull(head.c_str() + bracket + 1, &end, 0);
    if (std::string(end) != "]" || argument.count > (uint64_t(1) << 34))
      return "argument '" + text + "': malformed element count";
    head.resize(bracket);
  }
  // A structure that is passed by value: so many elements of one type.
  if (size_t colon = head.find(':'); !argument.isBuffer && colon != std::string::npos) {
    argument.count = std::strtoull(head.c_str() + colon + 1, nullptr, 0);
    if (argument.count == 0 || argument.count > 4096)
      return "argument '" + text + "': malformed element count";
    head.resize(colon);
  }
  auto type = typeNamed(head);
  if (!type || *type == Type::Pred || *type == Type::B128 || *type >= Type::F16x2)
    return "argument '" + text + "': unknown type '" + head + "'; types are those of PTX, e.g. f32";
  argument.type = *type;
  unsigned size = sizeOf(*type);
  if (value.empty()) {
    if (!argument.isBuffer)
      return "argument '" + text + "': a scalar needs a value, e.g. " + head + "=1";
    return {};
  }
  argument.bytes.resize(argument.count * size);
  if (value[0] == '@') {
    std::ifstream file(value.substr(1), std::ios::binary);
    std::vector<char> contents{std::istreambuf_iterator<char>(file), {}};
    if (!file || contents.size() < argument.bytes.size())
      return "argument '" + text + "': expected " + std::to_string(argument.bytes.size()) +
             " bytes in the file, got " + std::to_string(contents.size());
    std::memcpy(argument.bytes.data(), contents.data(), argument.bytes.size());
    return {};
  }
  std::vector<uint64_t> values;
  bool iota = value == "iota", random = value == "random";
  for (size_t at = 0; !iota && !random && at <= value.size();) {
    size_t comma = std::min(value.find(',', at), value.size());
    uint64_t bits;
    if (!parseElement(*type, value.substr(at, comma - at), bits))
      return "argument '" + text + "': malformed value '" + value.substr(at, comma - at) + "'";
    values.push_back(bits);
    at = comma + 1;
  }
  if (!iota && !random && values.size() != 1 && values.size() != argument.count)
    return "argument '" + text + "': expected 1 or " + std::to_string(argument.count) +
           " values, got " + std::to_string(values.size());
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (uint64_t i = 0; i < argument.count; ++i) {
    uint64_t bits;
    state = state * 6364136223846793005u + 1442695040888963407u;
    if (!iota && !random)
      bits = values[values.size() == 1 ? 0 : i];
    else if (isFloat(*type))
      // Random: uniform in [-1, 1).
      bits = narrow(formatOf(*type), iota ? double(i) : double(int64_t(state)) * 0x1p-63,
                    Rounding::Nearest);
    else
      bits = iota ? i : state >> 7;
    std::memcpy(&argument.bytes[i * size], &bits, size);
  }
  return {};
}

std::string ptxsim::elementText(Type type, const uint8_t *bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeOf(type));
  char text[64];
  if (type == Type::F64)
    std::snprintf(text, sizeof text, "%.17g", std::bit_cast<double>(bits));
  else if (isFloat(type))
    std::snprintf(text, sizeof text, "%.9g", widen(formatOf(type), bits));
  else if (isSigned(type))
    std::snprintf(text, sizeof text, "%lld",
                  (long long)(int64_t(bits << (64 - 8 * sizeOf(type))) >> (64 - 8 * sizeOf(type))));
  else
    std::snprintf(text, sizeof text, "%llu", (unsigned long long)bits);
  return text;
}
