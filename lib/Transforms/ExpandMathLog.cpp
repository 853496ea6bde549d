// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpandMathFunctions.h"
#include "MathCoefficients.inc"

using namespace sawtooth::expand;

Pair sawtooth::expand::logPair(Real x) {
  // x = 2^e m with sqrt(1/2) <= m < sqrt(2): subtracting the bits of sqrt(1/2) leaves e above the
  // fraction, adding them back to the fraction gives m. Subnormal numbers are made normal before.
  constexpr int64_t rootHalf = 0x3fe6a09e667f3bcd;
  Flag tiny = x < 0x1p-1022;
  Whole offset = bits(select(tiny, x * 0x1p54, x)) - rootHalf;
  Whole e = (offset >> 52) - select(tiny, offset.same(54), offset.same(0));
  Real m = fromBits((offset & 0xfffffffffffff) + rootHalf);

  // log(m) = 2 atanh(s) = 2 s (1 + z (1/3 + z (1/5 + z P(z)))) with s = (m - 1) / (m + 1), z = s^2,
  // all but P in pairs: z^3 P is at most 2^-18 of the whole, its error in f64 2^-71.
  Real one = m.same(1.0), zero = m.same(0.0);
  Pair s = divide({m - one, zero}, twoSum(one, m));
  Pair z = multiply(s, s);
  auto step = [&](double head, double tail, Pair x) {
    Pair sum = fastTwoSum(m.same(head), x.hi);
    return Pair{sum.hi, sum.lo + (x.lo + tail)};
  };
  Pair series = step(fifthHead, fifthTail, {z.hi * polynomial(z.hi, atanhP), zero});
  series = multiply(s, multiply(z, step(thirdHead, thirdTail, multiply(z, series))));
  Pair half = fastTwoSum(s.hi, series.hi);
  Real halfLow = half.lo + (s.lo + series.lo);

  // e * ln2Head is exact and, unless 0, larger than log(m).
  Real exponent = toReal(e);
  Pair sum = fastTwoSum(exponent * ln2Head, half.hi * 2.0);
  return fastTwoSum(sum.hi, sum.lo + (halfLow * 2.0 + exponent * ln2Tail));
}

Real sawtooth::expand::expandLog(Real x) {
  Real result = logPair(x).hi;
  result = select(x == infinity, infinity, result);
  result = select(x == 0.0, -infinity, result);
  return nanWhere(isNaN(x) | (x < 0.0), result);
}
