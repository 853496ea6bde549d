// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clocks: who knows what of whom. Shadow memory is in Shadow.cpp.

#include "memory/Race.h"

#include <algorithm>

using namespace ptxsim;

static unsigned levelsFor(uint64_t keys) {
  unsigned levels = 1;
  while (levels < 8 && keys > uint64_t(1) << (4 * levels))
    ++levels;
  return levels;
}

RaceDetector::RaceDetector(uint64_t blocks, uint32_t threadsPerBlock, uint16_t generation)
    : blockThreads(threadsPerBlock), generation(generation), blockLevels(levelsFor(blocks)),
      warpLevels(levelsFor(blocks * threadsPerBlock / warpSize)),
      threadLevels(levelsFor(blocks * threadsPerBlock)) {}

void RaceDetector::startBlock(BlockClock &block, uint32_t index) {
  block.index = index;
  block.counter = 1;
}

void RaceDetector::startWarp(WarpClock &warp, BlockClock &block, uint32_t indexInBlock) {
  warp.block = &block;
  warp.firstThread = block.index * blockThreads + indexInBlock * warpSize;
  warp.uniform = true;
  for (LaneClock &lane : warp.lanes) {
    lane = LaneClock();
    lane.clock = block.counter;
  }
}

Knowledge RaceDetector::join(const Knowledge &a, const Knowledge &b) {
  if (a == b || b.empty())
    return a;
  if (a.empty())
    return b;
  return {arena.join(a.blocks, b.blocks, blockLevels), arena.join(a.warps, b.warps, warpLevels),
          arena.join(a.threads, b.threads, threadLevels)};
}

/// All that a thread can hand on at `time`: what it acquired, what barriers told it, and itself.
Knowledge RaceDetector::released(const WarpClock &warp, unsigned lane, uint32_t time) {
  const LaneClock &clock = warp.lanes[lane];
  Knowledge result = clock.known;
  if (clock.blockTime)
    result.blocks = arena.raise(result.blocks, warp.block->index, clock.blockTime, blockLevels);
  if (clock.warpTime)
    result.warps =
        arena.raise(result.warps, warp.firstThread / warpSize, clock.warpTime, warpLevels);
  result.threads = arena.raise(result.threads, warp.firstThread + lane, time, threadLevels);
  return result;
}

bool RaceDetector::knows(const WarpClock &warp, unsigned lane, uint32_t thread,
                         uint32_t clock) const {
  const LaneClock &self = warp.lanes[lane];
  if (thread == warp.firstThread + lane)
    return true;
  uint32_t block = thread / blockThreads;
  if (block == warp.block->index) {
    if (clock < self.blockTime)
      return true;
    if (thread / warpSize == warp.firstThread / warpSize && clock < self.warpTime)
      return true;
  }
  return (self.known.blocks && TrieArena::lookup(self.known.blocks, block, blockLevels) > clock) ||
         (self.known.warps &&
          TrieArena::lookup(self.known.warps, thread / warpSize, warpLevels) > clock) ||
         (self.known.threads &&
          TrieArena::lookup(self.known.threads, thread, threadLevels) > clock);
}

// A fence first acquires what strong reads before it saw, then releases all of that as well: PTX
// makes causality order transitive ("Causality Order").
void RaceDetector::fence(WarpClock &warp, Mask mask, MemScope scope, bool acquire, bool release) {
  warp.uniform = false;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    LaneClock &clock = warp.lanes[lane];
    if (acquire) {
      clock.known = join(clock.known, clock.pendingBlock);
      if (scope != MemScope::Block)
        clock.known = join(clock.known, clock.pendingDevice);
    }
    if (!release)
      continue;
    uint32_t time = ++warp.block->counter;
    Knowledge all = released(warp, lane, time);
    clock.clock = time;
    clock.releaseBlock = all;
    clock.hasReleaseBlock = true;
    if (scope != MemScope::Block) {
      clock.releaseDevice = all;
      clock.hasReleaseDevice = true;
    }
  }
}

void RaceDetector::strongRead(WarpClock &warp, unsigned lane, uint64_t address, MemScope scope,
                              bool acquire) {
  auto found = publications.find(address);
  if (found == publications.end())
    return;
  const Publication &publication = found->second;
  LaneClock &clock = warp.lanes[lane];
  if (publication.hasBlock && publication.block == warp.block->index) {
    warp.uniform = false;
    if (acquire)
      clock.known = join(clock.known, publication.forBlock);
    else
      clock.pendingBlock = join(clock.pendingBlock, publication.forBlock);
  }
  if (publication.hasDevice && scope != MemScope::Block) {
    warp.uniform = false;
    if (acquire)
      clock.known = join(clock.known, publication.forDevice);
    else
      clock.pendingDevice = join(clock.pendingDevice, publication.forDevice);
  }
}

void RaceDetector::strongWrite(WarpClock &warp, unsigned lane, uint64_t address, MemScope scope,
                               bool release, bool isAtomic) {
  LaneClock &clock = warp.lanes[lane];
  Publication mine;
  mine.block = warp.block->index;
  mine.hasBlock = clock.hasReleaseBlock;
  mine.forBlock = clock.releaseBlock;
  mine.hasDevice = clock.hasReleaseDevice && scope != MemScope::Block;
  mine.forDevice = clock.releaseDevice;
  if (release) {
    warp.uniform = false;
    uint32_t time = ++warp.block->counter;
    Knowledge all = released(warp, lane, time);
    clock.clock = time;
    mine.hasBlock = true;
    mine.forBlock = all;
    if (scope != MemScope::Block) {
      mine.hasDevice = true;
      mine.forDevice = all;
    }
  }
  if (!isAtomic) {
    if (mine.hasBlock || mine.hasDevice)
      publications[address] = mine;
    else
      publications.erase(address);
    return;
  }
  // An atomic continues the release sequence of the value that it read.
  auto found = publications.find(address);
  if (found == publications.end()) {
    if (mine.hasBlock || mine.hasDevice)
      publications.emplace(address, mine);
    return;
  }
  Publication &old = found->second;
  if (mine.hasDevice) {
    old.forDevice = old.hasDevice ? join(old.forDevice, mine.forDevice) : mine.forDevice;
    old.hasDevice = true;
  }
  if (old.block != mine.block) {
    old.block = mine.block;
    old.hasBlock = mine.hasBlock;
    old.forBlock = mine.forBlock;
  } else if (mine.hasBlock) {
    old.forBlock = old.hasBlock ? join(old.forBlock, mine.forBlock) : mine.forBlock;
    old.hasBlock = true;
  }
}

// PTX ISA, "bar.warp.sync": orders memory accesses of the lanes in the mask.
void RaceDetector::warpSync(WarpClock &warp, Mask mask) {
  uint32_t time = ++warp.block->counter;
  bool whole = mask == fullMask;
  Knowledge all;
  uint32_t blockTime = 0;
  bool first = true;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    LaneClock &clock = warp.lanes[lane];
    all = first ? clock.known : join(all, clock.known);
    first = false;
    blockTime = std::max(blockTime, clock.blockTime);
    if (!whole) {
      // Lanes outside the mask stay unordered, so each lane is known by itself.
      all.threads = arena.raise(all.threads, warp.firstThread + lane, time, threadLevels);
      if (clock.warpTime)
        all.warps = arena.raise(all.warps, warp.firstThread / warpSize, clock.warpTime, warpLevels);
    }
  }
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    LaneClock &clock = warp.lanes[lane];
    clock.known = all;
    clock.clock = time;
    clock.blockTime = blockTime;
    if (whole)
      clock.warpTime = time;
  }
  // Release state differs between lanes but does not matter to accesses.
  warp.uniform = whole;
}

void RaceDetector::barrier(BlockClock &block, const std::vector<Participant> &participants,
                           bool whole, const Knowledge &handedOn) {
  uint32_t time = ++block.counter;
  Knowledge all = handedOn;
  bool first = handedOn.empty();
  uint32_t blockTime = 0;
  for (const Participant &participant : participants)
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      if (!(participant.lanes >> lane & 1))
        continue;
      const LaneClock &clock = participant.warp->lanes[lane];
      all = first ? clock.known : join(all, clock.known);
      first = false;
      blockTime = std::max(blockTime, clock.blockTime);
      if (!whole) {
        uint32_t warp = participant.warp->firstThread / warpSize;
        if (clock.warpTime)
          all.warps = arena.raise(all.warps, warp, clock.warpTime, warpLevels);
        all.threads =
            arena.raise(all.threads, participant.warp->firstThread + lane, time, threadLevels);
      }
    }
  for (const Participant &participant : participants) {
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      if (!(participant.lanes >> lane & 1))
        continue;
      LaneClock &clock = participant.warp->lanes[lane];
      clock.known = all;
      clock.clock = time;
      clock.blockTime = whole ? time : blockTime;
    }
    participant.warp->uniform = whole;
  }
}

void RaceDetector::arrive(WarpClock &warp, Mask mask, Knowledge &handedOn) {
  warp.uniform = false;
  uint32_t time = ++warp.block->counter;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    handedOn = join(handedOn, released(warp, lane, time));
    warp.lanes[lane].clock = time;
  }
}
