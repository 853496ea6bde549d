// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extended precision (PTX ISA, "Extended-Precision Integer Arithmetic Instructions"). CC.CF is one
// predicate of the frame. Subtraction adds the complement, so after sub.cc the flag is the carry of
// that sum, the opposite of a borrow; subc takes it the same way.

#include "decode/Exec.h"

using namespace ptxsim;

namespace {

/// d = a + (b or ~b) + carry; all four extended-precision additions are this.
template <class T, bool Subtract, bool CarryIn, bool CarryOut>
void addCarry(Warp &warp, const Inst &inst, Mask mask) {
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b);
  Mask flag = warp.predicate(inst.p), out = 0;
  T result[warpSize];
  for (unsigned l = 0; l < warpSize; ++l) {
    unsigned __int128 sum = a[l];
    sum += Subtract ? T(~b[l]) : b[l];
    sum += CarryIn ? flag >> l & 1 : Subtract;
    result[l] = T(sum);
    out |= Mask(sum >> (8 * sizeof(T)) & 1) << l;
  }
  eachLane<T>(warp, inst.d, mask, [&](unsigned l) { return result[l]; });
  if (CarryOut)
    setPredicate(warp, inst.p, mask, out);
}

template <class T, bool High, bool CarryIn, bool CarryOut>
void madCarry(Warp &warp, const Inst &inst, Mask mask) {
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b), *c = warp.lanes<T>(inst.c);
  using U = std::make_unsigned_t<T>;
  Mask flag = warp.predicate(inst.p), out = 0;
  T result[warpSize];
  for (unsigned l = 0; l < warpSize; ++l) {
    __int128 product = __int128(a[l]) * __int128(b[l]);
    if constexpr (std::is_unsigned_v<T>)
      product = __int128((unsigned __int128)(a[l]) * (unsigned __int128)(b[l]));
    U part =
        U(High ? (unsigned __int128)(product) >> (8 * sizeof(T)) : (unsigned __int128)(product));
    unsigned __int128 sum = part;
    sum += U(c[l]);
    sum += CarryIn ? flag >> l & 1 : 0;
    result[l] = T(sum);
    out |= Mask(sum >> (8 * sizeof(T)) & 1) << l;
  }
  eachLane<T>(warp, inst.d, mask, [&](unsigned l) { return result[l]; });
  if (CarryOut)
    setPredicate(warp, inst.p, mask, out);
}

/// The flag is named like no register that PTX text can declare, and tracked like one.
uint32_t carryFlag(Builder &b, bool reads, bool writes) {
  return b.hiddenPredicate("%CC.CF", reads, writes);
}

template <bool Subtract, bool CarryIn, bool CarryOut>
void add(Builder &b) {
  Type type = b.type();
  sameTypeOperands(b, 2, type);
  b.inst.p = carryFlag(b, CarryIn, CarryOut);
  b.inst.run = sizeOf(type) == 4 ? addCarry<uint32_t, Subtract, CarryIn, CarryOut>
                                 : addCarry<uint64_t, Subtract, CarryIn, CarryOut>;
}

template <bool High, bool CarryIn, bool CarryOut>
void mad(Builder &b) {
  Type type = b.type();
  sameTypeOperands(b, 3, type);
  b.inst.p = carryFlag(b, CarryIn, CarryOut);
  switch (type) {
  case Type::U32:
    b.inst.run = madCarry<uint32_t, High, CarryIn, CarryOut>;
    break;
  case Type::S32:
    b.inst.run = madCarry<int32_t, High, CarryIn, CarryOut>;
    break;
  case Type::U64:
    b.inst.run = madCarry<uint64_t, High, CarryIn, CarryOut>;
    break;
  default:
    b.inst.run = madCarry<int64_t, High, CarryIn, CarryOut>;
    break;
  }
}

#define WORDS ".{u32|s32|u64|s64}"
const Form forms[] = {
    {"add.cc" WORDS, "d, a, b", "add.cc", 63, 75, add<false, false, true>},
    {"addc" WORDS, "d, a, b", "addc", 63, 75, add<false, true, false>},
    {"addc.cc" WORDS, "d, a, b", "addc", 63, 75, add<false, true, true>},
    {"sub.cc" WORDS, "d, a, b", "sub.cc", 63, 75, add<true, false, true>},
    {"subc" WORDS, "d, a, b", "subc", 63, 75, add<true, true, false>},
    {"subc.cc" WORDS, "d, a, b", "subc", 63, 75, add<true, true, true>},
    {"mad.lo.cc" WORDS, "d, a, b, c", "mad.cc", 63, 75, mad<false, false, true>},
    {"mad.hi.cc" WORDS, "d, a, b, c", "mad.cc", 63, 75, mad<true, false, true>},
    {"madc.lo" WORDS, "d, a, b, c", "madc", 63, 75, mad<false, true, false>},
    {"madc.hi" WORDS, "d, a, b, c", "madc", 63, 75, mad<true, true, false>},
    {"madc.lo.cc" WORDS, "d, a, b, c", "madc", 63, 75, mad<false, true, true>},
    {"madc.hi.cc" WORDS, "d, a, b, c", "madc", 63, 75, mad<true, true, true>},
};
#undef WORDS

} // namespace

std::span<const Form> ptxsim::wideIntegerForms() { return forms; }
