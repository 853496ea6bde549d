// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpandMathFunctions.h"
#include "MathCoefficients.inc"

using namespace sawtooth::expand;

Real sawtooth::expand::expandErf(Real x) {
  Real size = abs(x);
  Real square = size * size;
  // Up to 1: x + x R(x^2), where the second term is at most a sixth of the first.
  Real inner = size + size * polynomial(square, erfR);
  // From 1 to 6: 1 - exp(-x^2) Q. What is subtracted is at most 0.16, and what the rounding of x^2
  // does to the exponential is largest there too, as the exponential falls much faster than x^2
  // grows.
  Real u = 1.0 / (size + 1.5) - 0.25;
  Real power = expPair(square * -1.0, x.same(0.0)).rounded();
  Real outer = 1.0 - power * polynomial(u, erfcxQ);
  Real result = select(size < 1.0, inner, select(size > 6.0, 1.0, outer));
  return nanWhere(isNaN(x), copysign(result, x));
}
