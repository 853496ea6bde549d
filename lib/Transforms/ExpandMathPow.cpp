// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpandMathFunctions.h"

using namespace sawtooth::expand;

static Real floor(Real x) { return {x.b, mlir::math::FloorOp::create(*x.b, x.v)}; }
static Flag negate(Flag flag) {
  mlir::Value ones = splat(*flag.b, flag.v.getType(), flag.b->getBoolAttr(true));
  return {flag.b, mlir::arith::XOrIOp::create(*flag.b, flag.v, ones)};
}

Real sawtooth::expand::expandPow(Real x, Real y) {
  Real size = abs(x);
  // From 2^64 on, y gives the same result as 2^64 does: 0, 1 or infinity, since log|x| is 0 or at
  // least 2^-53. Clamped, it can be split for an exact product.
  Real exponent = select(y > 0x1p64, 0x1p64, select(y < -0x1p64, -0x1p64, y));
  Pair log = logPair(size);
  Pair product = twoProduct(exponent, log.hi);
  Real result = expPair(product.hi, product.lo + exponent * log.lo).rounded();

  // 0 and infinity to a power, as the logarithm would have it.
  Flag zero = size == 0.0, infinite = size == infinity;
  Flag up = (zero & (y < 0.0)) | (infinite & (y > 0.0));
  Flag down = (zero & (y > 0.0)) | (infinite & (y < 0.0));
  result = select(up, infinity, select(down, 0.0, result));

  // Negative bases, -0 included: an integer exponent decides the sign, any other is invalid.
  Real half = y * 0.5;
  Flag whole = floor(y) == y;
  Flag odd = whole & negate(floor(half) == half);
  Whole signs = bits(x) & std::numeric_limits<int64_t>::min();
  Real negated = fromBits({x.b, mlir::arith::OrIOp::create(*x.b, bits(result).v, signs.v)});
  result = select(odd, negated, result);
  Flag invalid = (x < 0.0) & negate(infinite | whole);

  // 1 whatever the other operand is, even NaN; -1 to an infinite power is 1 as well, and infinity
  // counts as an even integer.
  result = nanWhere(isNaN(x) | isNaN(y) | invalid, result);
  return select((x == 1.0) | (y == 0.0), 1.0, result);
}
