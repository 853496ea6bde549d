// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logic, shifts and bit fields (PTX ISA, "Logic and Shift Instructions").

#include "decode/Exec.h"

using namespace ptxsim;

namespace {

struct And {
  template <class T>
  static T f(T a, T b) {
    return T(a & b);
  }
};
struct Or {
  template <class T>
  static T f(T a, T b) {
    return T(a | b);
  }
};
struct Xor {
  template <class T>
  static T f(T a, T b) {
    return T(a ^ b);
  }
};
struct Not {
  template <class T>
  static T f(T a) {
    return T(~a);
  }
};
struct CNot {
  template <class T>
  static T f(T a) {
    return T(a == 0);
  }
};
struct Brev {
  static uint32_t f(uint32_t v) { return __builtin_bitreverse32(v); }
  static uint64_t f(uint64_t v) { return __builtin_bitreverse64(v); }
};
struct Popc {
  template <class T>
  static uint32_t f(T v) {
    return uint32_t(std::popcount(v));
  }
};
struct Clz {
  template <class T>
  static uint32_t f(T v) {
    return uint32_t(std::countl_zero(v));
  }
};
/// Position of the leading bit that is not a sign bit; ~0 when there is none.
template <bool Shift>
struct Find {
  template <class T>
  static uint32_t f(T v) {
    using U = std::make_unsigned_t<T>;
    U bits = std::is_signed_v<T> && v < 0 ? U(~v) : U(v);
    if (bits == 0)
      return ~0u;
    uint32_t leading = uint32_t(std::countl_zero(bits));
    return Shift ? leading : uint32_t(8 * sizeof(T)) - 1 - leading;
  }
};

template <class Op>
void logic(Builder &b, size_t sources) {
  if (b.type() != Type::Pred) {
    if constexpr (requires { Op::f(1u); })
      integer1<Op>(b);
    else
      integer2<Op>(b);
    return;
  }
  b.expectCount(sources + 1);
  bool negatedA = false, negatedB = false;
  b.inst.a = b.sourcePredicate(b.operand(1), negatedA);
  if (sources == 2)
    b.inst.b = b.sourcePredicate(b.operand(2), negatedB);
  if (negatedA || negatedB)
    b.fail("'!' is not allowed here");
  b.inst.d = b.destinationPredicate(b.operand(0));
  b.inst.run = [](Warp &warp, const Inst &inst, Mask mask) {
    Mask value;
    if constexpr (requires { Op::f(1u); })
      value = Op::f(warp.predicate(inst.a));
    else
      value = Op::f(warp.predicate(inst.a), warp.predicate(inst.b));
    setPredicate(warp, inst.d, mask, value);
  };
}
template <class Op>
void logic2(Builder &b) {
  logic<Op>(b, 2);
}
template <class Op>
void logic1(Builder &b) {
  logic<Op>(b, 1);
}

// Amounts are 32 bits; at and above the width the result is 0 or the sign.
template <class T, bool Left>
void shift(Warp &warp, const Inst &inst, Mask mask) {
  const T *a = warp.lanes<T>(inst.a);
  const uint32_t *b = warp.lanes<uint32_t>(inst.b);
  constexpr uint32_t width = 8 * sizeof(T);
  eachLane<T>(warp, inst.d, mask, [=](unsigned l) -> T {
    uint32_t amount = b[l];
    if constexpr (Left)
      return amount < width ? T(Plain<T>(a[l]) << amount) : T(0);
    else if constexpr (std::is_signed_v<T>)
      return T(a[l] >> (amount < width ? amount : width - 1));
    else
      return amount < width ? T(a[l] >> amount) : T(0);
  });
}
template <class T>
struct ShiftLeft {
  static constexpr Executor value = shift<std::make_unsigned_t<T>, true>;
};
template <class T>
struct ShiftRight {
  static constexpr Executor value = shift<T, false>;
};

template <template <class> class Pick>
void buildShift(Builder &b) {
  b.expectCount(3);
  b.inst.a = b.source(1, b.type());
  b.inst.b = b.source(2, Type::U32);
  b.inst.d = b.destination(0, b.type());
  b.inst.run = byIntegerType<Pick>(b.type());
}

template <bool Left, bool Clamp>
struct Funnel {
  static uint32_t f(uint32_t low, uint32_t high, uint32_t amount) {
    uint64_t both = uint64_t(high) << 32 | low;
    uint32_t n = Clamp ? (amount < 32 ? amount : 32) : amount & 31;
    return uint32_t(Left ? both >> (32 - n) : both >> n);
  }
};
template <class Op>
void word3(Builder &b) {
  sameTypeOperands(b, 3, Type::B32);
  b.inst.run = run3<uint32_t, Op>;
}

template <class T>
void bfe(Warp &warp, const Inst &inst, Mask mask) {
  const T *a = warp.lanes<T>(inst.a);
  const uint32_t *b = warp.lanes<uint32_t>(inst.b), *c = warp.lanes<uint32_t>(inst.c);
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t width = 8 * sizeof(T);
  eachLane<T>(warp, inst.d, mask, [=](unsigned l) -> T {
    uint32_t position = b[l] & 0xff, length = c[l] & 0xff;
    if (length == 0)
      return 0;
    // The sign is the field's top bit, or the source's when the field reaches beyond it.
    uint32_t signAt = std::min(position + length - 1, width - 1);
    U sign = std::is_signed_v<T> ? U(a[l]) >> signAt & 1 : 0;
    U field = position < width ? U(a[l]) >> position : 0;
    uint32_t valid = position < width ? std::min(length, width - position) : 0;
    U keep = valid >= width ? ~U(0) : (U(1) << valid) - 1;
    return T(sign ? (field & keep) | ~keep : field & keep);
  });
}
template <class T>
void bfi(Warp &warp, const Inst &inst, Mask mask) {
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b);
  const uint32_t *c = warp.lanes<uint32_t>(inst.c), *e = warp.lanes<uint32_t>(inst.e);
  constexpr uint32_t width = 8 * sizeof(T);
  eachLane<T>(warp, inst.d, mask, [=](unsigned l) -> T {
    uint32_t position = c[l] & 0xff, length = e[l] & 0xff;
    if (position >= width)
      return b[l];
    T ones = length >= width ? ~T(0) : (T(1) << length) - 1;
    T field = ones << position;
    return (b[l] & ~field) | (a[l] << position & field);
  });
}
void buildBfe(Builder &b) {
  Type type = b.type();
  b.expectCount(4);
  b.inst.a = b.source(1, type);
  b.inst.b = b.source(2, Type::U32);
  b.inst.c = b.source(3, Type::U32);
  b.inst.d = b.destination(0, type);
  b.inst.run = type == Type::U32   ? bfe<uint32_t>
               : type == Type::S32 ? bfe<int32_t>
               : type == Type::U64 ? bfe<uint64_t>
                                   : bfe<int64_t>;
}
void buildBfi(Builder &b) {
  Type type = b.type();
  b.expectCount(5);
  b.inst.a = b.source(1, type);
  b.inst.b = b.source(2, type);
  b.inst.c = b.source(3, Type::U32);
  b.inst.e = b.source(4, Type::U32);
  b.inst.d = b.destination(0, type);
  b.inst.run = type == Type::B32 ? bfi<uint32_t> : bfi<uint64_t>;
}

void runLop3(Warp &warp, const Inst &inst, Mask mask) {
  const uint32_t *a = warp.lanes<uint32_t>(inst.a), *b = warp.lanes<uint32_t>(inst.b),
                 *c = warp.lanes<uint32_t>(inst.c);
  uint32_t table = uint32_t(inst.imm);
  eachLane<uint32_t>(warp, inst.d, mask, [=](unsigned l) {
    uint32_t result = 0;
    for (unsigned row = 0; row < 8; ++row) {
      uint32_t on = table >> row & 1 ? ~0u : 0u;
      result |= on & (row & 4 ? a[l] : ~a[l]) & (row & 2 ? b[l] : ~b[l]) & (row & 1 ? c[l] : ~c[l]);
    }
    return result;
  });
}
void lop3(Builder &b) {
  b.expectCount(5);
  b.inst.a = b.source(1, Type::B32);
  b.inst.b = b.source(2, Type::B32);
  b.inst.c = b.source(3, Type::B32);
  uint64_t table = b.immediate(b.operand(4), "look-up table");
  if (table > 255)
    b.fail("look-up table: expected 0 to 255, got " + std::to_string(table));
  b.inst.imm = int64_t(table);
  b.inst.d = b.destination(0, Type::B32);
  b.inst.run = runLop3;
}

/// Selector of each result byte for a mode of prmt; bit 3 replicates the sign.
uint32_t selectors(unsigned mode, uint32_t c) {
  unsigned n = c & 3;
  auto pack = [](unsigned b3, unsigned b2, unsigned b1, unsigned b0) {
    return b3 << 12 | b2 << 8 | b1 << 4 | b0;
  };
  switch (mode) {
  case 1:
    return pack(n + 3, n + 2, n + 1, n); // f4e
  case 2:
    return pack((n + 5) & 7, (n + 6) & 7, (n + 7) & 7, n); // b4e
  case 3:
    return pack(n, n, n, n); // rc8
  case 4:
    return pack(3, std::max(n, 2u), std::max(n, 1u), n); // ecl
  case 5:
    return pack(n, std::min(n, 2u), std::min(n, 1u), 0); // ecr
  case 6:
    return n & 1 ? pack(3, 2, 3, 2) : pack(1, 0, 1, 0); // rc16
  default:
    return c & 0xffff;
  }
}
void runPrmt(Warp &warp, const Inst &inst, Mask mask) {
  const uint32_t *a = warp.lanes<uint32_t>(inst.a), *b = warp.lanes<uint32_t>(inst.b),
                 *c = warp.lanes<uint32_t>(inst.c);
  unsigned mode = unsigned(inst.imm);
  eachLane<uint32_t>(warp, inst.d, mask, [=](unsigned l) {
    uint64_t both = uint64_t(b[l]) << 32 | a[l];
    uint32_t picks = selectors(mode, c[l]), result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t pick = picks >> 4 * i & 15;
      uint32_t byte = uint32_t(both >> 8 * (pick & 7)) & 0xff;
      if (pick & 8)
        byte = byte & 0x80 ? 0xff : 0;
      result |= byte << 8 * i;
    }
    return result;
  });
}
void prmt(Builder &b) {
  sameTypeOperands(b, 3, Type::B32);
  static constexpr std::string_view modes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  for (unsigned i = 1; i < 7; ++i)
    if (b.has(modes[i]))
      b.inst.imm = i;
  b.inst.run = runPrmt;
}

/// Unary with a 32-bit result.
template <class Op>
void count1(Builder &b) {
  Type type = b.type();
  b.expectCount(2);
  b.inst.a = b.source(1, type);
  b.inst.d = b.destination(0, Type::U32);
  switch (type) {
  case Type::S32:
    b.inst.run = run1<int32_t, Op, uint32_t>;
    break;
  case Type::S64:
    b.inst.run = run1<int64_t, Op, uint32_t>;
    break;
  case Type::U64:
  case Type::B64:
    b.inst.run = run1<uint64_t, Op, uint32_t>;
    break;
  default:
    b.inst.run = run1<uint32_t, Op, uint32_t>;
    break;
  }
}
struct CountBits {
  static uint32_t f(uint32_t v) { return Popc::f(v); }
  static uint32_t f(uint64_t v) { return Popc::f(v); }
  static uint32_t f(int32_t v) { return Popc::f(uint32_t(v)); }
  static uint32_t f(int64_t v) { return Popc::f(uint64_t(v)); }
};
struct CountZeros {
  template <class T>
  static uint32_t f(T v) {
    return Clz::f(std::make_unsigned_t<T>(v));
  }
};
void brev(Builder &b) {
  sameTypeOperands(b, 1, b.type());
  b.inst.run = b.type() == Type::B32 ? run1<uint32_t, Brev> : run1<uint64_t, Brev>;
}
/// `length` ones from `position` on (PTX ISA, "bmsk").
template <bool Clamp>
struct BitMask {
  static uint32_t f(uint32_t position, uint32_t length) {
    if (!Clamp) {
      position &= 31;
      length &= 31;
    }
    if (position >= 32)
      return 0;
    uint32_t ones = length >= 32 ? ~0u : (1u << length) - 1;
    return ones << position;
  }
};
template <bool Clamp>
void bmsk(Builder &b) {
  sameTypeOperands(b, 2, Type::B32);
  b.inst.run = run2<uint32_t, BitMask<Clamp>>;
}
/// Sign or zero extension from `width` bits (PTX ISA, "szext").
template <bool Clamp, bool Signed>
struct Extend {
  static uint32_t f(uint32_t value, uint32_t width) {
    if (!Clamp)
      width &= 31;
    if (width >= 32)
      return value;
    if (width == 0)
      return 0;
    uint32_t shift = 32 - width;
    return Signed ? uint32_t(int32_t(value << shift) >> shift) : value << shift >> shift;
  }
};
template <bool Clamp>
void szext(Builder &b) {
  Type type = b.type();
  b.expectCount(3);
  b.inst.a = b.source(1, type);
  b.inst.b = b.source(2, Type::U32);
  b.inst.d = b.destination(0, type);
  b.inst.run = type == Type::S32 ? run2<uint32_t, Extend<Clamp, true>>
                                 : run2<uint32_t, Extend<Clamp, false>>;
}

#define LOGIC ".{pred|b16|b32|b64}"
const Form forms[] = {
    {"and" LOGIC, "d, a, b", "and", 63, 75, logic2<And>},
    {"or" LOGIC, "d, a, b", "or", 63, 75, logic2<Or>},
    {"xor" LOGIC, "d, a, b", "xor", 63, 75, logic2<Xor>},
    {"not" LOGIC, "d, a", "not", 63, 75, logic1<Not>},
    {"cnot.{b16|b32|b64}", "d, a", "cnot", 63, 75, integer1<CNot>},
    {"lop3.b32", "d, a, b, c, table", "lop3", 63, 75, lop3},
    {"shl.{b16|b32|b64}", "d, a, amount", "shl", 63, 75, buildShift<ShiftLeft>},
    {"shr.{b16|b32|b64|u16|u32|u64|s16|s32|s64}", "d, a, amount", "shr", 63, 75,
     buildShift<ShiftRight>},
    {"shf.l.wrap.b32", "d, a, b, amount", "shf", 63, 75, word3<Funnel<true, false>>},
    {"shf.l.clamp.b32", "d, a, b, amount", "shf", 63, 75, word3<Funnel<true, true>>},
    {"shf.r.wrap.b32", "d, a, b, amount", "shf", 63, 75, word3<Funnel<false, false>>},
    {"shf.r.clamp.b32", "d, a, b, amount", "shf", 63, 75, word3<Funnel<false, true>>},
    {"bfe.{u32|s32|u64|s64}", "d, a, position, length", "bfe", 63, 75, buildBfe},
    {"bfi.{b32|b64}", "d, a, b, position, length", "bfi", 63, 75, buildBfi},
    {"prmt.b32?{f4e|b4e|rc8|ecl|ecr|rc16}", "d, a, b, selector", "prmt", 63, 75, prmt},
    {"popc.{b32|b64}", "d, a", "popc", 63, 75, count1<CountBits>},
    {"clz.{b32|b64}", "d, a", "clz", 63, 75, count1<CountZeros>},
    {"bfind.{u32|s32|u64|s64}", "d, a", "bfind", 63, 75, count1<Find<false>>},
    {"bfind.shiftamt.{u32|s32|u64|s64}", "d, a", "bfind", 63, 75, count1<Find<true>>},
    {"brev.{b32|b64}", "d, a", "brev", 63, 75, brev},
    {"bmsk.clamp.b32", "d, position, length", "bmsk", 76, 75, bmsk<true>},
    {"bmsk.wrap.b32", "d, position, length", "bmsk", 76, 75, bmsk<false>},
    {"szext.clamp.{u32|s32}", "d, a, width", "szext", 76, 75, szext<true>},
    {"szext.wrap.{u32|s32}", "d, a, width", "szext", 76, 75, szext<false>},
};
#undef LOGIC

} // namespace

std::span<const Form> ptxsim::bitForms() { return forms; }
