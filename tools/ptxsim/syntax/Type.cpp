// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "syntax/Type.h"

#include <iterator>

using namespace ptxsim;

// In the order of the enumerations.
static constexpr std::string_view typeNames[] = {
    "none", "pred", "b8",  "b16",   "b32",    "b64",   "b128",  "u8",
    "u16",  "u32",  "u64", "s8",    "s16",    "s32",   "s64",   "f16",
    "bf16", "f32",  "f64", "f16x2", "bf16x2", "f32x2", "u16x2", "s16x2"};
static constexpr std::string_view spaceNames[] = {"none",   "reg",   "generic", "global",
                                                  "shared", "local", "const",   "param"};

std::optional<Type> ptxsim::typeNamed(std::string_view word) {
  for (size_t i = 1; i < std::size(typeNames); ++i)
    if (typeNames[i] == word)
      return Type(i);
  return std::nullopt;
}

std::string_view ptxsim::nameOf(Type type) { return typeNames[size_t(type)]; }
std::string_view ptxsim::nameOf(Space space) { return spaceNames[size_t(space)]; }
