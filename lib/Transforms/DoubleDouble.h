// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and products with their rounding errors, without fma (Dekker 1971, "A floating-point
// technique for extending the available precision"; Knuth, The Art of Computer Programming 4.2.2).
#ifndef SAWTOOTH_LIB_TRANSFORMS_DOUBLEDOUBLE_H
#define SAWTOOTH_LIB_TRANSFORMS_DOUBLEDOUBLE_H

#include "MathBuilder.h"

namespace sawtooth::expand {

/// The unevaluated sum of a number and a much smaller one.
struct Pair {
  Real hi, lo;
};

/// x + y exactly; needs |x| >= |y| or x = 0.
inline Pair fastTwoSum(Real x, Real y) {
  Real sum = x + y;
  return {sum, y - (sum - x)};
}

/// x + y exactly.
inline Pair twoSum(Real x, Real y) {
  Real sum = x + y;
  Real part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}

/// x as the sum of two numbers of 26 bits; |x| < 2^996.
inline Pair split(Real x) {
  Real scaled = x * 0x1.0000002p27;
  Real head = scaled - (scaled - x);
  return {head, x - head};
}

/// x * y exactly, unless it leaves the range of f64.
inline Pair twoProduct(Real x, Real y) {
  Real product = x * y;
  Pair a = split(x), b = split(y);
  Real rest = ((a.hi * b.hi - product) + a.hi * b.lo + a.lo * b.hi) + a.lo * b.lo;
  return {product, rest};
}

/// x * y, off by about 2^-104 of it.
inline Pair multiply(Pair x, Pair y) {
  Pair product = twoProduct(x.hi, y.hi);
  return fastTwoSum(product.hi, product.lo + (x.hi * y.lo + x.lo * y.hi));
}

/// x / y rounded after an error of about 2^-100 of it: one step of long division.
inline Pair divide(Pair x, Pair y) {
  Real quotient = x.hi / y.hi;
  Pair back = twoProduct(quotient, y.hi);
  Real rest = ((x.hi - back.hi) - back.lo) + (x.lo - quotient * y.lo);
  return fastTwoSum(quotient, rest / y.hi);
}

} // namespace sawtooth::expand

#endif // SAWTOOTH_LIB_TRANSFORMS_DOUBLEDOUBLE_H
