// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 and f64 arithmetic (PTX ISA, "Floating-Point Instructions"). The host's IEEE arithmetic does
// the rounding; directed modes switch the host's rounding control around the loop.

#include "decode/FloatOps.h"

using namespace ptxsim;

namespace {

struct Add {
  template <class T>
  static T f(T a, T b) {
    return a + b;
  }
};
struct Sub {
  template <class T>
  static T f(T a, T b) {
    return a - b;
  }
};
struct Mul {
  template <class T>
  static T f(T a, T b) {
    return a * b;
  }
};
struct Div {
  template <class T>
  static T f(T a, T b) {
    return a / b;
  }
};
struct Fma {
  static float f(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double f(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
struct Rcp {
  template <class T>
  static T f(T a) {
    return T(1) / a;
  }
};
struct Sqrt {
  static float f(float a) { return __builtin_sqrtf(a); }
  static double f(double a) { return __builtin_sqrt(a); }
};

template <class T, class Op, bool Ftz, bool Sat>
struct Rounded {
  static T f(T a) { return finish<Ftz, Sat>(Op::f(in<Ftz>(a))); }
  static T f(T a, T b) { return finish<Ftz, Sat>(Op::f(in<Ftz>(a), in<Ftz>(b))); }
  static T f(T a, T b, T c) { return finish<Ftz, Sat>(Op::f(in<Ftz>(a), in<Ftz>(b), in<Ftz>(c))); }
};

template <class T, class Op, unsigned N, bool Ftz, bool Sat>
constexpr Executor chosen() {
  using R = Rounded<T, Op, Ftz, Sat>;
  if constexpr (N == 1)
    return run1<T, R>;
  else if constexpr (N == 2)
    return run2<T, R>;
  else
    return run3<T, R>;
}

template <class Op, unsigned N>
void arithmetic(Builder &b) {
  Type type = b.type();
  sameTypeOperands(b, N, type);
  bool ftz = b.has("ftz"), sat = b.has("sat");
  if (type == Type::F64)
    b.inst.run = chosen<double, Op, N, false, false>();
  else
    b.inst.run =
        ftz ? (sat ? chosen<float, Op, N, true, true>() : chosen<float, Op, N, true, false>())
            : (sat ? chosen<float, Op, N, false, true>() : chosen<float, Op, N, false, false>());
  applyRounding(b);
}

/// Pairs of f32 in 64-bit registers: element-wise over 64 floats.
template <class Op, unsigned N, bool Ftz>
void runPairs(Warp &warp, const Inst &inst, Mask mask) {
  const float *a = warp.lanes<float>(inst.a), *c = warp.lanes<float>(inst.b);
  const float *e = N == 3 ? warp.lanes<float>(inst.c) : a;
  float *out = warp.lanes<float>(inst.d);
#pragma clang loop vectorize(assume_safety)
  for (unsigned l = 0; l < 2 * warpSize; ++l) {
    float result;
    if constexpr (N == 2)
      result = Rounded<float, Op, Ftz, false>::f(a[l], c[l]);
    else
      result = Rounded<float, Op, Ftz, false>::f(a[l], c[l], e[l]);
    out[l] = mask >> l / 2 & 1 ? result : out[l];
  }
}
template <class Op, unsigned N>
void pairs(Builder &b) {
  sameTypeOperands(b, N, Type::F32x2);
  b.inst.run = b.has("ftz") ? runPairs<Op, N, true> : runPairs<Op, N, false>;
  applyRounding(b);
}

/// f32 arithmetic with f16 or bf16 sources (sm_100): the halves are exact in f32.
template <class Op, unsigned N, bool Brain, bool Sat>
void runMixed(Warp &warp, const Inst &inst, Mask mask) {
  const uint16_t *a = warp.lanes<uint16_t>(inst.a);
  auto get = [](uint16_t bits) { return Brain ? fromBrain(bits) : fromHalf(bits); };
  if constexpr (N == 2) {
    const float *c = warp.lanes<float>(inst.b);
    eachLane<float>(warp, inst.d, mask,
                    [=](unsigned l) { return finish<false, Sat>(Op::f(get(a[l]), c[l])); });
  } else {
    const uint16_t *c = warp.lanes<uint16_t>(inst.b);
    const float *e = warp.lanes<float>(inst.c);
    eachLane<float>(warp, inst.d, mask, [=](unsigned l) {
      return finish<false, Sat>(Op::f(get(a[l]), get(c[l]), e[l]));
    });
  }
}
template <class Op, unsigned N>
void mixed(Builder &b) {
  Type narrow = b.type(1);
  b.expectCount(N + 1);
  b.inst.a = b.source(1, narrow);
  b.inst.b = b.source(2, N == 3 ? narrow : Type::F32);
  if (N == 3)
    b.inst.c = b.source(3, Type::F32);
  b.inst.d = b.destination(0, Type::F32);
  bool brain = narrow == Type::BF16, sat = b.has("sat");
  b.inst.run = brain ? (sat ? runMixed<Op, N, true, true> : runMixed<Op, N, true, false>)
                     : (sat ? runMixed<Op, N, false, true> : runMixed<Op, N, false, false>);
  applyRounding(b);
}

template <class U, bool Ftz, bool Negate>
struct Sign {
  static U f(U bits) {
    if (Ftz && !(bits & 0x7f800000))
      bits &= U(1) << (8 * sizeof(U) - 1);
    U top = U(1) << (8 * sizeof(U) - 1);
    return Negate ? bits ^ top : bits & ~top;
  }
};
template <bool Negate>
void sign(Builder &b) {
  Type type = b.type();
  sameTypeOperands(b, 1, type);
  b.inst.run = type == Type::F64 ? run1<uint64_t, Sign<uint64_t, false, Negate>>
               : b.has("ftz")    ? run1<uint32_t, Sign<uint32_t, true, Negate>>
                                 : run1<uint32_t, Sign<uint32_t, false, Negate>>;
}

template <class T, bool Max, bool Nan, bool Xorsign, bool Ftz>
struct Extreme {
  static T f(T a, T b) { return extreme<T, Max, Nan, Xorsign>(in<Ftz>(a), in<Ftz>(b)); }
};
template <bool Max>
void extremes(Builder &b) {
  Type type = b.type();
  sameTypeOperands(b, 2, type);
  if (type == Type::F64) {
    b.inst.run = run2<double, Extreme<double, Max, false, false, false>>;
    return;
  }
  bool nan = b.has("NaN"), ftz = b.has("ftz");
  if (b.has("xorsign"))
    b.inst.run = nan ? (ftz ? run2<float, Extreme<float, Max, true, true, true>>
                            : run2<float, Extreme<float, Max, true, true, false>>)
                     : (ftz ? run2<float, Extreme<float, Max, false, true, true>>
                            : run2<float, Extreme<float, Max, false, true, false>>);
  else
    b.inst.run = nan ? (ftz ? run2<float, Extreme<float, Max, true, false, true>>
                            : run2<float, Extreme<float, Max, true, false, false>>)
                     : (ftz ? run2<float, Extreme<float, Max, false, false, true>>
                            : run2<float, Extreme<float, Max, false, false, false>>);
}

/// Sign of a, rest of b (PTX ISA, "copysign": copies the sign of a into the value of b).
template <class U>
struct CopySign {
  static U f(U a, U b) {
    U top = U(1) << (8 * sizeof(U) - 1);
    return (a & top) | (b & ~top);
  }
};
void copySign(Builder &b) {
  Type type = b.type();
  sameTypeOperands(b, 2, type);
  b.inst.run =
      type == Type::F64 ? run2<uint64_t, CopySign<uint64_t>> : run2<uint32_t, CopySign<uint32_t>>;
}

template <class T>
void runTest(Warp &warp, const Inst &inst, Mask mask) {
  const T *a = warp.lanes<T>(inst.a);
  Mask value = 0;
  for (unsigned l = 0; l < warpSize; ++l) {
    int kind = __builtin_fpclassify(0, 1, 2, 3, 4, a[l]);
    static constexpr unsigned sets[] = {0x1c, 0x02, 0x1e, 0x01, 0x14, 0x08};
    // finite, infinite, number, notanumber, normal, subnormal; the manual counts zero as normal.
    value |= Mask(sets[inst.imm] >> kind & 1) << l;
  }
  setPredicate(warp, inst.d, mask, value);
}
void test(Builder &b) {
  static constexpr std::string_view names[] = {"finite",     "infinite", "number",
                                               "notanumber", "normal",   "subnormal"};
  Type type = b.type();
  b.expectCount(2);
  b.inst.a = b.source(1, type);
  b.inst.d = b.destinationPredicate(b.operand(0));
  for (unsigned i = 0; i < 6; ++i)
    if (b.has(names[i]))
      b.inst.imm = i;
  b.inst.run = type == Type::F64 ? runTest<double> : runTest<float>;
}

#define ROUND "{rn|rz|rm|rp}"
const Form forms[] = {
    {"add?" ROUND "?ftz?sat.f32", "d, a, b", "add", 63, 75, arithmetic<Add, 2>},
    {"add?" ROUND ".f64", "d, a, b", "add", 63, 75, arithmetic<Add, 2>},
    {"add?" ROUND "?ftz.f32x2", "d, a, b", "add", 86, 100, pairs<Add, 2>},
    {"add?" ROUND "?sat.f32.{f16|bf16}", "d, a, c", "add", 86, 100, mixed<Add, 2>},
    {"sub?" ROUND "?ftz?sat.f32", "d, a, b", "sub", 63, 75, arithmetic<Sub, 2>},
    {"sub?" ROUND ".f64", "d, a, b", "sub", 63, 75, arithmetic<Sub, 2>},
    {"sub?" ROUND "?ftz.f32x2", "d, a, b", "sub", 86, 100, pairs<Sub, 2>},
    {"sub?" ROUND "?sat.f32.{f16|bf16}", "d, a, c", "sub", 86, 100, mixed<Sub, 2>},
    {"mul?" ROUND "?ftz?sat.f32", "d, a, b", "mul", 63, 75, arithmetic<Mul, 2>},
    {"mul?" ROUND ".f64", "d, a, b", "mul", 63, 75, arithmetic<Mul, 2>},
    {"mul?" ROUND "?ftz.f32x2", "d, a, b", "mul", 86, 100, pairs<Mul, 2>},
    {"fma." ROUND "?ftz?sat.f32", "d, a, b, c", "fma", 63, 75, arithmetic<Fma, 3>},
    {"fma." ROUND ".f64", "d, a, b, c", "fma", 63, 75, arithmetic<Fma, 3>},
    {"fma." ROUND "?ftz.f32x2", "d, a, b, c", "fma", 86, 100, pairs<Fma, 3>},
    {"fma." ROUND "?sat.f32.{f16|bf16}", "d, a, b, c", "fma", 86, 100, mixed<Fma, 3>},
    {"mad." ROUND "?ftz?sat.f32", "d, a, b, c", "mad", 63, 75, arithmetic<Fma, 3>},
    {"mad." ROUND ".f64", "d, a, b, c", "mad", 63, 75, arithmetic<Fma, 3>},
    {"div." ROUND "?ftz.f32", "d, a, b", "div", 63, 75, arithmetic<Div, 2>},
    {"div." ROUND ".f64", "d, a, b", "div", 63, 75, arithmetic<Div, 2>},
    {"rcp." ROUND "?ftz.f32", "d, a", "rcp", 63, 75, arithmetic<Rcp, 1>},
    {"rcp." ROUND ".f64", "d, a", "rcp", 63, 75, arithmetic<Rcp, 1>},
    {"sqrt." ROUND "?ftz.f32", "d, a", "sqrt", 63, 75, arithmetic<Sqrt, 1>},
    {"sqrt." ROUND ".f64", "d, a", "sqrt", 63, 75, arithmetic<Sqrt, 1>},
    {"abs?ftz.f32", "d, a", "abs", 63, 75, sign<false>},
    {"abs.f64", "d, a", "abs", 63, 75, sign<false>},
    {"neg?ftz.f32", "d, a", "neg", 63, 75, sign<true>},
    {"neg.f64", "d, a", "neg", 63, 75, sign<true>},
    {"min?ftz?NaN.f32", "d, a, b", "min", 63, 75, extremes<false>},
    {"min?ftz?NaN.xorsign.abs.f32", "d, a, b", "min", 72, 86, extremes<false>},
    {"min.f64", "d, a, b", "min", 63, 75, extremes<false>},
    {"max?ftz?NaN.f32", "d, a, b", "max", 63, 75, extremes<true>},
    {"max?ftz?NaN.xorsign.abs.f32", "d, a, b", "max", 72, 86, extremes<true>},
    {"max.f64", "d, a, b", "max", 63, 75, extremes<true>},
    {"copysign.{f32|f64}", "d, a, b", "copysign", 63, 75, copySign},
    {"testp.{finite|infinite|number|notanumber|normal|subnormal}.{f32|f64}", "p, a", "testp", 63,
     75, test},
};
#undef ROUND

} // namespace

std::span<const Form> ptxsim::floatForms() { return forms; }
