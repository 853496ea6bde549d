// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions").

#include "decode/Exec.h"

#include <limits>

using namespace ptxsim;

namespace {

struct Add {
  template <class T>
  static T f(T a, T b) {
    return T(Plain<T>(a) + Plain<T>(b));
  }
};
struct Sub {
  template <class T>
  static T f(T a, T b) {
    return T(Plain<T>(a) - Plain<T>(b));
  }
};
struct MulLo {
  template <class T>
  static T f(T a, T b) {
    return T(Plain<T>(a) * Plain<T>(b));
  }
};
struct MulHi {
  template <class T>
  static T f(T a, T b) {
    using W = std::conditional_t<sizeof(T) == 8, __int128, int64_t>;
    using UW = std::conditional_t<sizeof(T) == 8, unsigned __int128, uint64_t>;
    if constexpr (std::is_signed_v<T>)
      return T(W(a) * W(b) >> (8 * sizeof(T)));
    else
      return T(UW(a) * UW(b) >> (8 * sizeof(T)));
  }
};
struct MadLo {
  template <class T>
  static T f(T a, T b, T c) {
    return Add::f(MulLo::f(a, b), c);
  }
};
struct MadHi {
  template <class T>
  static T f(T a, T b, T c) {
    return Add::f(MulHi::f(a, b), c);
  }
};
// The manual leaves division by zero open; all ones and the dividend are what devices give.
struct Div {
  template <class T>
  static T f(T a, T b) {
    if (b == 0)
      return T(~T(0));
    if (std::is_signed_v<T> && b == T(-1))
      return Sub::f(T(0), a);
    return T(a / b);
  }
};
struct Rem {
  template <class T>
  static T f(T a, T b) {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == T(-1))
      return 0;
    return T(a % b);
  }
};
struct Min {
  template <class T>
  static T f(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static T f(T a, T b) {
    return a > b ? a : b;
  }
};
struct Abs {
  template <class T>
  static T f(T a) {
    return a < 0 ? Sub::f(T(0), a) : a;
  }
};
struct Neg {
  template <class T>
  static T f(T a) {
    return Sub::f(T(0), a);
  }
};
struct AddSat {
  static int32_t f(int32_t a, int32_t b) { return clamp(int64_t(a) + b); }
  static int32_t clamp(int64_t v) {
    return int32_t(v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v);
  }
};
struct SubSat {
  static int32_t f(int32_t a, int32_t b) { return AddSat::clamp(int64_t(a) - b); }
};
struct MadHiSat {
  static int32_t f(int32_t a, int32_t b, int32_t c) {
    return AddSat::clamp((int64_t(a) * b >> 32) + c);
  }
};
template <class Op>
struct Relu {
  template <class T>
  static T f(T a, T b) {
    return Max::f(Op::f(a, b), T(0));
  }
};
struct Sad {
  template <class T>
  static T f(T a, T b, T c) {
    return a > b ? Add::f(c, Sub::f(a, b)) : Add::f(c, Sub::f(b, a));
  }
};
// 24 bits of the sources, signed or not; .hi is bits 47 to 16 of the product.
template <bool Signed>
int64_t low24(uint32_t v) {
  return Signed ? int64_t(int32_t(v << 8) >> 8) : int64_t(v & 0xffffff);
}
template <bool High>
struct Mul24 {
  template <class T>
  static T f(T a, T b) {
    constexpr bool s = std::is_signed_v<T>;
    return T((low24<s>(uint32_t(a)) * low24<s>(uint32_t(b))) >> (High ? 16 : 0));
  }
};
template <bool High>
struct Mad24 {
  template <class T>
  static T f(T a, T b, T c) {
    return Add::f(Mul24<High>::f(a, b), c);
  }
};
struct Mad24HiSat {
  static int32_t f(int32_t a, int32_t b, int32_t c) {
    return AddSat::clamp(int64_t(Mul24<true>::f(a, b)) + c);
  }
};

template <class N, class W>
void mulWide(Warp &warp, const Inst &inst, Mask mask) {
  const N *a = warp.lanes<N>(inst.a), *b = warp.lanes<N>(inst.b);
  eachLane<W>(warp, inst.d, mask, [=](unsigned l) { return W(W(a[l]) * W(b[l])); });
}
template <class N, class W>
void madWide(Warp &warp, const Inst &inst, Mask mask) {
  const N *a = warp.lanes<N>(inst.a), *b = warp.lanes<N>(inst.b);
  const W *c = warp.lanes<W>(inst.c);
  eachLane<W>(warp, inst.d, mask,
              [=](unsigned l) { return W(Plain<W>(W(a[l]) * W(b[l])) + Plain<W>(c[l])); });
}

Type doubled(Type type) {
  switch (type) {
  case Type::U16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
    return Type::U64;
  default:
    return Type::S64;
  }
}

template <bool Add>
void wide(Builder &b) {
  Type type = b.type();
  b.expectCount(Add ? 4 : 3);
  b.inst.a = b.source(1, type);
  b.inst.b = b.source(2, type);
  if (Add)
    b.inst.c = b.source(3, doubled(type));
  b.inst.d = b.destination(0, doubled(type));
  switch (type) {
  case Type::U16:
    b.inst.run = Add ? madWide<uint16_t, uint32_t> : mulWide<uint16_t, uint32_t>;
    break;
  case Type::S16:
    b.inst.run = Add ? madWide<int16_t, int32_t> : mulWide<int16_t, int32_t>;
    break;
  case Type::U32:
    b.inst.run = Add ? madWide<uint32_t, uint64_t> : mulWide<uint32_t, uint64_t>;
    break;
  default:
    b.inst.run = Add ? madWide<int32_t, int64_t> : mulWide<int32_t, int64_t>;
    break;
  }
}

template <class Op>
void saturating2(Builder &b) {
  sameTypeOperands(b, 2, Type::S32);
  b.inst.run = run2<int32_t, Op>;
}
template <class Op>
void saturating3(Builder &b) {
  sameTypeOperands(b, 3, Type::S32);
  b.inst.run = run3<int32_t, Op>;
}
template <class Op>
void relu2(Builder &b) {
  sameTypeOperands(b, 2, Type::S32);
  b.inst.run = run2<int32_t, Relu<Op>>;
}
template <class Op>
void sad(Builder &b) {
  Type type = b.type();
  sameTypeOperands(b, 3, type);
  b.inst.run = byIntegerType<Run3<Op>::template Pick>(type);
}

/// Two 16-bit halves of a register.
template <class T, class Op>
struct Packed {
  static uint32_t f(uint32_t a, uint32_t b) {
    return uint16_t(Op::f(T(a), T(b))) | uint32_t(uint16_t(Op::f(T(a >> 16), T(b >> 16)))) << 16;
  }
};
template <class Op>
void packed(Builder &b) {
  sameTypeOperands(b, 2, b.type());
  b.inst.run = b.type() == Type::S16x2 ? run2<uint32_t, Packed<int16_t, Op>>
                                       : run2<uint32_t, Packed<uint16_t, Op>>;
}

// PTX ISA, "dp4a", "dp2a".
template <unsigned Count, bool SignedA, bool SignedB, bool High>
void dotProduct(Warp &warp, const Inst &inst, Mask mask) {
  const uint32_t *a = warp.lanes<uint32_t>(inst.a), *b = warp.lanes<uint32_t>(inst.b),
                 *c = warp.lanes<uint32_t>(inst.c);
  eachLane<uint32_t>(warp, inst.d, mask, [=](unsigned l) {
    uint32_t sum = c[l];
    for (unsigned i = 0; i < Count; ++i) {
      uint32_t x = Count == 4 ? a[l] >> 8 * i & 0xff : a[l] >> 16 * i & 0xffff;
      uint32_t y = b[l] >> 8 * (i + (High ? 2 : 0)) & 0xff;
      int32_t left = SignedA ? (Count == 4 ? int32_t(int8_t(x)) : int32_t(int16_t(x))) : int32_t(x);
      int32_t right = SignedB ? int32_t(int8_t(y)) : int32_t(y);
      sum += uint32_t(left) * uint32_t(right);
    }
    return sum;
  });
}
template <unsigned Count, bool High>
void dot(Builder &b) {
  bool signedA = b.type(0) == Type::S32, signedB = b.type(1) == Type::S32;
  Type result = signedA || signedB ? Type::S32 : Type::U32;
  b.expectCount(4);
  b.inst.a = b.source(1, Type::B32);
  b.inst.b = b.source(2, Type::B32);
  b.inst.c = b.source(3, result);
  b.inst.d = b.destination(0, result);
  b.inst.run =
      signedA
          ? (signedB ? dotProduct<Count, true, true, High> : dotProduct<Count, true, false, High>)
          : (signedB ? dotProduct<Count, false, true, High>
                     : dotProduct<Count, false, false, High>);
}

#define ALL ".{u16|s16|u32|s32|u64|s64}"
const Form forms[] = {
    {"add" ALL, "d, a, b", "add", 63, 75, integer2<Add>},
    {"add.sat.s32", "d, a, b", "add", 63, 75, saturating2<AddSat>},
    {"add.{u16x2|s16x2}", "d, a, b", "add", 80, 90, packed<Add>},
    {"sub" ALL, "d, a, b", "sub", 63, 75, integer2<Sub>},
    {"sub.sat.s32", "d, a, b", "sub", 63, 75, saturating2<SubSat>},
    {"mul.lo" ALL, "d, a, b", "mul", 63, 75, integer2<MulLo>},
    {"mul.hi" ALL, "d, a, b", "mul", 63, 75, integer2<MulHi>},
    {"mul.wide.{u16|s16|u32|s32}", "d, a, b", "mul", 63, 75, wide<false>},
    {"mad.lo" ALL, "d, a, b, c", "mad", 63, 75, integer3<MadLo>},
    {"mad.hi" ALL, "d, a, b, c", "mad", 63, 75, integer3<MadHi>},
    {"mad.hi.sat.s32", "d, a, b, c", "mad", 63, 75, saturating3<MadHiSat>},
    {"mad.wide.{u16|s16|u32|s32}", "d, a, b, c", "mad", 63, 75, wide<true>},
    {"mul24.lo.{u32|s32}", "d, a, b", "mul24", 63, 75, integer2<Mul24<false>>},
    {"mul24.hi.{u32|s32}", "d, a, b", "mul24", 63, 75, integer2<Mul24<true>>},
    {"mad24.lo.{u32|s32}", "d, a, b, c", "mad24", 63, 75, integer3<Mad24<false>>},
    {"mad24.hi.{u32|s32}", "d, a, b, c", "mad24", 63, 75, integer3<Mad24<true>>},
    {"mad24.hi.sat.s32", "d, a, b, c", "mad24", 63, 75, saturating3<Mad24HiSat>},
    {"sad" ALL, "d, a, b, c", "sad", 63, 75, sad<Sad>},
    {"div" ALL, "d, a, b", "div", 63, 75, integer2<Div>},
    {"rem" ALL, "d, a, b", "rem", 63, 75, integer2<Rem>},
    {"abs.{s16|s32|s64}", "d, a", "abs", 63, 75, integer1<Abs>},
    {"neg.{s16|s32|s64}", "d, a", "neg", 63, 75, integer1<Neg>},
    {"min" ALL, "d, a, b", "min", 63, 75, integer2<Min>},
    {"min.relu.s32", "d, a, b", "min", 80, 90, relu2<Min>},
    {"min.{u16x2|s16x2}", "d, a, b", "min", 80, 90, packed<Min>},
    {"min.relu.s16x2", "d, a, b", "min", 80, 90, packed<Relu<Min>>},
    {"max" ALL, "d, a, b", "max", 63, 75, integer2<Max>},
    {"max.relu.s32", "d, a, b", "max", 80, 90, relu2<Max>},
    {"max.{u16x2|s16x2}", "d, a, b", "max", 80, 90, packed<Max>},
    {"max.relu.s16x2", "d, a, b", "max", 80, 90, packed<Relu<Max>>},
    {"dp4a.{u32|s32}.{u32|s32}", "d, a, b, c", "dp4a", 63, 75, dot<4, false>},
    {"dp2a.lo.{u32|s32}.{u32|s32}", "d, a, b, c", "dp2a", 63, 75, dot<2, false>},
    {"dp2a.hi.{u32|s32}.{u32|s32}", "d, a, b, c", "dp2a", 63, 75, dot<2, true>},
};
#undef ALL

} // namespace

std::span<const Form> ptxsim::integerForms() { return forms; }
