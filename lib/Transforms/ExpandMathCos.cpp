// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpandMathFunctions.h"
#include "MathCoefficients.inc"

using namespace sawtooth::expand;

/// x - n pi/2 for |n| <= 2^20, off by about 2^-128: Cody and Waite 1980 with parts that are exact
/// times n. The distance of an f64 below the limit from a multiple of pi/2, other than 0, is far
/// above that.
static Pair reduce(Real x, Real n) {
  Real first = x - n * halfPi0; // exact: the two are close to each other
  Pair second = twoSum(first, n * -halfPi1);
  Pair third = twoSum(second.hi, n * -halfPi2);
  Real rest = third.lo + second.lo + n * -halfPi3;
  return fastTwoSum(third.hi, rest);
}

Real sawtooth::expand::expandCos(Real x) {
  Real size = abs(x);
  Flag outside = compare(mlir::arith::CmpFPredicate::UGT, size, x.same(cosLimit));
  Real bounded = select(outside, 0.0, size);
  Rounded n = roundToInteger(bounded * twoOverPi);
  Pair r = reduce(bounded, n.real);
  Real z = r.hi * r.hi;

  // cos(r + low) = 1 - z/2 + (z^2 C(z) - r low), with what 1 - z/2 loses added back.
  Real halfZ = z * 0.5;
  Real head = 1.0 - halfZ;
  Real cosine = head + (((1.0 - head) - halfZ) + (z * z * polynomial(z, cosC) - r.hi * r.lo));
  // sin(r + low) = r + (z r S(z) + low (1 - z/2)).
  Real sine = r.hi + (z * r.hi * polynomial(z, sinS) + r.lo * head);

  // cos(r + n pi/2) for n = 0, 1, 2, 3 mod 4: cos, -sin, -cos, sin.
  Real value = select(equal(n.whole & 1, 0), cosine, sine);
  Whole sign = ((n.whole + 1) & 2) << 62;
  Real result = fromBits({x.b, mlir::arith::XOrIOp::create(*x.b, bits(value).v, sign.v)});
  return nanWhere(outside, result);
}
