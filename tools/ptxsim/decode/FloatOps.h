// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts that the floating-point families share.

#ifndef PTXSIM_DECODE_FLOATOPS_H
#define PTXSIM_DECODE_FLOATOPS_H

#include "decode/Exec.h"
#include "numeric/SoftFloat.h"

namespace ptxsim {

/// A source under .ftz.
template <bool Ftz>
inline float in(float value) {
  return Ftz ? flush(value) : value;
}
template <bool Ftz>
inline double in(double value) {
  return value;
}

/// A result: flushed, saturated to [0, 1] with NaN to +0, canonical NaN.
template <bool Ftz, bool Sat>
inline float finish(float value) {
  if (Ftz)
    value = flush(value);
  if (Sat) {
    value = value > 0.0f ? value : 0.0f;
    return value < 1.0f ? value : 1.0f;
  }
  return canonical(value);
}
template <bool Ftz, bool Sat>
inline double finish(double value) {
  return canonical(value);
}

/// PTX ISA, "min", "max": a NaN loses unless .NaN, -0 is less than +0; .xorsign.abs takes the
/// magnitudes and gives the result the product's sign.
template <class T, bool Max, bool Nan, bool Xorsign>
inline T extreme(T a, T b) {
  using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  constexpr U top = U(1) << (8 * sizeof(T) - 1);
  U bitsA = std::bit_cast<U>(a), bitsB = std::bit_cast<U>(b);
  U sign = (bitsA ^ bitsB) & top;
  if (Xorsign) {
    bitsA &= ~top;
    bitsB &= ~top;
    a = std::bit_cast<T>(bitsA);
    b = std::bit_cast<T>(bitsB);
  }
  T result = Max ? (a > b ? a : b) : (a < b ? a : b);
  if (a == b)
    result = std::bit_cast<T>(Max ? bitsA & bitsB : bitsA | bitsB);
  bool nanA = a != a, nanB = b != b;
  result = nanA ? b : nanB ? a : result;
  if (Nan)
    result = nanA ? a : result, result = nanB ? b : result;
  result = canonical(result);
  if (Xorsign && result == result)
    result = std::bit_cast<T>(U(std::bit_cast<U>(result) | sign));
  return result;
}

/// Wraps the executor when the form has a directed rounding.
void applyRounding(Builder &b);

} // namespace ptxsim

#endif
