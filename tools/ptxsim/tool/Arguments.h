// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel arguments on the command line: scalars `f32=1.5`, structures `f32:3=1,2,3`, buffers
// `f32[1000]`, `u32[4]=1,2,3,4`, `f32[8]=@file`.

#ifndef PTXSIM_TOOL_ARGUMENTS_H
#define PTXSIM_TOOL_ARGUMENTS_H

#include "memory/Memory.h"
#include "syntax/Type.h"

#include <string>
#include <vector>

namespace ptxsim {

struct Argument {
  Type type = Type::None;
  bool isBuffer = false;
  uint64_t count = 1;
  std::vector<uint8_t> bytes; ///< of a scalar, or the buffer's first contents; may be empty
  Allocation *allocation = nullptr;
};

/// Empty on success, else what is wrong with `text`.
std::string parseArgument(const std::string &text, uint64_t seed, Argument &argument);
/// One element as text: floats with enough digits to come back, integers in decimal.
std::string elementText(Type type, const uint8_t *bytes);

} // namespace ptxsim

#endif
