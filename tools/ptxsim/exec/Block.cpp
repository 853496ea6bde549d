// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exec/Launch.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace ptxsim;

Block::Block(Launch &launch) : launch(launch) {
  unsigned count = (launch.linearThreads() + warpSize - 1) / warpSize;
  for (unsigned i = 0; i < count; ++i)
    warps.push_back(std::make_unique<Warp>(launch, *this, i));
}

void Block::start(uint64_t blockNumber) {
  number = blockNumber;
  const uint32_t *grid = launch.config.grid;
  coordinates[0] = uint32_t(number % grid[0]);
  coordinates[1] = uint32_t(number / grid[0] % grid[1]);
  coordinates[2] = uint32_t(number / grid[0] / grid[1]);
  if (launch.sharedBytes) {
    shared.assign(launch.sharedBytes, 0xfe);
    sharedWritten.reset(launch.sharedBytes);
    if (launch.race)
      sharedShadow = std::make_unique<ShadowRegion>(launch.sharedBytes);
  }
  for (BlockBarrier &barrier : barriers)
    barrier = BlockBarrier();
  if (launch.race)
    launch.race->startBlock(clock, uint32_t(number));
  aliveThreads = launch.linearThreads();
  for (auto &warp : warps)
    warp->start(launch.entry);
  if (launch.stats)
    ++launch.stats->blocks;
}

bool Block::run(uint64_t budget) {
  bool ran = false;
  size_t count = warps.size();
  size_t first = launch.options.seed ? launch.random() % count : 0;
  for (size_t i = 0; i < count; ++i) {
    Warp &warp = *warps[(first + i) % count];
    if (!warp.finished())
      ran |= warp.run(budget);
  }
  return ran;
}

void Block::arrive(Warp &warp, const Inst &inst, uint32_t barrierNumber, uint32_t count, Mask lanes,
                   uint32_t threads, uint32_t truePredicates) {
  BlockBarrier &barrier = barriers[barrierNumber];
  if (barrier.busy && barrier.expected != count)
    warp.report(Finding::BarrierDivergence, inst, std::countr_zero(lanes),
                "Barrier " + std::to_string(barrierNumber) + " used with " + std::to_string(count) +
                    " and " + std::to_string(barrier.expected) + " threads at once");
  barrier.busy = true;
  barrier.expected = count;
  barrier.arrived += threads;
  barrier.population += truePredicates;
  if (inst.barrier >= BarrierKind::RedPopc)
    barrier.contributors += uint32_t(std::popcount(lanes));
  if (launch.race) {
    if (inst.barrier == BarrierKind::Arrive)
      launch.race->arrive(warp.clock, lanes, barrier.handedOn);
    else
      barrier.participants.push_back({&warp.clock, lanes});
  }
  completeIfFull(barrierNumber);
}

void Block::completeIfFull(uint32_t barrierNumber) {
  BlockBarrier &barrier = barriers[barrierNumber];
  uint32_t wanted = barrier.expected ? barrier.expected : aliveThreads;
  if (!barrier.busy || barrier.arrived < wanted)
    return;
  if (launch.race) {
    uint32_t lanes = 0;
    for (const auto &participant : barrier.participants)
      lanes += uint32_t(std::popcount(participant.lanes));
    launch.race->barrier(clock, barrier.participants, lanes == aliveThreads, barrier.handedOn);
  }
  uint32_t population = barrier.population;
  bool all = population == barrier.contributors, any = population != 0;
  barrier = BlockBarrier();
  launch.progressed();
  for (auto &warp : warps)
    if (!warp->finished())
      warp->openBarrier(barrierNumber, population, all, any);
}

void Block::threadsLeft(uint32_t count) {
  aliveThreads -= count;
  // PTX ISA, "bar": a barrier of all threads waits for those that have not left.
  if (aliveThreads)
    for (uint32_t i = 0; i < 16; ++i)
      if (barriers[i].busy && !barriers[i].expected)
        completeIfFull(i);
}

void Block::diagnose() {
  auto place = [](const Group &group) {
    const Inst &inst = group.frame->code->insts[group.pc];
    return "line " + std::to_string(inst.line);
  };
  char mask[16];
  for (auto &warp : warps) {
    std::vector<std::string> details;
    const Group *partial = nullptr, *member = nullptr;
    for (const Group &group : warp->groups) {
      if (group.state == Group::Dead || group.state == Group::Ready)
        continue;
      std::snprintf(mask, sizeof mask, "0x%08x", group.mask);
      details.push_back("lanes " + std::string(mask) + " of warp " + std::to_string(warp->index) +
                        " wait at " + place(group));
      if (group.state == Group::AtBarrier && !group.counted)
        partial = &group;
      if (group.state == Group::AtSync)
        member = &group;
    }
    if (warp->alive != warp->initial) {
      std::snprintf(mask, sizeof mask, "0x%08x", warp->initial & ~warp->alive);
      details.push_back("lanes " + std::string(mask) + " have left the kernel");
    }
    const Group *group = member ? member : partial;
    if (!group)
      continue;
    warp->regs = group->frame->regs;
    const Inst &inst = group->frame->code->insts[group->pc];
    if (member)
      warp->report(Finding::MissingLanes, inst, std::countr_zero(group->mask),
                   "Lanes of a member mask never come", details);
    warp->report(Finding::BarrierDivergence, inst, std::countr_zero(group->mask),
                 "Divergent barrier: a part of the warp never comes", details);
  }
  for (auto &warp : warps)
    for (const Group &group : warp->groups)
      if (group.state == Group::AtBarrier) {
        const BlockBarrier &barrier = barriers[group.barrier];
        warp->report(Finding::BarrierDivergence, group.frame->code->insts[group.pc],
                     std::countr_zero(group.mask), "Barrier that never opens",
                     {"barrier " + std::to_string(group.barrier) + ": expected " +
                      std::to_string(barrier.expected ? barrier.expected : aliveThreads) +
                      " threads, got " + std::to_string(barrier.arrived)});
      }
  warps.front()->report(Finding::NoProgress, launch.entry.insts.front(), -1, "No thread can go on");
  throw LaunchFault{Finding::NoProgress};
}
