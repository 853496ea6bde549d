// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names as people type them: globs, hashes, and what to say about one that does not exist.
#ifndef SAWTOOTH_RUNTIME_NAMES_H
#define SAWTOOTH_RUNTIME_NAMES_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sawtooth::runtime {

/// Whether `glob` covers all of `name`: `*` is any run of characters, dots among them, `?` one
/// (UTF-8) character, anything else itself.
bool matchesGlob(std::string_view glob, std::string_view name);

/// FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/. Keys the random numbers of a
/// tensor, so it may never change.
uint64_t hashName(std::string_view name);

/// "unknown KIND 'x'; there are 'a', 'b', …; did you mean 'a'?"
std::string unknownName(std::string_view kind, std::string_view name,
                        std::span<const std::string> known);

/// "'a', 'b', 'c'", at most `limit` of them, then "and N more".
std::string quoteAll(std::span<const std::string> names, size_t limit = 12);

/// "64x128" for {64, 128}, "scalar" for {}.
std::string shapeText(std::span<const int64_t> dims);

/// A name for a message: bytes that a terminal would act on are written as \xNN, and what is very
/// long is cut.
std::string printable(std::string_view name);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_NAMES_H
