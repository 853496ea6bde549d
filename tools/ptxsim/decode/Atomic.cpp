// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atom and red (PTX ISA, "atom", "red"). Without .sem and .scope they are relaxed.gpu.

#include "decode/FloatOps.h"
#include "decode/Memory.h"
#include "exec/Launch.h"

#include <algorithm>

using namespace ptxsim;

namespace {

struct Add {
  template <class T>
  static T f(T old, T b) {
    return T(Plain<T>(old) + Plain<T>(b));
  }
};
struct And {
  template <class T>
  static T f(T old, T b) {
    return old & b;
  }
};
struct Or {
  template <class T>
  static T f(T old, T b) {
    return old | b;
  }
};
struct Xor {
  template <class T>
  static T f(T old, T b) {
    return old ^ b;
  }
};
struct Exch {
  template <class T>
  static T f(T, T b) {
    return b;
  }
};
struct Min {
  template <class T>
  static T f(T old, T b) {
    return old < b ? old : b;
  }
};
struct Max {
  template <class T>
  static T f(T old, T b) {
    return old > b ? old : b;
  }
};
struct Inc {
  template <class T>
  static T f(T old, T b) {
    return old >= b ? 0 : old + 1;
  }
};
struct Dec {
  template <class T>
  static T f(T old, T b) {
    return old == 0 || old > b ? b : old - 1;
  }
};
// On global memory atom.add.f32 flushes subnormals, on shared memory it does not.
template <bool Ftz>
struct AddFloat {
  static uint32_t f(uint32_t old, uint32_t b) {
    float sum = in<Ftz>(std::bit_cast<float>(old)) + in<Ftz>(std::bit_cast<float>(b));
    return std::bit_cast<uint32_t>(finish<Ftz, false>(sum));
  }
};
struct AddDouble {
  static uint64_t f(uint64_t old, uint64_t b) {
    return std::bit_cast<uint64_t>(
        canonical(std::bit_cast<double>(old) + std::bit_cast<double>(b)));
  }
};
struct AddHalf {
  static uint16_t f(uint16_t old, uint16_t b) { return toHalf(fromHalf(old) + fromHalf(b)); }
};
struct AddBrain {
  static uint16_t f(uint16_t old, uint16_t b) { return toBrain(fromBrain(old) + fromBrain(b)); }
};
template <class Op>
struct Pair {
  static uint32_t f(uint32_t old, uint32_t b) {
    return Op::f(uint16_t(old), uint16_t(b)) |
           uint32_t(Op::f(uint16_t(old >> 16), uint16_t(b >> 16))) << 16;
  }
};

template <class T>
void exchange(Warp &warp, const Inst &inst, Mask mask, auto compute) {
  Resolved at;
  warp.resolve(inst, mask, at);
  T olds[warpSize];
  bool changed = false;
  forLanes(mask, [&](unsigned l) {
    T old, next;
    std::memcpy(&old, at.host[l], sizeof(T));
    next = compute(old, l);
    changed |= next != old;
    olds[l] = old;
    std::memcpy(at.host[l], &next, sizeof(T));
  });
  if (changed)
    warp.launch.progressed();
  if (inst.d)
    forLanes(mask, [&](unsigned l) { warp.lanes<T>(inst.d)[l] = olds[l]; });
}

template <class T, class Op>
void runAtomic(Warp &warp, const Inst &inst, Mask mask) {
  T operands[warpSize];
  std::copy_n(warp.lanes<T>(inst.b), warpSize, operands);
  exchange<T>(warp, inst, mask, [&](T old, unsigned l) { return T(Op::f(old, operands[l])); });
}
template <class T>
void runCas(Warp &warp, const Inst &inst, Mask mask) {
  const T *compare = warp.lanes<T>(inst.b), *value = warp.lanes<T>(inst.c);
  exchange<T>(warp, inst, mask,
              [=](T old, unsigned l) { return old == compare[l] ? value[l] : old; });
}

template <class Op>
Executor integerAtomic(Type type) {
  switch (type) {
  case Type::B32:
  case Type::U32:
    return runAtomic<uint32_t, Op>;
  case Type::S32:
    return runAtomic<int32_t, Op>;
  case Type::B64:
  case Type::U64:
    return runAtomic<uint64_t, Op>;
  case Type::S64:
    return runAtomic<int64_t, Op>;
  default:
    return nullptr;
  }
}
Executor addAtomic(Type type, Space space) {
  switch (type) {
  case Type::F32:
    return space == Space::Shared ? runAtomic<uint32_t, AddFloat<false>>
                                  : runAtomic<uint32_t, AddFloat<true>>;
  case Type::F64:
    return runAtomic<uint64_t, AddDouble>;
  case Type::F16:
    return runAtomic<uint16_t, AddHalf>;
  case Type::BF16:
    return runAtomic<uint16_t, AddBrain>;
  case Type::F16x2:
    return runAtomic<uint32_t, Pair<AddHalf>>;
  case Type::BF16x2:
    return runAtomic<uint32_t, Pair<AddBrain>>;
  default:
    return integerAtomic<Add>(type);
  }
}

void common(Builder &b, Type type, size_t first) {
  memoryWords(b);
  // Every atomic is strong.
  if (b.inst.order == Order::Weak)
    b.inst.order = Order::Relaxed;
  b.inst.isStore = b.inst.isAtomic = true;
  b.inst.elementBytes = uint8_t(sizeOf(type));
  b.address(b.operand(first), spaceOf(b));
  if (b.inst.space == Space::Local || b.inst.space == Space::Param)
    b.fail("atomics work on global and shared memory");
}

template <bool Returns>
void atomic(Builder &b) {
  Type type = b.type();
  size_t first = Returns ? 1 : 0;
  b.expectCount(first + 2);
  common(b, type, first);
  b.inst.b = b.source(first + 1, type);
  if (Returns)
    b.inst.d = b.destination(0, type);
  std::string_view op = b.which("add|and|or|xor|exch|min|max|inc|dec");
  b.inst.run = op == "add"    ? addAtomic(type, b.inst.space)
               : op == "and"  ? integerAtomic<And>(type)
               : op == "or"   ? integerAtomic<Or>(type)
               : op == "xor"  ? integerAtomic<Xor>(type)
               : op == "exch" ? integerAtomic<Exch>(type)
               : op == "min"  ? integerAtomic<Min>(type)
               : op == "max"  ? integerAtomic<Max>(type)
               : op == "inc"  ? runAtomic<uint32_t, Inc>
                              : runAtomic<uint32_t, Dec>;
}
void exch128(Builder &b) {
  b.expectCount(3);
  common(b, Type::B128, 1);
  b.inst.b = b.source(2, Type::B128);
  b.inst.d = b.destination(0, Type::B128);
  b.inst.run = runAtomic<unsigned __int128, Exch>;
}
void cas(Builder &b) {
  Type type = b.type();
  b.expectCount(4);
  common(b, type, 1);
  b.inst.b = b.source(2, type);
  b.inst.c = b.source(3, type);
  b.inst.d = b.destination(0, type);
  b.inst.run = sizeOf(type) == 2   ? runCas<uint16_t>
               : sizeOf(type) == 4 ? runCas<uint32_t>
               : sizeOf(type) == 8 ? runCas<uint64_t>
                                   : runCas<unsigned __int128>;
}

#define HEAD "?{relaxed|acquire|release|acq_rel}?{cta|cluster|gpu|sys}?{global|shared|shared::cta}"
#define REDHEAD "?{relaxed|release}?{cta|cluster|gpu|sys}?{global|shared|shared::cta}"
// CUDA's own headers put the order behind the operation, and the assembler takes that.
#define TAIL ".{relaxed|acquire|release|acq_rel}?{cta|cluster|gpu|sys}?{global|shared|shared::cta}"
#define REDTAIL ".{relaxed|release}?{cta|cluster|gpu|sys}?{global|shared|shared::cta}"
const Form forms[] = {
    {"atom.{and|or|xor|exch}" TAIL ".{b32|b64}", "d, [a], b", "atom", 63, 75, atomic<true>},
    {"atom.cas" TAIL ".{b16|b32|b64}", "d, [a], b, c", "atom", 63, 75, cas},
    {"atom.add" TAIL ".{u32|s32|u64|f32|f64}", "d, [a], b", "atom", 63, 75, atomic<true>},
    {"atom.{min|max}" TAIL ".{u32|s32|u64|s64}", "d, [a], b", "atom", 63, 75, atomic<true>},
    {"red.{and|or|xor}" REDTAIL ".{b32|b64}", "[a], b", "red", 63, 75, atomic<false>},
    {"red.add" REDTAIL ".{u32|s32|u64|f32|f64}", "[a], b", "red", 63, 75, atomic<false>},
    {"atom" HEAD ".{and|or|xor|exch}.{b32|b64}", "d, [a], b", "atom", 63, 75, atomic<true>},
    {"atom" HEAD ".exch.b128", "d, [a], b", "atom", 83, 90, exch128},
    {"atom" HEAD ".cas.{b16|b32|b64}", "d, [a], b, c", "atom", 63, 75, cas},
    {"atom" HEAD ".cas.b128", "d, [a], b, c", "atom", 83, 90, cas},
    {"atom" HEAD ".add.{u32|s32|u64|f32|f64}", "d, [a], b", "atom", 63, 75, atomic<true>},
    {"atom" HEAD ".add.noftz.{f16|f16x2}", "d, [a], b", "atom", 63, 75, atomic<true>},
    {"atom" HEAD ".add.noftz.{bf16|bf16x2}", "d, [a], b", "atom", 78, 90, atomic<true>},
    {"atom" HEAD ".{min|max}.{u32|s32|u64|s64}", "d, [a], b", "atom", 63, 75, atomic<true>},
    {"atom" HEAD ".{inc|dec}.u32", "d, [a], b", "atom", 63, 75, atomic<true>},
    {"red" REDHEAD ".{and|or|xor}.{b32|b64}", "[a], b", "red", 63, 75, atomic<false>},
    {"red" REDHEAD ".add.{u32|s32|u64|f32|f64}", "[a], b", "red", 63, 75, atomic<false>},
    {"red" REDHEAD ".add.noftz.{f16|f16x2}", "[a], b", "red", 63, 75, atomic<false>},
    {"red" REDHEAD ".add.noftz.{bf16|bf16x2}", "[a], b", "red", 78, 90, atomic<false>},
    {"red" REDHEAD ".{min|max}.{u32|s32|u64|s64}", "[a], b", "red", 63, 75, atomic<false>},
    {"red" REDHEAD ".{inc|dec}.u32", "[a], b", "red", 63, 75, atomic<false>},
};

} // namespace

std::span<const Form> ptxsim::atomicForms() { return forms; }
