// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpandMathFunctions.h"
#include "MathCoefficients.inc"

using namespace sawtooth::expand;

Exponential sawtooth::expand::expPair(Real hi, Real lo) {
  Flag under = hi < -746.0, over = hi > 710.0;
  Real x = select(under, -746.0, select(over, 710.0, hi));
  Real low = select(under | over, 0.0, lo);
  // x = k ln 2 + r with |r| <= ln 2 / 2; k * ln2Head is exact, and so is what it leaves of x.
  Rounded k = roundToInteger(x * log2e);
  Real near = x - k.real * ln2Head;
  Real far = k.real * ln2Tail - low;
  Real r = near - far;
  Real rLow = (near - r) - far;
  // exp(r + rLow) = 1 + r + (r^2 q(r) + rLow exp(r)). The part in brackets is at most 0.07, so that
  // its few rounding errors come to 2^-56 of the whole.
  Pair sum = fastTwoSum(r.same(1.0), r);
  Real rest = sum.lo + (rLow * sum.hi + r * r * polynomial(r, expQ));
  return {k.whole, fastTwoSum(sum.hi, rest)};
}

Real Exponential::rounded() {
  // 2^k in two factors: either alone is a normal number for every k that occurs.
  Whole half = exponent >> 1;
  auto power = [](Whole n) { return fromBits((n + 1023) << 52); };
  return value.hi * power(half) * power(exponent - half);
}

Real sawtooth::expand::expandExp(Real x) {
  return nanWhere(isNaN(x), expPair(x, x.same(0.0)).rounded());
}
