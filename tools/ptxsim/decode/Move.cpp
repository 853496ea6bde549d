// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mov, address conversions (PTX ISA, "mov", "cvta", "isspacep").

#include "decode/Exec.h"

#include "exec/Launch.h"

using namespace ptxsim;

namespace {

template <class T>
void runMove(Warp &warp, const Inst &inst, Mask mask) {
  const T *a = warp.lanes<T>(inst.a);
  eachLane<T>(warp, inst.d, mask, [=](unsigned l) { return a[l]; });
}
Executor moveOf(unsigned bytes) {
  switch (bytes) {
  case 1:
    return runMove<uint8_t>;
  case 2:
    return runMove<uint16_t>;
  case 4:
    return runMove<uint32_t>;
  case 8:
    return runMove<uint64_t>;
  default:
    return runMove<unsigned __int128>;
  }
}

/// Parts of a register: v[0] … v[vector-1] with elementBytes each, the first lowest.
void runPack(Warp &warp, const Inst &inst, Mask mask) {
  unsigned part = inst.elementBytes, whole = part * inst.vector;
  uint8_t *out = warp.lanes<uint8_t>(inst.d);
  forLanes(mask, [&](unsigned l) {
    uint8_t bytes[16];
    for (unsigned i = 0; i < inst.vector; ++i)
      std::memcpy(bytes + i * part, warp.lanes<uint8_t>(inst.v[i]) + l * part, part);
    std::memcpy(out + l * whole, bytes, whole);
  });
}
void runPack2x32(Warp &warp, const Inst &inst, Mask mask) {
  const uint32_t *low = warp.lanes<uint32_t>(inst.v[0]), *high = warp.lanes<uint32_t>(inst.v[1]);
  eachLane<uint64_t>(warp, inst.d, mask,
                     [=](unsigned l) { return uint64_t(high[l]) << 32 | low[l]; });
}
void runUnpack(Warp &warp, const Inst &inst, Mask mask) {
  unsigned part = inst.elementBytes, whole = part * inst.vector;
  const uint8_t *a = warp.lanes<uint8_t>(inst.a);
  forLanes(mask, [&](unsigned l) {
    uint8_t bytes[16];
    std::memcpy(bytes, a + l * whole, whole);
    for (unsigned i = 0; i < inst.vector; ++i)
      std::memcpy(warp.lanes<uint8_t>(inst.v[i]) + l * part, bytes + i * part, part);
  });
}
void runUnpack2x32(Warp &warp, const Inst &inst, Mask mask) {
  const uint64_t *a = warp.lanes<uint64_t>(inst.a);
  eachLane<uint32_t>(warp, inst.v[0], mask, [=](unsigned l) { return uint32_t(a[l]); });
  eachLane<uint32_t>(warp, inst.v[1], mask, [=](unsigned l) { return uint32_t(a[l] >> 32); });
}

Type bitsOf(unsigned bytes) {
  switch (bytes) {
  case 1:
    return Type::B8;
  case 2:
    return Type::B16;
  case 4:
    return Type::B32;
  default:
    return Type::B64;
  }
}

void vectorMove(Builder &b, Type type, bool packs) {
  const Operand &list = b.operand(packs ? 1 : 0);
  size_t parts = list.parts.size();
  if ((parts != 2 && parts != 4) || sizeOf(type) % parts != 0 || sizeOf(type) / parts > 8)
    b.fail("expected a vector of 2 or 4 parts of ." + std::string(nameOf(type)) + ", got " +
           std::to_string(parts));
  unsigned part = sizeOf(type) / unsigned(parts);
  b.inst.vector = uint8_t(parts);
  b.inst.elementBytes = uint8_t(part);
  if (packs) {
    for (size_t i = 0; i < parts; ++i)
      b.inst.v[i] = b.source(list.parts[i], bitsOf(part));
    b.inst.d = b.destination(0, type);
    b.inst.run = parts == 2 && part == 4 ? runPack2x32 : runPack;
  } else {
    b.inst.a = b.source(1, type);
    for (size_t i = 0; i < parts; ++i)
      b.inst.v[i] = b.destination(list.parts[i], bitsOf(part));
    b.inst.run = parts == 2 && part == 4 ? runUnpack2x32 : runUnpack;
  }
}

enum class Timer { Clock, ClockHigh, Clock64, GlobalTimer, GlobalLow, GlobalHigh };
/// Clocks advance with the instructions of the warp: the same in every run.
template <Timer Kind>
void runTimer(Warp &warp, const Inst &inst, Mask mask) {
  uint64_t time = warp.executed + warp.launch.executed;
  bool wide = Kind == Timer::Clock64 || Kind == Timer::GlobalTimer;
  if (Kind == Timer::ClockHigh || Kind == Timer::GlobalHigh)
    time >>= 32;
  if (wide)
    eachLane<uint64_t>(warp, inst.d, mask, [=](unsigned) { return time; });
  else
    eachLane<uint32_t>(warp, inst.d, mask, [=](unsigned) { return uint32_t(time); });
  // Two reads never give the same time.
  ++warp.executed;
}
bool timer(Builder &b, Type type) {
  static constexpr struct {
    std::string_view name;
    unsigned bytes;
    Executor run;
  } table[] = {{"%clock", 4, runTimer<Timer::Clock>},
               {"%clock_hi", 4, runTimer<Timer::ClockHigh>},
               {"%clock64", 8, runTimer<Timer::Clock64>},
               {"%globaltimer", 8, runTimer<Timer::GlobalTimer>},
               {"%globaltimer_lo", 4, runTimer<Timer::GlobalLow>},
               {"%globaltimer_hi", 4, runTimer<Timer::GlobalHigh>}};
  for (const auto &row : table)
    if (b.operand(1).kind == Operand::Name && b.operand(1).text == row.name) {
      if (sizeOf(type) != row.bytes)
        b.fail("special register " + std::string(row.name) + " has " +
               std::to_string(8 * row.bytes) + " bits");
      b.inst.d = b.destination(0, type);
      b.inst.run = row.run;
      return true;
    }
  return false;
}

void mov(Builder &b) {
  Type type = b.type();
  b.expectCount(2);
  b.markMove();
  const Operand &to = b.operand(0), &from = b.operand(1);
  if (type == Type::Pred) {
    bool negated;
    if (from.kind == Operand::Integer) {
      // mov.pred p, 0 or 1.
      b.inst.imm = from.bits != 0;
      b.inst.d = b.destinationPredicate(to);
      b.inst.run = [](Warp &warp, const Inst &inst, Mask mask) {
        setPredicate(warp, inst.d, mask, inst.imm ? fullMask : 0);
      };
      return;
    }
    b.inst.a = b.sourcePredicate(from, negated);
    b.inst.imm = negated;
    b.inst.d = b.destinationPredicate(to);
    b.inst.run = [](Warp &warp, const Inst &inst, Mask mask) {
      Mask value = warp.predicate(inst.a);
      setPredicate(warp, inst.d, mask, inst.imm ? ~value : value);
    };
    return;
  }
  if (from.kind == Operand::Vector || to.kind == Operand::Vector) {
    vectorMove(b, type, from.kind == Operand::Vector);
    return;
  }
  if (timer(b, type))
    return;
  Space space;
  if (from.kind == Operand::Name && from.member.empty() &&
      b.function.findRegister(b.ast.scope, from.text) < 0 &&
      b.symbolAddress(from.text, from.offset, b.inst.a, space)) {
    if (isFloat(type) || sizeOf(type) < 4)
      b.fail("an address does not fit ." + std::string(nameOf(type)));
    if (sizeOf(type) == 4 && space != Space::Shared && space != Space::Local &&
        space != Space::Param)
      b.fail("the address of '" + from.text + "' needs 64 bits");
    b.inst.d = b.destination(0, type);
    b.inst.run = sizeOf(type) == 8 ? moveOf(8) : [](Warp &warp, const Inst &inst, Mask mask) {
      const uint64_t *a = warp.lanes<uint64_t>(inst.a);
      eachLane<uint32_t>(warp, inst.d, mask, [=](unsigned l) { return uint32_t(a[l]); });
    };
    return;
  }
  b.inst.a = b.source(1, type);
  b.inst.d = b.destination(0, type);
  b.inst.run = moveOf(sizeOf(type));
}

uint64_t windowOf(Builder &b) {
  if (b.has("shared") || b.has("shared::cta"))
    return sharedWindow;
  if (b.has("local"))
    return localWindow;
  return b.has("param") || b.has("param::entry") ? paramWindow : 0;
}

/// d = a + imm
void runOffset(Warp &warp, const Inst &inst, Mask mask) {
  const uint64_t *a = warp.lanes<uint64_t>(inst.a);
  uint64_t offset = uint64_t(inst.imm);
  eachLane<uint64_t>(warp, inst.d, mask, [=](unsigned l) { return a[l] + offset; });
}
void cvta(Builder &b) {
  b.expectCount(2);
  uint64_t window = windowOf(b);
  const Operand &from = b.operand(1);
  Space space;
  if (!(from.kind == Operand::Name && from.member.empty() &&
        b.function.findRegister(b.ast.scope, from.text) < 0 &&
        b.symbolAddress(from.text, from.offset, b.inst.a, space)))
    b.inst.a = b.source(1, Type::U64);
  b.inst.d = b.destination(0, Type::U64);
  b.inst.imm = int64_t(b.has("to") ? 0 - window : window);
  b.inst.run = runOffset;
}

void isspacep(Builder &b) {
  b.expectCount(2);
  b.inst.a = b.source(1, Type::U64);
  b.inst.p = b.destinationPredicate(b.operand(0));
  b.inst.imm = int64_t(windowOf(b));
  bool constant = b.has("const");
  if (constant)
    b.inst.run = [](Warp &warp, const Inst &inst, Mask mask) {
      const uint64_t *a = warp.lanes<uint64_t>(inst.a);
      Mask value = 0;
      forLanes(mask, [&](unsigned l) {
        Allocation *found = warp.launch.memory.find(a[l]);
        value |= Mask(found && found->kind == AllocationKind::Constant) << l;
      });
      setPredicate(warp, inst.p, mask, value);
    };
  else
    b.inst.run = [](Warp &warp, const Inst &inst, Mask mask) {
      const uint64_t *a = warp.lanes<uint64_t>(inst.a);
      uint64_t window = uint64_t(inst.imm);
      // Global is everything outside the windows.
      setPredicate(warp, inst.p, mask, gatherMask([=](unsigned l) {
                     return window ? a[l] - window < windowBytes
                                   : a[l] - sharedWindow >= windowBytes &&
                                         a[l] - localWindow >= windowBytes &&
                                         a[l] - paramWindow >= windowBytes;
                   }));
    };
}

#define SPACES ".{global|shared|shared::cta|local|const|param|param::entry}"
const Form forms[] = {
    {"mov.{pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64}", "d, a", "mov", 63, 75, mov},
    {"mov.b128", "d, a", "mov", 83, 75, mov},
    {"cvta" SPACES ".u64", "d, a", "cvta", 63, 75, cvta},
    {"cvta.to" SPACES ".u64", "d, a", "cvta", 63, 75, cvta},
    {"isspacep" SPACES, "p, a", "isspacep", 63, 75, isspacep},
};
#undef SPACES

} // namespace

std::span<const Form> ptxsim::moveForms() { return forms; }
