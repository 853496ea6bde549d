// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpandMathFunctions.h"

using namespace sawtooth::expand;

Real sawtooth::expand::expandTanh(Real x) {
  // Beyond 20 the result rounds to 1, below 2^-28 to x.
  Real size = abs(x);
  Real bounded = select(size > 20.0, 20.0, size);
  // tanh(x) = (T - 1) / (T + 1), T = exp(2x) <= 2^58: one factor of 2^k is enough.
  Exponential power = expPair(bounded * 2.0, x.same(0.0));
  Real factor = fromBits((power.exponent + 1023) << 52);
  Real t = power.value.hi * factor, tLow = power.value.lo * factor;
  Pair above = twoSum(t, t.same(1.0)), below = twoSum(t, t.same(-1.0));
  // T - 1 may cancel: bring what is left to the front before dividing.
  Pair quotient = divide(fastTwoSum(below.hi, below.lo + tLow), {above.hi, above.lo + tLow});
  Real result = select(size < 0x1p-28, size, quotient.hi);
  return nanWhere(isNaN(x), copysign(result, x));
}
