// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/CacheKey.h"

#include "Cat.h"

namespace sawtooth::runtime {

// Lengths keep "a" + "bc" apart from "ab" + "c", whatever the values hold.
static std::string part(std::string_view name, std::string_view value) {
  std::string text = cat(" ", name, ":", value.size(), "=");
  for (char byte : value)
    if (byte == '\n' || byte == '\\')
      text += byte == '\n' ? "\\n" : "\\\\";
    else
      text += byte;
  return text;
}

std::string CacheKey::text() const {
  return cat(kind == Kind::Bytes ? "bytes" : "module", part("content", content.hex()),
             part("target", target), part("chips", chips), part("host", host), " batch=", batch,
             part("options", options), part("compiler", compiler), part("llvm", llvm), " abi=", abi,
             " format=", format);
}

} // namespace sawtooth::runtime
