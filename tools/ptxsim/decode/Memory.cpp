// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "decode/Memory.h"
#include "exec/Chips.h"

using namespace ptxsim;

Space ptxsim::spaceOf(const Builder &b) {
  std::string_view word =
      b.which("global|shared|shared::cta|local|const|param|param::entry|param::func");
  if (word.empty())
    return Space::Generic;
  if (word == "global")
    return Space::Global;
  if (word == "local")
    return Space::Local;
  if (word == "const")
    return Space::Const;
  return word.substr(0, 6) == "shared" ? Space::Shared : Space::Param;
}

MemScope ptxsim::scopeOf(const Builder &b) {
  // A cluster is one block here: clusters of several blocks cannot be launched.
  if (b.has("cta") || b.has("cluster"))
    return MemScope::Block;
  return b.has("sys") ? MemScope::System : MemScope::Device;
}

void ptxsim::memoryWords(Builder &b) {
  Inst &inst = b.inst;
  if (b.has("volatile")) {
    inst.order = Order::Relaxed;
    inst.scope = MemScope::System;
    return;
  }
  inst.scope = scopeOf(b);
  inst.order = b.has("acq_rel")   ? Order::AcqRel
               : b.has("acquire") ? Order::Acquire
               : b.has("release") ? Order::Release
               : b.has("relaxed") ? Order::Relaxed
                                  : Order::Weak;
}

unsigned ptxsim::targetOf(const Builder &b) {
  return targetNumber(b.function.program.module().target);
}
