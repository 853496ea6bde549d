// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executors of element-wise instructions, instantiated by the families for each type.

#ifndef PTXSIM_DECODE_EXEC_H
#define PTXSIM_DECODE_EXEC_H

#include "decode/Builder.h"
#include "exec/Lanes.h"

#include <type_traits>

namespace ptxsim {

/// Arithmetic type without promotion surprises: uint32_t or uint64_t.
template <class T>
using Plain = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T, class Op, class R = T>
void run1(Warp &warp, const Inst &inst, Mask mask) {
  const T *a = warp.lanes<T>(inst.a);
  eachLane<R>(warp, inst.d, mask, [=](unsigned l) -> R { return Op::f(a[l]); });
}
template <class T, class Op, class R = T>
void run2(Warp &warp, const Inst &inst, Mask mask) {
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b);
  eachLane<R>(warp, inst.d, mask, [=](unsigned l) -> R { return Op::f(a[l], b[l]); });
}
template <class T, class Op>
void run3(Warp &warp, const Inst &inst, Mask mask) {
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b), *c = warp.lanes<T>(inst.c);
  eachLane<T>(warp, inst.d, mask, [=](unsigned l) -> T { return Op::f(a[l], b[l], c[l]); });
}

/// The executor of one integer or bit type. `Pick<T>::value` names it.
template <template <class> class Pick>
Executor byIntegerType(Type type) {
  switch (type) {
  case Type::U16:
  case Type::B16:
    return Pick<uint16_t>::value;
  case Type::S16:
    return Pick<int16_t>::value;
  case Type::U32:
  case Type::B32:
    return Pick<uint32_t>::value;
  case Type::S32:
    return Pick<int32_t>::value;
  case Type::U64:
  case Type::B64:
    return Pick<uint64_t>::value;
  case Type::S64:
    return Pick<int64_t>::value;
  default:
    return nullptr;
  }
}

template <class Op>
struct Run1 {
  template <class T>
  struct Pick {
    static constexpr Executor value = run1<T, Op>;
  };
};
template <class Op>
struct Run2 {
  template <class T>
  struct Pick {
    static constexpr Executor value = run2<T, Op>;
  };
};
template <class Op>
struct Run3 {
  template <class T>
  struct Pick {
    static constexpr Executor value = run3<T, Op>;
  };
};

/// d, a, …: `count` sources, all of the instruction's type.
inline void sameTypeOperands(Builder &b, size_t count, Type type) {
  b.expectCount(count + 1);
  // Sources first: a destination that is also a source was read before it is written.
  uint32_t *fields[] = {&b.inst.a, &b.inst.b, &b.inst.c};
  for (size_t i = 0; i < count; ++i)
    *fields[i] = b.source(i + 1, type);
  b.inst.d = b.destination(0, type);
}

template <class Op>
void integer1(Builder &b) {
  sameTypeOperands(b, 1, b.type());
  b.inst.run = byIntegerType<Run1<Op>::template Pick>(b.type());
}
template <class Op>
void integer2(Builder &b) {
  sameTypeOperands(b, 2, b.type());
  b.inst.run = byIntegerType<Run2<Op>::template Pick>(b.type());
}
template <class Op>
void integer3(Builder &b) {
  sameTypeOperands(b, 3, b.type());
  b.inst.run = byIntegerType<Run3<Op>::template Pick>(b.type());
}

} // namespace ptxsim

#endif
