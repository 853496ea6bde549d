// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms whose results the manual bounds but does not define to the bit. They are refused unless
// approx=1; then the exact result is moved by a pseudo-random part of the documented error, so that
// a program that relies on the bits shows it under another seed. Special values are exact.

#include "decode/FloatOps.h"
#include "exec/Launch.h"

using namespace ptxsim;

namespace {

/// Maximum error from the manual; relative to the result, or absolute where it says so.
struct Bound {
  double relative, absolute;
};

double noise(Warp &warp, const Inst &inst, double value, unsigned salt) {
  uint64_t z = std::bit_cast<uint64_t>(value) +
               (warp.launch.options.seed + 1) * 0x9e3779b97f4a7c15 + inst.line + salt;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return double(int64_t(z ^ z >> 31)) * 0x1p-63;
}

enum Function { Rcp, Sqrt, Rsqrt, Sin, Cos, Lg2, Ex2, Tanh, Div };

double exact(Function f, double a, double b) {
  switch (f) {
  case Rcp:
    return 1 / a;
  case Sqrt:
    return std::sqrt(a);
  case Rsqrt:
    return 1 / std::sqrt(a);
  case Sin:
    return std::sin(a);
  case Cos:
    return std::cos(a);
  case Lg2:
    return std::log2(a);
  case Ex2:
    return std::exp2(a);
  case Tanh:
    return std::tanh(a);
  default:
    return a / b;
  }
}
constexpr Bound bounds[] = {{0x1p-23, 0}, {0x1p-23, 0}, {0x1.1p-23, 0},
                            {0, 0x1p-20}, {0, 0x1p-20}, {0x1p-22, 0x1p-22},
                            {0x1p-22, 0}, {0x1p-11, 0}, {0x1p-22, 0}};

bool exactAnyway(Function f, double a, double b, double result) {
  return !std::isfinite(a) || !std::isfinite(b) || !std::isfinite(result) || result == 0 ||
         (f == Ex2 && a == 0);
}

template <Function F, bool Ftz>
void runSingle(Warp &warp, const Inst &inst, Mask mask) {
  const float *a = warp.lanes<float>(inst.a);
  const float *b = F == Div ? warp.lanes<float>(inst.b) : a;
  float results[warpSize];
  forLanes(mask, [&](unsigned l) {
    double x = in<Ftz>(a[l]), y = in<Ftz>(b[l]);
    double value = exact(F, x, y);
    if (!exactAnyway(F, x, y, value)) {
      double n = noise(warp, inst, value + x, unsigned(F));
      value += F == Lg2 ? n * std::max(std::fabs(value) * bounds[F].relative * 0.5, 0x1p-24)
                        : n * (std::fabs(value) * bounds[F].relative + bounds[F].absolute) * 0.5;
    }
    results[l] = finish<Ftz, false>(float(value));
  });
  forLanes(mask, [&](unsigned l) { warp.lanes<float>(inst.d)[l] = results[l]; });
}
template <Function F>
void single(Builder &b) {
  sameTypeOperands(b, F == Div ? 2 : 1, Type::F32);
  b.inst.run = b.has("ftz") ? runSingle<F, true> : runSingle<F, false>;
}

/// rcp and rsqrt.approx.ftz.f64 work on the upper 32 bits and leave the lower ones zero.
template <Function F>
void runDouble(Warp &warp, const Inst &inst, Mask mask) {
  const double *a = warp.lanes<double>(inst.a);
  double results[warpSize];
  forLanes(mask, [&](unsigned l) {
    double value = exact(F, a[l], 0);
    uint64_t bits = std::bit_cast<uint64_t>(value) & 0xffffffff00000000;
    results[l] = value != value ? std::bit_cast<double>(nan64) : std::bit_cast<double>(bits);
  });
  forLanes(mask, [&](unsigned l) { warp.lanes<double>(inst.d)[l] = results[l]; });
}
template <Function F>
void wide(Builder &b) {
  sameTypeOperands(b, 1, Type::F64);
  b.inst.run = runDouble<F>;
}

template <Function F, bool Brain>
void runHalves(Warp &warp, const Inst &inst, Mask mask) {
  const uint16_t *a = warp.lanes<uint16_t>(inst.a);
  uint16_t *out = warp.lanes<uint16_t>(inst.d);
  unsigned per = unsigned(inst.imm);
  forLanes(mask, [&](unsigned l) {
    for (unsigned i = l * per; i < (l + 1) * per; ++i) {
      double x = Brain ? fromBrain(a[i]) : fromHalf(a[i]);
      double value = exact(F, x, 0);
      if (!exactAnyway(F, x, x, value))
        value += noise(warp, inst, value + x, unsigned(F)) * std::fabs(value) *
                 (Brain ? 0x1p-9 : 0x1p-12);
      out[i] = uint16_t(narrow(Brain ? brainFormat : halfFormat, value, Rounding::Nearest));
    }
  });
}
template <Function F>
void halves(Builder &b) {
  Type type = b.type();
  sameTypeOperands(b, 1, type);
  bool brain = type == Type::BF16 || type == Type::BF16x2;
  b.inst.imm = sizeOf(type) / 2;
  b.inst.run = brain ? runHalves<F, true> : runHalves<F, false>;
}

const Form forms[] = {
    {"rcp.approx?ftz.f32", "d, a", "rcp", 63, 75, single<Rcp>, true},
    {"rcp.approx.ftz.f64", "d, a", "rcp.approx.ftz.f64", 63, 75, wide<Rcp>, true},
    {"sqrt.approx?ftz.f32", "d, a", "sqrt", 63, 75, single<Sqrt>, true},
    {"rsqrt.approx?ftz.f32", "d, a", "rsqrt", 63, 75, single<Rsqrt>, true},
    {"rsqrt.approx.f64", "d, a", "rsqrt", 63, 75, wide<Rsqrt>, true},
    {"rsqrt.approx.ftz.f64", "d, a", "rsqrt.approx.ftz.f64", 63, 75, wide<Rsqrt>, true},
    {"sin.approx?ftz.f32", "d, a", "sin", 63, 75, single<Sin>, true},
    {"cos.approx?ftz.f32", "d, a", "cos", 63, 75, single<Cos>, true},
    {"lg2.approx?ftz.f32", "d, a", "lg2", 63, 75, single<Lg2>, true},
    {"ex2.approx?ftz.f32", "d, a", "ex2", 63, 75, single<Ex2>, true},
    {"ex2.approx.{f16|f16x2}", "d, a", "ex2 (half)", 70, 75, halves<Ex2>, true},
    {"ex2.approx.ftz.{bf16|bf16x2}", "d, a", "ex2 (half)", 78, 90, halves<Ex2>, true},
    {"tanh.approx.f32", "d, a", "tanh", 70, 75, single<Tanh>, true},
    {"tanh.approx.{f16|f16x2}", "d, a", "tanh (half)", 70, 75, halves<Tanh>, true},
    {"tanh.approx.{bf16|bf16x2}", "d, a", "tanh (half)", 78, 90, halves<Tanh>, true},
    {"div.approx?ftz.f32", "d, a, b", "div", 63, 75, single<Div>, true},
    {"div.full?ftz.f32", "d, a, b", "div", 63, 75, single<Div>, true},
};

} // namespace

std::span<const Form> ptxsim::approxForms() { return forms; }
