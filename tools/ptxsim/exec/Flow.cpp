// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow of a warp: divergence, reconvergence, calls, leaving.

#include "exec/Launch.h"

#include <bit>
#include <cstring>

using namespace ptxsim;

// More nested calls than any stack limit allows frames with a byte in them.
static constexpr size_t maxFrames = 2048;

/// False when the group does not go on by itself: it parked, ended, or joined others.
bool Warp::transfer(Group &group, const Inst &inst, Mask mask) {
  switch (inst.flow) {
  case Flow::Branch:
    return branch(group, inst, mask, inst.target);
  case Flow::Indexed:
    return indexed(group, inst, mask);
  case Flow::Call:
    return call(group, inst, mask);
  case Flow::CallIndirect:
    return callIndirect(group, inst, mask);
  case Flow::Barrier:
    return barrier(group, inst, mask);
  case Flow::Sync:
    return sync(group, inst, mask);
  case Flow::Trap:
    if (mask)
      report(Finding::Trap, inst, std::countr_zero(mask), "Trap");
    ++group.pc;
    return true;
  case Flow::Exit:
  case Flow::Return:
    if (!mask) {
      ++group.pc;
      return true;
    }
    if (inst.flow == Flow::Return && group.frame->caller) {
      Mask rest = group.mask & ~mask;
      Join *join = group.join;
      while (!join->callee) {
        // A return inside a region that others leave through its end: these lanes never get there.
        Join *parent = join->parent;
        join->expected &= ~mask;
        if (join->expected == join->arrived) {
          if (join->arrived)
            complete(join);
          else
            freeJoin(join);
        }
        join = parent;
      }
      moveBytes(join->site->results, group.frame, join->frame, mask);
      group.mask = rest;
      ++group.pc;
      if (!rest)
        group.state = Group::Dead;
      deposit(join, mask);
      return rest != 0;
    }
    leave(group, mask);
    return group.state != Group::Dead;
  case Flow::Plain:
    break;
  }
  return true;
}

Join *Warp::newJoin() {
  if (!freeJoins.empty()) {
    Join *join = freeJoins.back();
    freeJoins.pop_back();
    *join = Join();
    return join;
  }
  joins.emplace_back();
  return &joins.back();
}

void Warp::freeJoin(Join *join) {
  if (join->callee)
    freeFrame(join->callee);
  freeJoins.push_back(join);
}

static bool standsAt(const Group &group) {
  return group.join && !group.join->callee && group.join->pc == group.pc &&
         group.join->frame == group.frame;
}

bool Warp::arriveIfAtJoin(Group &group) {
  if (!standsAt(group) || group.state != Group::Ready)
    return false;
  Join *join = group.join;
  Mask lanes = group.mask;
  group.state = Group::Dead;
  deposit(join, lanes);
  return true;
}

void Warp::deposit(Join *join, Mask lanes) {
  join->arrived |= lanes;
  if (join->arrived == join->expected)
    complete(join);
}

void Warp::complete(Join *join) {
  Group &group = newGroup();
  group.pc = join->pc;
  group.mask = join->arrived;
  group.frame = join->frame;
  group.join = join->parent;
  freeJoin(join);
  // Two joins may stand at one place.
  arriveIfAtJoin(group);
}

bool Warp::branch(Group &group, const Inst &inst, Mask taken, uint32_t target) {
  Mask rest = group.mask & ~taken;
  if (!taken) {
    ++group.pc;
    return true;
  }
  if (!rest) {
    group.pc = target;
    return true;
  }
  if (inst.uniform)
    report(Finding::DivergentUniform, inst, std::countr_zero(taken),
           "Branch marked .uni diverges within its warp");
  if (launch.stats)
    ++launch.stats->divergentBranches;
  bool known = group.join && !group.join->callee && group.join->pc == inst.join &&
               group.join->frame == group.frame;
  if (inst.join != noJoin && !known) {
    Join *join = newJoin();
    join->pc = inst.join;
    join->expected = group.mask;
    join->frame = group.frame;
    join->parent = group.join;
    group.join = join;
  }
  Group &other = newGroup();
  other.frame = group.frame;
  other.join = group.join;
  bool takenFirst = !launch.options.seed || (launch.random() & 1);
  group.mask = takenFirst ? taken : rest;
  other.mask = takenFirst ? rest : taken;
  other.pc = takenFirst ? group.pc + 1 : target;
  group.pc = takenFirst ? target : group.pc + 1;
  arriveIfAtJoin(other);
  return true;
}

// PTX ISA, "brx.idx": behaviour is undefined for an index outside the table.
bool Warp::indexed(Group &group, const Inst &inst, Mask mask) {
  if (!mask) {
    ++group.pc;
    return true;
  }
  const std::vector<uint32_t> &table = group.frame->code->tables[inst.target];
  const uint32_t *indices = lanes<uint32_t>(inst.a);
  // Copied, because a lane's way is decided once.
  uint32_t ways[warpSize];
  std::copy(indices, indices + warpSize, ways);
  for (Mask left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    if (ways[lane] >= table.size())
      report(Finding::BadCall, inst, int(lane),
             "brx.idx index " + std::to_string(ways[lane]) + " outside its table of " +
                 std::to_string(table.size()) + " labels");
  }
  Mask left = mask;
  while (true) {
    uint32_t way = table[ways[std::countr_zero(left)]];
    Mask same = 0;
    for (Mask rest = left; rest; rest &= rest - 1)
      if (table[ways[std::countr_zero(rest)]] == way)
        same |= rest & -rest;
    left &= ~same;
    // Peels one target after the other off the group; what remains tries the next.
    if (same == group.mask) {
      group.pc = way;
      return true;
    }
    if (inst.uniform)
      report(Finding::DivergentUniform, inst, std::countr_zero(same),
             "Branch marked .uni diverges within its warp");
    bool known = group.join && !group.join->callee && group.join->pc == inst.join &&
                 group.join->frame == group.frame;
    if (inst.join != noJoin && !known) {
      Join *join = newJoin();
      join->pc = inst.join;
      join->expected = group.mask;
      join->frame = group.frame;
      join->parent = group.join;
      group.join = join;
    }
    Group &other = newGroup();
    other.frame = group.frame;
    other.join = group.join;
    other.mask = same;
    other.pc = way;
    arriveIfAtJoin(other);
    group.mask &= ~same;
    if (!left) {
      // Guarded-off lanes fall through.
      ++group.pc;
      return true;
    }
  }
}

/// Lanes whose guard is false skip the instruction and wait behind it. False: nobody is left.
bool Warp::splitGuard(Group &group, Mask mask) {
  if (!mask) {
    ++group.pc;
    return false;
  }
  if (mask == group.mask)
    return true;
  Join *join = newJoin();
  join->pc = group.pc + 1;
  join->expected = group.mask;
  join->arrived = group.mask & ~mask;
  join->frame = group.frame;
  join->parent = group.join;
  group.join = join;
  group.mask = mask;
  return true;
}

bool Warp::call(Group &group, const Inst &inst, Mask mask) {
  const CallSite &site = group.frame->code->calls[inst.target];
  if (!site.callee) {
    if (!splitGuard(group, mask))
      return true;
    return builtin(group, inst, site, mask);
  }
  if (!splitGuard(group, mask))
    return true;
  enter(group, site, *site.callee, mask);
  return true;
}

bool Warp::callIndirect(Group &group, const Inst &inst, Mask mask) {
  if (!splitGuard(group, mask))
    return true;
  const CallSite &site = group.frame->code->calls[inst.target];
  const uint64_t *addresses = lanes<uint64_t>(inst.a);
  unsigned leader = unsigned(std::countr_zero(mask));
  uint64_t address = addresses[leader];
  Mask same = 0;
  for (Mask rest = mask; rest; rest &= rest - 1)
    if (addresses[std::countr_zero(rest)] == address)
      same |= rest & -rest;
  const Code *callee = launch.program.functionAt(address);
  if (!callee || callee->isEntry)
    report(Finding::BadCall, inst, int(leader), "Indirect call of an address that is no function",
           {}, address);
  auto sizes = [](const std::vector<ParameterSlot> &slots) {
    std::vector<uint64_t> list;
    for (const ParameterSlot &slot : slots)
      list.push_back(slot.bytes);
    return list;
  };
  if (sizes(callee->parameters) != site.argumentBytes || sizes(callee->returns) != site.resultBytes)
    report(Finding::BadCall, inst, int(leader),
           "Indirect call of '" + callee->name + "' with another prototype");
  if (same != mask) {
    // The other lanes come back to this instruction by themselves and meet behind it.
    Join *join = newJoin();
    join->pc = group.pc + 1;
    join->expected = group.mask;
    join->frame = group.frame;
    join->parent = group.join;
    Group &other = newGroup();
    other.frame = group.frame;
    other.join = group.join = join;
    other.pc = group.pc;
    other.mask = group.mask & ~same;
    group.mask = same;
  }
  enter(group, site, *callee, same);
  return true;
}

void Warp::enter(Group &group, const CallSite &site, const Code &callee, Mask lanes) {
  uint32_t base = group.frame->localBase + (group.frame->code->localBytes + 31u) / 32 * 32;
  size_t live = frames.size() - freeFrames.size();
  if (uint64_t(base) + callee.localBytes > localCapacity || live > maxFrames)
    report(Finding::StackOverflow, group.frame->code->insts[group.pc], std::countr_zero(lanes),
           "Stack overflow: a call of '" + callee.name + "' needs " +
               std::to_string(uint64_t(base) + callee.localBytes) + " bytes, a thread has " +
               std::to_string(localCapacity));
  Frame *frame = newFrame(callee, group.frame, base);
  // A fresh frame: what an earlier call left in this part of local memory is gone.
  for (Mask rest = callee.localBytes ? lanes : 0; rest; rest &= rest - 1) {
    size_t at = size_t(std::countr_zero(rest)) * localCapacity + base;
    std::memset(localWritten.data() + at, 0, callee.localBytes);
  }
  fillSpecials(*frame);
  std::vector<Transfer> arguments = site.arguments;
  for (size_t i = 0; i < arguments.size(); ++i)
    arguments[i].to = uint32_t(callee.parameters[i].offset);
  moveBytes(arguments, group.frame, frame, lanes);
  Join *join = newJoin();
  join->pc = group.pc + 1;
  join->expected = lanes;
  join->frame = group.frame;
  join->callee = frame;
  join->site = &site;
  join->parent = group.join;
  group.join = join;
  group.frame = frame;
  group.pc = 0;
}

void Warp::moveBytes(const std::vector<Transfer> &list, Frame *from, Frame *to, Mask lanes) {
  bool returning = from->caller == to;
  for (size_t i = 0; i < list.size(); ++i) {
    const Transfer &transfer = list[i];
    if (!transfer.bytes)
      continue;
    uint32_t source = returning ? uint32_t(from->code->returns[i].offset) : transfer.from;
    for (Mask rest = lanes; rest; rest &= rest - 1) {
      unsigned lane = unsigned(std::countr_zero(rest));
      size_t base = size_t(lane) * localCapacity;
      uint8_t *target = transfer.toRegister ? to->regs + transfer.to + lane * transfer.bytes
                                            : &local[base + to->localBase + transfer.to];
      const uint8_t *bytes = transfer.fromRegister
                                 ? from->regs + transfer.from + lane * transfer.bytes
                                 : &local[base + from->localBase + source];
      std::memcpy(target, bytes, transfer.bytes);
      if (transfer.toRegister)
        continue;
      uint8_t *flags = &localWritten[base + to->localBase + transfer.to];
      if (transfer.fromRegister)
        std::memset(flags, 1, transfer.bytes);
      else
        std::memcpy(flags, &localWritten[base + from->localBase + source], transfer.bytes);
    }
  }
}

void Warp::exitLanes(Join *join, Mask lanes) {
  while (join) {
    Join *parent = join->parent;
    join->expected &= ~lanes;
    if (join->expected == join->arrived) {
      if (join->arrived)
        complete(join);
      else
        freeJoin(join);
    }
    join = parent;
  }
}

void Warp::leave(Group &group, Mask lanes) {
  Join *join = group.join;
  group.mask &= ~lanes;
  ++group.pc;
  if (!group.mask)
    group.state = Group::Dead;
  alive &= ~lanes;
  exitLanes(join, lanes);
  launch.progressed();
  block.threadsLeft(uint32_t(std::popcount(lanes)));
  if (alive) {
    checkAlignedBarrier();
    retrySyncs();
  }
}
