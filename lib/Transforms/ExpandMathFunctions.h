// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elementary functions of the numerics contract on f64, one file each. Errors are maximal, in
// units in the last place of the exact result, for every argument including those whose result is
// subnormal. NaN in or an invalid operation gives the canonical NaN.
#ifndef SAWTOOTH_LIB_TRANSFORMS_EXPANDMATHFUNCTIONS_H
#define SAWTOOTH_LIB_TRANSFORMS_EXPANDMATHFUNCTIONS_H

#include "DoubleDouble.h"

namespace sawtooth::expand {

/// exp(x): 0.8 ulp, 0.9 where the result is subnormal. Overflows to infinity, underflows to 0.
Real expandExp(Real x);

/// Natural logarithm: 0.51 ulp. log(±0) is -infinity; a negative argument is invalid.
Real expandLog(Real x);

/// tanh(x): 0.8 ulp. Keeps the sign of zero.
Real expandTanh(Real x);

/// erf(x): 1.5 ulp. Keeps the sign of zero.
Real expandErf(Real x);

/// cos(x): 0.8 ulp for |x| <= cosLimit; beyond it, and for infinity, the canonical NaN.
Real expandCos(Real x);
inline constexpr double cosLimit = 0x1p20;

/// x to the power of y: 0.8 ulp, 0.9 where the result is subnormal, with the special cases of IEEE
/// 754-2019, 9.2.1: pow(x, ±0) = pow(1, y) = 1 even for NaN, integers y are told apart from others
/// for negative x, and so on.
Real expandPow(Real x, Real y);

/// 2^exponent * (value.hi + value.lo), |value.lo| <= ulp(value.hi) / 2.
struct Exponential {
  Whole exponent;
  Pair value;

  /// Rounded to f64, twice where it is subnormal.
  Real rounded();
};
/// exp(hi + lo), hi clamped to [-746, 710] where the result is 0 or infinite, with a relative error
/// below 2^-55.5 before rounding. |lo| <= ulp(hi); it is ignored where hi is clamped.
Exponential expPair(Real hi, Real lo);

/// log(x) as hi + lo with a relative error below 2^-69, |lo| <= ulp(hi)/2, for positive finite x.
Pair logPair(Real x);

} // namespace sawtooth::expand

#endif // SAWTOOTH_LIB_TRANSFORMS_EXPANDMATHFUNCTIONS_H
