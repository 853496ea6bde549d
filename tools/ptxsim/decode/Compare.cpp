// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison and selection (PTX ISA, "Comparison and Selection Instructions"). Ordered comparisons
// are false for NaN, also .ne; the ones ending in u are true.

#include "decode/FloatOps.h"

using namespace ptxsim;

namespace {

enum Compare : unsigned { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

template <unsigned C, class T>
bool compare(T a, T b) {
  if constexpr (C == Eq)
    return a == b;
  if constexpr (C == Ne)
    return std::is_floating_point_v<T> ? a < b || a > b : a != b;
  if constexpr (C == Lt)
    return a < b;
  if constexpr (C == Le)
    return a <= b;
  if constexpr (C == Gt)
    return a > b;
  if constexpr (C == Ge)
    return a >= b;
  if constexpr (C == Equ)
    return !(a < b || a > b);
  if constexpr (C == Neu)
    return !(a == b);
  if constexpr (C == Ltu)
    return !(a >= b);
  if constexpr (C == Leu)
    return !(a > b);
  if constexpr (C == Gtu)
    return !(a <= b);
  if constexpr (C == Geu)
    return !(a < b);
  if constexpr (C == Num)
    return a == a && b == b;
  return !(a == a && b == b);
}

// How an element is stored, and as what it compares.
template <class T>
struct Whole {
  using Store = T;
  static T get(T value) { return value; }
};
struct FlushedSingle {
  using Store = float;
  static float get(float value) { return flush(value); }
};
struct HalfValue {
  using Store = uint16_t;
  static float get(uint16_t bits) { return fromHalf(bits); }
};
struct FlushedHalf {
  using Store = uint16_t;
  static float get(uint16_t bits) { return fromHalf(bits & 0x7c00 ? bits : bits & 0x8000); }
};
struct BrainValue {
  using Store = uint16_t;
  static float get(uint16_t bits) { return fromBrain(bits); }
};

using MaskFunction = Mask (*)(Warp &, const Inst &, unsigned first, unsigned step);

/// Compares elements first, first + step, …: packed halves use step 2.
template <class V, unsigned C>
Mask compareLanes(Warp &warp, const Inst &inst, unsigned first, unsigned step) {
  const auto *a = warp.lanes<typename V::Store>(inst.a), *b = warp.lanes<typename V::Store>(inst.b);
  if (step == 1)
    return gatherMask([=](unsigned l) { return compare<C>(V::get(a[l]), V::get(b[l])); });
  Mask result = 0;
  for (unsigned l = 0; l < warpSize; ++l)
    result |= Mask(compare<C>(V::get(a[first + l * step]), V::get(b[first + l * step]))) << l;
  return result;
}

/// Bits of Inst::imm of the instructions here.
enum : int64_t {
  BoolAnd = 1,
  BoolOr = 2,
  BoolXor = 3,
  BoolMask = 3,
  NegateC = 4,
  HasQ = 8,
  PackedSource = 16,
  NarrowResult = 32
};

Mask combine(Warp &warp, const Inst &inst, Mask value) {
  if (!(inst.imm & BoolMask))
    return value;
  Mask c = warp.predicate(inst.c);
  if (inst.imm & NegateC)
    c = ~c;
  switch (inst.imm & BoolMask) {
  case BoolAnd:
    return value & c;
  case BoolOr:
    return value | c;
  default:
    return value ^ c;
  }
}

void runSetp(Warp &warp, const Inst &inst, Mask mask) {
  Mask value = inst.compare(warp, inst, 0, 1);
  Mask first = combine(warp, inst, value), second = combine(warp, inst, ~value);
  setPredicate(warp, inst.p, mask, first);
  if (inst.imm & HasQ)
    setPredicate(warp, inst.d, mask, second);
}
/// Packed halves: one predicate for each half.
void runSetpPacked(Warp &warp, const Inst &inst, Mask mask) {
  Mask low = combine(warp, inst, inst.compare(warp, inst, 0, 2));
  Mask high = combine(warp, inst, inst.compare(warp, inst, 1, 2));
  setPredicate(warp, inst.p, mask, low);
  setPredicate(warp, inst.d, mask, high);
}
/// set: the number for true is in the upper half of Inst::imm.
void runSet(Warp &warp, const Inst &inst, Mask mask) {
  bool packed = inst.imm & PackedSource;
  uint32_t truth = uint32_t(inst.imm >> 32);
  Mask low = combine(warp, inst, inst.compare(warp, inst, 0, packed ? 2 : 1));
  Mask high = packed ? combine(warp, inst, inst.compare(warp, inst, 1, 2)) : 0;
  forLanes(mask, [&](unsigned l) {
    uint32_t value = low >> l & 1 ? truth : 0;
    if (packed)
      value |= (high >> l & 1 ? truth : 0) << 16;
    if (inst.imm & NarrowResult)
      warp.lanes<uint16_t>(inst.d)[l] = uint16_t(value);
    else
      warp.lanes<uint32_t>(inst.d)[l] = value;
  });
}

template <class V>
MaskFunction byFloatCompare(unsigned c) {
  static constexpr MaskFunction table[] = {
      compareLanes<V, Eq>,  compareLanes<V, Ne>,  compareLanes<V, Lt>,  compareLanes<V, Le>,
      compareLanes<V, Gt>,  compareLanes<V, Ge>,  compareLanes<V, Equ>, compareLanes<V, Neu>,
      compareLanes<V, Ltu>, compareLanes<V, Leu>, compareLanes<V, Gtu>, compareLanes<V, Geu>,
      compareLanes<V, Num>, compareLanes<V, Nan>};
  return table[c];
}
template <class V>
MaskFunction byIntegerCompare(unsigned c) {
  static constexpr MaskFunction table[] = {compareLanes<V, Eq>, compareLanes<V, Ne>,
                                           compareLanes<V, Lt>, compareLanes<V, Le>,
                                           compareLanes<V, Gt>, compareLanes<V, Ge>};
  return c < 6 ? table[c] : nullptr;
}

MaskFunction select(Type type, unsigned c, bool ftz) {
  switch (type) {
  case Type::B16:
  case Type::U16:
    return byIntegerCompare<Whole<uint16_t>>(c);
  case Type::S16:
    return byIntegerCompare<Whole<int16_t>>(c);
  case Type::B32:
  case Type::U32:
    return byIntegerCompare<Whole<uint32_t>>(c);
  case Type::S32:
    return byIntegerCompare<Whole<int32_t>>(c);
  case Type::B64:
  case Type::U64:
    return byIntegerCompare<Whole<uint64_t>>(c);
  case Type::S64:
    return byIntegerCompare<Whole<int64_t>>(c);
  case Type::F32:
    return ftz ? byFloatCompare<FlushedSingle>(c) : byFloatCompare<Whole<float>>(c);
  case Type::F64:
    return byFloatCompare<Whole<double>>(c);
  case Type::F16:
  case Type::F16x2:
    return ftz ? byFloatCompare<FlushedHalf>(c) : byFloatCompare<HalfValue>(c);
  case Type::BF16:
  case Type::BF16x2:
    return byFloatCompare<BrainValue>(c);
  default:
    return nullptr;
  }
}

unsigned compareWord(Builder &b) {
  static constexpr std::string_view names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                               "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  for (unsigned i = 0; i < 14; ++i)
    if (b.has(names[i]))
      return i;
  // Unsigned names: lo, ls, hi, hs.
  return b.has("lo") ? Lt : b.has("ls") ? Le : b.has("hi") ? Gt : Ge;
}

/// The optional `.boolop` and its predicate at `index`.
void boolOperator(Builder &b, size_t index) {
  b.inst.imm |= b.has("and") ? BoolAnd : b.has("or") ? BoolOr : b.has("xor") ? BoolXor : 0;
  bool wanted = b.inst.imm & BoolMask;
  b.expectCount(index + wanted);
  if (!wanted)
    return;
  bool negated;
  b.inst.c = b.sourcePredicate(b.operand(index), negated);
  if (negated)
    b.inst.imm |= NegateC;
}

void setp(Builder &b) {
  Type type = b.type();
  bool packed = type == Type::F16x2 || type == Type::BF16x2;
  boolOperator(b, 3);
  b.inst.a = b.source(1, type);
  b.inst.b = b.source(2, type);
  const Operand &target = b.operand(0);
  if (target.kind == Operand::Pair) {
    if (type == Type::F16 || type == Type::BF16)
      b.fail("comparison of single halves: expected one predicate, got a pair");
    b.inst.p = b.destinationPredicate(target.parts[0]);
    b.inst.d = b.destinationPredicate(target.parts[1]);
    b.inst.imm |= HasQ;
  } else {
    if (packed)
      b.fail("packed comparison: expected a pair of predicates p|q");
    b.inst.p = b.destinationPredicate(target);
  }
  b.inst.compare = select(type, compareWord(b), b.has("ftz"));
  b.inst.run = !b.inst.compare ? nullptr : packed ? runSetpPacked : runSetp;
}

void set(Builder &b) {
  Type result = b.type(0), type = b.type(1);
  boolOperator(b, 3);
  b.inst.a = b.source(1, type);
  b.inst.b = b.source(2, type);
  b.inst.d = b.destination(0, result);
  bool packedSource = type == Type::F16x2 || type == Type::BF16x2;
  uint64_t truth;
  switch (result) {
  case Type::F32:
    truth = 0x3f800000;
    break;
  case Type::F16:
  case Type::F16x2:
    truth = 0x3c00;
    break;
  case Type::BF16:
  case Type::BF16x2:
    truth = 0x3f80;
    break;
  default:
    truth = packedSource || sizeOf(result) == 2 ? 0xffff : ~0u;
    break;
  }
  b.inst.imm |= int64_t(truth << 32) | (packedSource ? PackedSource : 0) |
                (sizeOf(result) == 2 ? NarrowResult : 0);
  b.inst.compare = select(type, compareWord(b), b.has("ftz"));
  b.inst.run = b.inst.compare ? runSet : nullptr;
}

template <class T>
void runSelp(Warp &warp, const Inst &inst, Mask mask) {
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b);
  Mask choice = warp.predicate(inst.c);
  eachLane<T>(warp, inst.d, mask, [=](unsigned l) { return choice >> l & 1 ? a[l] : b[l]; });
}
void selp(Builder &b) {
  Type type = b.type();
  b.expectCount(4);
  b.inst.a = b.source(1, type);
  b.inst.b = b.source(2, type);
  bool negated;
  b.inst.c = b.sourcePredicate(b.operand(3), negated);
  if (negated)
    b.fail("'!' is not allowed here");
  b.inst.d = b.destination(0, type);
  b.inst.run = sizeOf(type) == 2   ? runSelp<uint16_t>
               : sizeOf(type) == 4 ? runSelp<uint32_t>
                                   : runSelp<uint64_t>;
}

// c >= 0 picks a; NaN picks b and -0 counts as 0.
template <class T, class S, bool Ftz>
void runSlct(Warp &warp, const Inst &inst, Mask mask) {
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b);
  const S *c = warp.lanes<S>(inst.c);
  eachLane<T>(warp, inst.d, mask, [=](unsigned l) {
    S value = c[l];
    if constexpr (Ftz)
      value = flush(value);
    return value >= 0 ? a[l] : b[l];
  });
}
template <class T>
Executor slctOf(bool isFloat, bool ftz) {
  return !isFloat ? runSlct<T, int32_t, false>
         : ftz    ? runSlct<T, float, true>
                  : runSlct<T, float, false>;
}
void slct(Builder &b) {
  Type type = b.type(0), condition = b.type(1);
  b.expectCount(4);
  b.inst.a = b.source(1, type);
  b.inst.b = b.source(2, type);
  b.inst.c = b.source(3, condition);
  b.inst.d = b.destination(0, type);
  bool isFloat = condition == Type::F32, ftz = b.has("ftz");
  b.inst.run = sizeOf(type) == 2   ? slctOf<uint16_t>(isFloat, ftz)
               : sizeOf(type) == 4 ? slctOf<uint32_t>(isFloat, ftz)
                                   : slctOf<uint64_t>(isFloat, ftz);
}

#define BOOL "?{and|or|xor}"
#define FLOATCMP "{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}"
#define ANY ".{b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64}"
const Form forms[] = {
    {"setp.{eq|ne}" BOOL ".{b16|b32|b64}", "p[|q], a, b[, [!]c]", "setp", 63, 75, setp},
    {"setp.{eq|ne|lt|le|gt|ge}" BOOL ".{s16|s32|s64}", "p[|q], a, b[, [!]c]", "setp", 63, 75, setp},
    {"setp.{eq|ne|lt|le|gt|ge|lo|ls|hi|hs}" BOOL ".{u16|u32|u64}", "p[|q], a, b[, [!]c]", "setp",
     63, 75, setp},
    {"setp." FLOATCMP BOOL "?ftz.f32", "p[|q], a, b[, [!]c]", "setp", 63, 75, setp},
    {"setp." FLOATCMP BOOL ".f64", "p[|q], a, b[, [!]c]", "setp", 63, 75, setp},
    {"setp." FLOATCMP BOOL "?ftz.f16", "p, a, b[, [!]c]", "setp (half)", 63, 75, setp},
    {"setp." FLOATCMP BOOL "?ftz.f16x2", "p|q, a, b[, [!]c]", "setp (half)", 63, 75, setp},
    {"setp." FLOATCMP BOOL ".bf16", "p, a, b[, [!]c]", "setp (half)", 78, 90, setp},
    {"setp." FLOATCMP BOOL ".bf16x2", "p|q, a, b[, [!]c]", "setp (half)", 78, 90, setp},
    {"set.{eq|ne}" BOOL ".{u32|s32|f32}.{b16|b32|b64}", "d, a, b[, [!]c]", "set", 63, 75, set},
    {"set.{eq|ne|lt|le|gt|ge}" BOOL ".{u32|s32|f32}.{s16|s32|s64}", "d, a, b[, [!]c]", "set", 63,
     75, set},
    {"set.{eq|ne|lt|le|gt|ge|lo|ls|hi|hs}" BOOL ".{u32|s32|f32}.{u16|u32|u64}", "d, a, b[, [!]c]",
     "set", 63, 75, set},
    {"set." FLOATCMP BOOL "?ftz.{u32|s32|f32}.f32", "d, a, b[, [!]c]", "set", 63, 75, set},
    {"set." FLOATCMP BOOL ".{u32|s32|f32}.f64", "d, a, b[, [!]c]", "set", 63, 75, set},
    {"set." FLOATCMP BOOL "?ftz.{f16|u16|s16|u32|s32}.f16", "d, a, b[, [!]c]", "set (half)", 63, 75,
     set},
    {"set." FLOATCMP BOOL "?ftz.{f16x2|u32|s32}.f16x2", "d, a, b[, [!]c]", "set (half)", 63, 75,
     set},
    {"set." FLOATCMP BOOL ".{bf16|u16|s16|u32|s32}.bf16", "d, a, b[, [!]c]", "set (half)", 78, 90,
     set},
    {"set." FLOATCMP BOOL ".{bf16x2|u32|s32}.bf16x2", "d, a, b[, [!]c]", "set (half)", 78, 90, set},
    {"selp" ANY, "d, a, b, c", "selp", 63, 75, selp},
    {"slct" ANY ".s32", "d, a, b, c", "slct", 63, 75, slct},
    {"slct?ftz" ANY ".f32", "d, a, b, c", "slct", 63, 75, slct},
};
#undef BOOL
#undef FLOATCMP
#undef ANY

} // namespace

std::span<const Form> ptxsim::compareForms() { return forms; }
