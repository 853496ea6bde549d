// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins pieces of a message.
#ifndef SAWTOOTH_RUNTIME_LIB_CAT_H
#define SAWTOOTH_RUNTIME_LIB_CAT_H

#include <concepts>
#include <string>
#include <string_view>

namespace sawtooth::runtime {

template <std::integral T>
void catOne(std::string &out, T value) {
  out += std::to_string(value);
}
inline void catOne(std::string &out, std::string_view text) { out += text; }

/// Texts as they are, integers in decimal.
template <typename... Parts>
std::string cat(const Parts &...parts) {
  std::string out;
  (catOne(out, parts), ...);
  return out;
}

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_LIB_CAT_H
