// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What loads, stores and atomics read off their modifiers.

#ifndef PTXSIM_DECODE_MEMORY_H
#define PTXSIM_DECODE_MEMORY_H

#include "decode/Exec.h"

namespace ptxsim {

Space spaceOf(const Builder &b);
MemScope scopeOf(const Builder &b);
/// Order and scope of the access. `.volatile` is relaxed with system scope (PTX ISA, "ld").
void memoryWords(Builder &b);
unsigned targetOf(const Builder &b);

} // namespace ptxsim

#endif
