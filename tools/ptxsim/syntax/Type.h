// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fundamental and packed types (PTX ISA, "Types") and state spaces.

#ifndef PTXSIM_SYNTAX_TYPE_H
#define PTXSIM_SYNTAX_TYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace ptxsim {

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  BF16,
  F32,
  F64,
  F16x2,
  BF16x2,
  F32x2,
  U16x2,
  S16x2
};

enum class Space : uint8_t { None, Reg, Generic, Global, Shared, Local, Const, Param };

/// Size in bytes; a predicate counts as 0 because it has no memory form.
constexpr unsigned sizeOf(Type type) {
  switch (type) {
  case Type::None:
  case Type::Pred:
    return 0;
  case Type::B8:
  case Type::U8:
  case Type::S8:
    return 1;
  case Type::B16:
  case Type::U16:
  case Type::S16:
  case Type::F16:
  case Type::BF16:
    return 2;
  case Type::B32:
  case Type::U32:
  case Type::S32:
  case Type::F32:
  case Type::F16x2:
  case Type::BF16x2:
  case Type::U16x2:
  case Type::S16x2:
    return 4;
  case Type::B64:
  case Type::U64:
  case Type::S64:
  case Type::F64:
  case Type::F32x2:
    return 8;
  case Type::B128:
    return 16;
  }
  return 0;
}

constexpr bool isSigned(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 || type == Type::S64;
}
constexpr bool isFloat(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F32 || type == Type::F64;
}
constexpr bool isInteger(Type type) { return type >= Type::U8 && type <= Type::S64; }
constexpr bool isBits(Type type) { return type >= Type::B8 && type <= Type::B128; }

/// The type that a modifier such as `f16x2` names, if it names one.
std::optional<Type> typeNamed(std::string_view word);
std::string_view nameOf(Type type);
std::string_view nameOf(Space space);

} // namespace ptxsim

#endif
