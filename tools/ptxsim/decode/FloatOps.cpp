// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "decode/FloatOps.h"

#include <xmmintrin.h>

using namespace ptxsim;

static void runDirected(Warp &warp, const Inst &inst, Mask mask) {
  unsigned saved = _mm_getcsr();
  _mm_setcsr((saved & ~0x6000u) | unsigned(inst.imm) << 13);
  // The inner loop loads its sources and stores its results between these two.
  asm volatile("" ::: "memory");
  inst.inner(warp, inst, mask);
  asm volatile("" ::: "memory");
  _mm_setcsr(saved);
}

void ptxsim::applyRounding(Builder &b) {
  // The host's rounding control: 1 down, 2 up, 3 toward zero.
  b.inst.imm = b.has("rm") ? 1 : b.has("rp") ? 2 : b.has("rz") ? 3 : 0;
  if (!b.inst.imm)
    return;
  b.inst.inner = b.inst.run;
  b.inst.run = runDirected;
}
