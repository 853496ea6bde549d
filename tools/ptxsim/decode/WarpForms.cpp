// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of the lanes of a warp among each other (PTX ISA, "shfl.sync", "vote.sync",
// "match.sync", "redux.sync", "activemask", "elect.sync", "bar.warp.sync"). The mask that an
// executor gets is exactly the set of lanes that take part.

#include "decode/Exec.h"
#include "exec/Launch.h"

#include <algorithm>

using namespace ptxsim;

namespace {

void memberMask(Builder &b, size_t index) {
  b.inst.flow = Flow::Sync;
  b.inst.e = b.source(index, Type::B32);
}

enum class Shuffle { Up, Down, Butterfly, Index };

template <Shuffle Mode>
void runShuffle(Warp &warp, const Inst &inst, Mask mask) {
  uint32_t a[warpSize], b[warpSize], c[warpSize];
  std::copy_n(warp.lanes<uint32_t>(inst.a), warpSize, a);
  std::copy_n(warp.lanes<uint32_t>(inst.b), warpSize, b);
  std::copy_n(warp.lanes<uint32_t>(inst.c), warpSize, c);
  uint32_t *out = warp.lanes<uint32_t>(inst.d);
  Mask valid = 0;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    unsigned amount = b[lane] & 31, clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
    unsigned most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int from;
    bool inRange;
    switch (Mode) {
    case Shuffle::Up:
      from = int(lane) - int(amount);
      inRange = from >= int(most);
      break;
    case Shuffle::Down:
      from = int(lane + amount);
      inRange = from <= int(most);
      break;
    case Shuffle::Butterfly:
      from = int(lane ^ amount);
      inRange = from <= int(most);
      break;
    case Shuffle::Index:
      from = int(least | (amount & ~segment));
      inRange = from <= int(most);
      break;
    }
    if (!inRange)
      from = int(lane);
    valid |= Mask(inRange) << lane;
    if (!(mask >> from & 1))
      warp.report(Finding::InactiveLane, inst, int(lane),
                  "Shuffle from lane " + std::to_string(from) + ", which does not take part");
    out[lane] = a[from];
  }
  if (inst.p)
    setPredicate(warp, inst.p, mask, valid);
}
void shfl(Builder &b) {
  b.expectCount(5);
  const Operand &target = b.operand(0);
  b.inst.a = b.source(1, Type::B32);
  b.inst.b = b.source(2, Type::B32);
  b.inst.c = b.source(3, Type::B32);
  memberMask(b, 4);
  if (target.kind == Operand::Pair) {
    b.inst.d = b.destination(target.parts[0], Type::B32);
    b.inst.p = b.destinationPredicate(target.parts[1]);
  } else {
    b.inst.d = b.destination(target, Type::B32);
  }
  b.inst.run = b.has("up")     ? runShuffle<Shuffle::Up>
               : b.has("down") ? runShuffle<Shuffle::Down>
               : b.has("bfly") ? runShuffle<Shuffle::Butterfly>
                               : runShuffle<Shuffle::Index>;
}

enum : int64_t { All = 0, Any = 1, Uni = 2, Negated = 4 };
Mask votes(Warp &warp, const Inst &inst, Mask mask) {
  Mask value = warp.predicate(inst.a);
  return (inst.imm & Negated ? ~value : value) & mask;
}
void runVote(Warp &warp, const Inst &inst, Mask mask) {
  Mask value = votes(warp, inst, mask);
  bool result = false;
  switch (inst.imm & 3) {
  case All:
    result = value == mask;
    break;
  case Any:
    result = value != 0;
    break;
  default:
    result = value == 0 || value == mask;
    break;
  }
  setPredicate(warp, inst.p, mask, result ? fullMask : 0);
}
void runBallot(Warp &warp, const Inst &inst, Mask mask) {
  Mask value = votes(warp, inst, mask);
  eachLane<uint32_t>(warp, inst.d, mask, [=](unsigned) { return value; });
}
void vote(Builder &b) {
  b.expectCount(3);
  bool negated;
  b.inst.a = b.sourcePredicate(b.operand(1), negated);
  memberMask(b, 2);
  b.inst.imm = (b.has("any") ? Any : b.has("uni") ? Uni : All) | (negated ? Negated : 0);
  if (b.has("ballot")) {
    b.inst.d = b.destination(0, Type::B32);
    b.inst.run = runBallot;
  } else {
    b.inst.p = b.destinationPredicate(b.operand(0));
    b.inst.run = runVote;
  }
}

template <class T, bool All>
void runMatch(Warp &warp, const Inst &inst, Mask mask) {
  T a[warpSize];
  std::copy_n(warp.lanes<T>(inst.a), warpSize, a);
  bool same = true;
  forLanes(mask, [&](unsigned l) { same &= a[l] == a[std::countr_zero(mask)]; });
  forLanes(mask, [&](unsigned l) {
    Mask equal = 0;
    if (All)
      equal = same ? mask : 0;
    else
      forLanes(mask, [&](unsigned k) { equal |= Mask(a[k] == a[l]) << k; });
    warp.lanes<uint32_t>(inst.d)[l] = equal;
  });
  if (All && inst.p)
    setPredicate(warp, inst.p, mask, same ? fullMask : 0);
}
void match(Builder &b) {
  Type type = b.type();
  b.expectCount(3);
  b.inst.a = b.source(1, type);
  memberMask(b, 2);
  const Operand &target = b.operand(0);
  bool all = b.has("all");
  if (target.kind == Operand::Pair && all) {
    b.inst.d = b.destination(target.parts[0], Type::B32);
    b.inst.p = b.destinationPredicate(target.parts[1]);
  } else {
    b.inst.d = b.destination(0, Type::B32);
  }
  b.inst.run = type == Type::B32 ? (all ? runMatch<uint32_t, true> : runMatch<uint32_t, false>)
                                 : (all ? runMatch<uint64_t, true> : runMatch<uint64_t, false>);
}

template <class T>
void runRedux(Warp &warp, const Inst &inst, Mask mask) {
  const T *a = warp.lanes<T>(inst.a);
  T result = a[std::countr_zero(mask)];
  for (Mask rest = mask & (mask - 1); rest; rest &= rest - 1) {
    T next = a[std::countr_zero(rest)];
    switch (inst.imm) {
    case 0:
      result = T(uint32_t(result) + uint32_t(next));
      break;
    case 1:
      result = std::min(result, next);
      break;
    case 2:
      result = std::max(result, next);
      break;
    case 3:
      result &= next;
      break;
    case 4:
      result |= next;
      break;
    default:
      result ^= next;
      break;
    }
  }
  eachLane<T>(warp, inst.d, mask, [=](unsigned) { return result; });
}
void redux(Builder &b) {
  Type type = b.type();
  b.expectCount(3);
  b.inst.a = b.source(1, type);
  memberMask(b, 2);
  b.inst.d = b.destination(0, type);
  static constexpr std::string_view names[] = {"add", "min", "max", "and", "or", "xor"};
  for (unsigned i = 0; i < 6; ++i)
    if (b.has(names[i]))
      b.inst.imm = i;
  b.inst.run = type == Type::S32 ? runRedux<int32_t> : runRedux<uint32_t>;
}

void activemask(Builder &b) {
  b.expectCount(1);
  b.inst.d = b.destination(0, Type::B32);
  b.inst.run = [](Warp &warp, const Inst &inst, Mask mask) {
    eachLane<uint32_t>(warp, inst.d, mask, [=](unsigned) { return mask; });
  };
}
void elect(Builder &b) {
  b.expectCount(2);
  const Operand &target = b.operand(0);
  if (target.kind != Operand::Pair)
    b.fail("expected a pair d|p");
  memberMask(b, 1);
  b.inst.d = b.destination(target.parts[0], Type::B32);
  b.inst.p = b.destinationPredicate(target.parts[1]);
  // Any leader is allowed; always the first one, so that runs repeat.
  b.inst.run = [](Warp &warp, const Inst &inst, Mask mask) {
    unsigned leader = unsigned(std::countr_zero(mask));
    eachLane<uint32_t>(warp, inst.d, mask, [=](unsigned) { return leader; });
    setPredicate(warp, inst.p, mask, Mask(1) << leader);
  };
}
void warpBarrier(Builder &b) {
  b.expectCount(1);
  memberMask(b, 0);
  b.inst.run = [](Warp &warp, const Inst &, Mask mask) {
    if (warp.launch.race)
      warp.launch.race->warpSync(warp.clock, mask);
  };
}

const Form forms[] = {
    {"shfl.sync.{up|down|bfly|idx}.b32", "d[|p], a, b, c, members", "shfl.sync", 63, 75, shfl},
    {"vote.sync.{all|any|uni}.pred", "p, [!]a, members", "vote.sync", 63, 75, vote},
    {"vote.sync.ballot.b32", "d, [!]a, members", "vote.sync", 63, 75, vote},
    {"match.any.sync.{b32|b64}", "d, a, members", "match.sync", 63, 75, match},
    {"match.all.sync.{b32|b64}", "d[|p], a, members", "match.sync", 63, 75, match},
    {"redux.sync.{add|min|max}.{u32|s32}", "d, a, members", "redux.sync", 70, 80, redux},
    {"redux.sync.{and|or|xor}.b32", "d, a, members", "redux.sync", 70, 80, redux},
    {"activemask.b32", "d", "activemask", 63, 75, activemask},
    {"elect.sync", "d|p, members", "elect.sync", 80, 90, elect},
    {"bar.warp.sync", "members", "bar.warp.sync", 63, 75, warpBarrier},
};

} // namespace

std::span<const Form> ptxsim::warpForms() { return forms; }
