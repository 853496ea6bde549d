// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Digest.h"

// Compiled in whole, so that nothing has to be installed where the runtime runs.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sawtooth::runtime {

std::string Digest::hex() const {
  std::string text;
  for (uint64_t half : {high, low})
    for (int shift = 60; shift >= 0; shift -= 4)
      text += "0123456789abcdef"[half >> shift & 15];
  return text;
}

Digest digest(std::span<const std::byte> bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

} // namespace sawtooth::runtime
