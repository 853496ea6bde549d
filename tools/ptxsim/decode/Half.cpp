// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16, bf16 and their packed forms (PTX ISA, "Half Precision Floating-Point Instructions"). Sums of
// halves in f32 and products in f64 round to the same half as the exact results do; fma goes
// through rounding to odd.

#include "decode/FloatOps.h"

using namespace ptxsim;

namespace {

struct Half {
  static float get(uint16_t bits) { return fromHalf(bits); }
  static uint16_t put(float value) { return toHalf(value); }
  static uint16_t put(double value) {
    return uint16_t(narrow(halfFormat, value, Rounding::Nearest));
  }
  static constexpr uint16_t exponent = 0x7c00, one = 0x3c00;
};
struct Brain {
  static float get(uint16_t bits) { return fromBrain(bits); }
  static uint16_t put(float value) { return toBrain(value); }
  static uint16_t put(double value) {
    return uint16_t(narrow(brainFormat, value, Rounding::Nearest));
  }
  static constexpr uint16_t exponent = 0x7f80, one = 0x3f80;
};

template <class F, bool Ftz>
uint16_t flushed(uint16_t bits) {
  return Ftz && !(bits & F::exponent) ? bits & 0x8000 : bits;
}
enum class Clip { None, Sat, Relu };
template <class F, Clip C>
uint16_t clipped(uint16_t bits) {
  bool nan = (bits & 0x7fff) > F::exponent;
  // .sat turns NaN into +0, .relu keeps the canonical NaN.
  if (C == Clip::Sat)
    return nan || bits & 0x8000 ? 0 : std::min(bits, F::one);
  if (C == Clip::Relu)
    return nan ? nan16 : bits & 0x8000 ? 0 : bits;
  return nan ? nan16 : bits;
}

/// Element-wise over 32 halves, or 64 in packed registers.
template <bool Packed, class Body>
void eachHalf(Warp &warp, uint32_t destination, Mask mask, Body body) {
  uint16_t *out = warp.lanes<uint16_t>(destination);
  constexpr unsigned count = Packed ? 2 * warpSize : warpSize;
#pragma clang loop vectorize(assume_safety)
  for (unsigned l = 0; l < count; ++l) {
    uint16_t result = body(l);
    out[l] = mask >> (Packed ? l / 2 : l) & 1 ? result : out[l];
  }
}

struct Add {
  template <class F>
  static uint16_t f(uint16_t a, uint16_t b) {
    return F::put(F::get(a) + F::get(b));
  }
};
struct Sub {
  template <class F>
  static uint16_t f(uint16_t a, uint16_t b) {
    return F::put(F::get(a) - F::get(b));
  }
};
struct Mul {
  template <class F>
  static uint16_t f(uint16_t a, uint16_t b) {
    // 22 bits fit f32 where no f32 subnormal comes up; bf16 products reach far below.
    if constexpr (std::is_same_v<F, Half>)
      return F::put(F::get(a) * F::get(b));
    else
      return F::put(double(F::get(a)) * F::get(b));
  }
};
struct Fma {
  template <class F>
  static uint16_t f(uint16_t a, uint16_t b, uint16_t c) {
    return F::put(fmaToOdd(F::get(a), F::get(b), F::get(c)));
  }
};
template <bool Max, bool Nan, bool Xorsign>
struct Extreme {
  template <class F>
  static uint16_t f(uint16_t a, uint16_t b) {
    if (!Xorsign)
      return F::put(extreme<float, Max, Nan, false>(F::get(a), F::get(b)));
    // The sign comes from the bits, also from those of a NaN.
    uint16_t sign = (a ^ b) & 0x8000;
    uint16_t result =
        F::put(extreme<float, Max, Nan, false>(F::get(a & 0x7fff), F::get(b & 0x7fff)));
    return result == nan16 ? result : uint16_t(result | sign);
  }
};
struct Abs {
  template <class>
  static uint16_t f(uint16_t a) {
    return a & 0x7fff;
  }
};
struct Neg {
  template <class>
  static uint16_t f(uint16_t a) {
    return a ^ 0x8000;
  }
};

template <class F, class Op, unsigned N, bool Packed, bool Ftz, Clip C>
void run(Warp &warp, const Inst &inst, Mask mask) {
  const uint16_t *a = warp.lanes<uint16_t>(inst.a);
  const uint16_t *b = N > 1 ? warp.lanes<uint16_t>(inst.b) : a;
  const uint16_t *c = N > 2 ? warp.lanes<uint16_t>(inst.c) : a;
  eachHalf<Packed>(warp, inst.d, mask, [=](unsigned l) -> uint16_t {
    uint16_t x = flushed<F, Ftz>(a[l]);
    uint16_t result;
    if constexpr (N == 1) {
      // abs and neg pass NaN through apart from the sign.
      return Op::template f<F>(x);
    } else if constexpr (N == 2) {
      result = Op::template f<F>(x, flushed<F, Ftz>(b[l]));
    } else {
      result = Op::template f<F>(x, flushed<F, Ftz>(b[l]), flushed<F, Ftz>(c[l]));
    }
    return clipped<F, C>(flushed<F, Ftz>(result));
  });
}

template <class F, class Op, unsigned N, bool Packed>
Executor pick(Builder &b) {
  bool ftz = b.has("ftz");
  if (b.has("sat"))
    return ftz ? run<F, Op, N, Packed, true, Clip::Sat> : run<F, Op, N, Packed, false, Clip::Sat>;
  if (b.has("relu"))
    return ftz ? run<F, Op, N, Packed, true, Clip::Relu> : run<F, Op, N, Packed, false, Clip::Relu>;
  return ftz ? run<F, Op, N, Packed, true, Clip::None> : run<F, Op, N, Packed, false, Clip::None>;
}

template <class Op, unsigned N>
void half(Builder &b) {
  Type type = b.type();
  sameTypeOperands(b, N, type);
  switch (type) {
  case Type::F16:
    b.inst.run = pick<Half, Op, N, false>(b);
    break;
  case Type::F16x2:
    b.inst.run = pick<Half, Op, N, true>(b);
    break;
  case Type::BF16:
    b.inst.run = pick<Brain, Op, N, false>(b);
    break;
  default:
    b.inst.run = pick<Brain, Op, N, true>(b);
    break;
  }
}
template <bool Max>
void extremes(Builder &b) {
  bool nan = b.has("NaN");
  if (b.has("xorsign"))
    nan ? half<Extreme<Max, true, true>, 2>(b) : half<Extreme<Max, false, true>, 2>(b);
  else
    nan ? half<Extreme<Max, true, false>, 2>(b) : half<Extreme<Max, false, false>, 2>(b);
}

#define F16S ".{f16|f16x2}"
#define BF16S ".{bf16|bf16x2}"
const Form forms[] = {
    {"add?rn?ftz?sat" F16S, "d, a, b", "add (half)", 63, 75, half<Add, 2>},
    {"add?rn" BF16S, "d, a, b", "add (half)", 78, 90, half<Add, 2>},
    {"sub?rn?ftz?sat" F16S, "d, a, b", "sub (half)", 63, 75, half<Sub, 2>},
    {"sub?rn" BF16S, "d, a, b", "sub (half)", 78, 90, half<Sub, 2>},
    {"mul?rn?ftz?sat" F16S, "d, a, b", "mul (half)", 63, 75, half<Mul, 2>},
    {"mul?rn" BF16S, "d, a, b", "mul (half)", 78, 90, half<Mul, 2>},
    {"fma.rn?ftz?sat" F16S, "d, a, b, c", "fma (half)", 63, 75, half<Fma, 3>},
    {"fma.rn?ftz.relu" F16S, "d, a, b, c", "fma (half)", 70, 80, half<Fma, 3>},
    {"fma.rn?relu" BF16S, "d, a, b, c", "fma (half)", 70, 80, half<Fma, 3>},
    {"neg?ftz" F16S, "d, a", "neg (half)", 63, 75, half<Neg, 1>},
    {"neg" BF16S, "d, a", "neg (half)", 70, 80, half<Neg, 1>},
    {"abs?ftz" F16S, "d, a", "abs (half)", 65, 75, half<Abs, 1>},
    {"abs" BF16S, "d, a", "abs (half)", 70, 80, half<Abs, 1>},
    {"min?ftz?NaN" F16S, "d, a, b", "min (half)", 70, 80, extremes<false>},
    {"min?ftz?NaN.xorsign.abs" F16S, "d, a, b", "min (half)", 72, 86, extremes<false>},
    {"min?NaN" BF16S, "d, a, b", "min (half)", 70, 80, extremes<false>},
    {"min?NaN.xorsign.abs" BF16S, "d, a, b", "min (half)", 72, 86, extremes<false>},
    {"max?ftz?NaN" F16S, "d, a, b", "max (half)", 70, 80, extremes<true>},
    {"max?ftz?NaN.xorsign.abs" F16S, "d, a, b", "max (half)", 72, 86, extremes<true>},
    {"max?NaN" BF16S, "d, a, b", "max (half)", 70, 80, extremes<true>},
    {"max?NaN.xorsign.abs" BF16S, "d, a, b", "max (half)", 72, 86, extremes<true>},
};
#undef F16S
#undef BF16S

} // namespace

std::span<const Form> ptxsim::halfForms() { return forms; }
