// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where lanes and warps wait for each other: `.sync` instructions with a member mask, barriers.

#include "exec/Launch.h"

#include <algorithm>
#include <bit>

using namespace ptxsim;

static std::string maskText(Mask mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

// PTX ISA, "shfl.sync", "vote.sync", "bar.warp.sync": an executing thread waits until all
// non-exited threads of its member mask have executed the same instruction with the same mask; a
// thread that is not in its own mask has undefined behaviour.
bool Warp::sync(Group &group, const Inst &inst, Mask mask) {
  if (!splitGuard(group, mask))
    return true;
  const Mask *members = lanes<Mask>(inst.e);
  Mask first = members[std::countr_zero(mask)];
  bool same = true;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    same &= members[lane] == first;
    if (!(members[lane] >> lane & 1))
      report(Finding::MissingLanes, inst, int(lane),
             "Member mask " + maskText(members[lane]) + " does not name the executing lane " +
                 std::to_string(lane));
  }
  if (same && (first & alive) == mask) {
    inst.run(*this, inst, mask);
    ++group.pc;
    return true;
  }
  group.state = Group::AtSync;
  retrySyncs();
  return false;
}

void Warp::retrySyncs() {
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].state != Group::AtSync)
      continue;
    uint32_t pc = groups[i].pc;
    Frame *frame = groups[i].frame;
    auto here = [&](const Group &group) {
      return group.state == Group::AtSync && group.pc == pc && group.frame == frame;
    };
    Mask waiting = 0, done = 0;
    for (const Group &group : groups)
      if (here(group))
        waiting |= group.mask;
    const Inst &inst = frame->code->insts[pc];
    uint8_t *saved = regs;
    regs = frame->regs;
    // Read before anything runs: a result may overwrite the register that holds the mask.
    Mask members[warpSize];
    std::copy_n(lanes<Mask>(inst.e), warpSize, members);
    for (Mask rest = waiting; rest;) {
      Mask want = members[std::countr_zero(rest)], have = 0;
      for (Mask each = rest; each; each &= each - 1)
        if (members[std::countr_zero(each)] == want)
          have |= each & -each;
      rest &= ~have;
      if ((want & alive) == have) {
        inst.run(*this, inst, have);
        done |= have;
      }
    }
    regs = saved;
    if (!done)
      continue;
    size_t count = groups.size();
    for (size_t j = 0; j < count; ++j) {
      Group &group = groups[j];
      if (!here(group) || !(group.mask & done))
        continue;
      Mask through = group.mask & done;
      if (through != group.mask) {
        Group &rest = newGroup();
        rest = group;
        rest.mask &= ~done;
        group.mask = through;
      }
      group.state = Group::Ready;
      ++group.pc;
      arriveIfAtJoin(group);
    }
  }
}

bool Warp::barrier(Group &group, const Inst &inst, Mask mask) {
  if (!splitGuard(group, mask))
    return true;
  unsigned leader = unsigned(std::countr_zero(mask));
  uint32_t number = lanes<uint32_t>(inst.a)[leader];
  uint32_t count = inst.b ? lanes<uint32_t>(inst.b)[leader] : 0;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    if (lanes<uint32_t>(inst.a)[lane] != number ||
        (inst.b && lanes<uint32_t>(inst.b)[lane] != count))
      report(Finding::BarrierDivergence, inst, int(lane),
             "Barrier number or thread count differs within a warp");
  }
  if (number >= 16)
    report(Finding::BarrierDivergence, inst, int(leader),
           "Barrier number: expected 0 to 15, got " + std::to_string(number));
  if (inst.b && (count == 0 || count % warpSize != 0))
    report(Finding::BarrierDivergence, inst, int(leader),
           "Barrier thread count: expected a positive multiple of 32, got " +
               std::to_string(count));
  group.barrier = uint8_t(number);
  if (launch.stats)
    ++launch.stats->barriers;
  if (inst.aligned) {
    group.state = Group::AtBarrier;
    group.counted = false;
    checkAlignedBarrier();
    return false;
  }
  Mask truths = 0;
  if (inst.barrier >= BarrierKind::RedPopc)
    truths = (inst.imm ? ~predicate(inst.c) : predicate(inst.c)) & mask;
  uint32_t threads = uint32_t(std::popcount(mask));
  if (inst.barrier == BarrierKind::Arrive) {
    ++group.pc;
    block.arrive(*this, inst, number, count, mask, threads, 0);
    return true;
  }
  group.state = Group::AtBarrier;
  group.counted = true;
  block.arrive(*this, inst, number, count, mask, threads, uint32_t(std::popcount(truths)));
  return false;
}

// PTX ISA, "bar, barrier": with .aligned all threads of the warp execute the same barrier
// instruction, and the count goes up by the warp size.
void Warp::checkAlignedBarrier() {
  for (size_t i = 0; i < groups.size(); ++i) {
    Group &first = groups[i];
    if (first.state != Group::AtBarrier || first.counted)
      continue;
    const Inst &inst = first.frame->code->insts[first.pc];
    if (!inst.aligned)
      continue;
    Mask here = 0, truths = 0;
    for (Group &group : groups)
      if (group.state == Group::AtBarrier && !group.counted && group.pc == first.pc &&
          group.frame->code == first.frame->code && group.barrier == first.barrier) {
        here |= group.mask;
        Mask value = inst.barrier >= BarrierKind::RedPopc
                         ? *reinterpret_cast<Mask *>(group.frame->regs + inst.c)
                         : 0;
        truths |= (inst.imm ? ~value : value) & group.mask;
      }
    if (here != alive)
      continue;
    if (alive != initial)
      report(Finding::BarrierDivergence, inst, std::countr_zero(here),
             "Aligned barrier executed by a part of its warp",
             {"lanes " + maskText(here) + " execute it",
              "lanes " + maskText(initial & ~alive) + " have left the kernel"});
    bool arriveOnly = inst.barrier == BarrierKind::Arrive;
    uint32_t number = first.barrier;
    uint32_t count =
        inst.b
            ? reinterpret_cast<uint32_t *>(first.frame->regs + inst.b)[std::countr_zero(first.mask)]
            : 0;
    for (Group &group : groups)
      if (group.state == Group::AtBarrier && !group.counted && (group.mask & here)) {
        group.counted = true;
        if (arriveOnly) {
          group.state = Group::Ready;
          ++group.pc;
          arriveIfAtJoin(group);
        }
      }
    block.arrive(*this, inst, number, count, here,
                 inst.b ? warpSize : uint32_t(std::popcount(here)),
                 uint32_t(std::popcount(truths)));
    return;
  }
}

void Warp::openBarrier(uint32_t number, uint32_t population, bool all, bool any) {
  size_t count = groups.size();
  for (size_t i = 0; i < count; ++i) {
    Group &group = groups[i];
    if (group.state != Group::AtBarrier || !group.counted || group.barrier != number)
      continue;
    const Inst &inst = group.frame->code->insts[group.pc];
    if (inst.barrier >= BarrierKind::RedPopc) {
      for (Mask rest = group.mask; rest; rest &= rest - 1) {
        unsigned lane = unsigned(std::countr_zero(rest));
        if (inst.barrier == BarrierKind::RedPopc) {
          reinterpret_cast<uint32_t *>(group.frame->regs + inst.d)[lane] = population;
        } else {
          Mask &result = *reinterpret_cast<Mask *>(group.frame->regs + inst.p);
          bool value = inst.barrier == BarrierKind::RedAnd ? all : any;
          result = value ? result | Mask(1) << lane : result & ~(Mask(1) << lane);
        }
      }
    }
    group.state = Group::Ready;
    group.counted = false;
    ++group.pc;
    arriveIfAtJoin(group);
  }
}
