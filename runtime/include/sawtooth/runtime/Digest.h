// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_DIGEST_H
#define SAWTOOTH_RUNTIME_DIGEST_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sawtooth::runtime {

/// XXH3-128 with seed 0: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md. It finds
/// accidents, not attacks: whoever can write an artifact can also seal it.
struct Digest {
  uint64_t low = 0, high = 0;

  bool operator==(const Digest &) const = default;
  /// 32 hexadecimal digits, the high half first, as `xxh128sum` prints them.
  std::string hex() const;
};

Digest digest(std::span<const std::byte> bytes);
inline Digest digest(std::string_view text) { return digest(std::as_bytes(std::span(text))); }

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_DIGEST_H
