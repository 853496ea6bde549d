// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter loop, frames, and the definedness of registers.

#include "exec/Launch.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace ptxsim;

Warp::Warp(Launch &launch, Block &block, unsigned index)
    : launch(launch), block(block), index(index) {
  // At most one group a lane is alive, so references to groups stay valid.
  groups.reserve(warpSize + 1);
}

void Warp::start(const Code &entry) {
  uint32_t first = index * warpSize, threads = launch.linearThreads();
  uint32_t count = std::min(warpSize, threads - first);
  initial = alive = count == warpSize ? fullMask : (Mask(1) << count) - 1;
  joins.clear();
  freeJoins.clear();
  freeFrames.clear();
  for (auto &frame : frames)
    if (frame->caller)
      freeFrames.push_back(frame.get());
  if (localCapacity != launch.localCapacity) {
    localCapacity = launch.localCapacity;
    local.assign(size_t(localCapacity) * warpSize, 0xfe);
    localWritten.assign(local.size(), 0);
  } else if (localCapacity) {
    std::memset(localWritten.data(), 0, localWritten.size());
  }
  if (frames.empty()) {
    // The first bytes stay free: a null pointer is no variable.
    newFrame(entry, nullptr, 32);
  }
  Frame *root = frames.front().get();
  for (uint32_t offset : entry.definedMasks)
    *reinterpret_cast<Mask *>(root->regs + offset) = 0;
  fillSpecials(*root);
  groups.clear();
  groups.push_back(Group());
  groups[0].mask = alive;
  groups[0].frame = root;
  nextGroup = 0;
  if (launch.race)
    launch.race->startWarp(clock, block.clock, index);
}

Frame *Warp::newFrame(const Code &code, Frame *caller, uint32_t localBase) {
  Frame *frame = nullptr;
  for (size_t i = 0; i < freeFrames.size(); ++i)
    if (freeFrames[i]->code == &code) {
      frame = freeFrames[i];
      freeFrames.erase(freeFrames.begin() + long(i));
      break;
    }
  if (!frame) {
    frames.push_back(std::make_unique<Frame>());
    frame = frames.back().get();
    frame->code = &code;
    frame->storage.reset(new uint8_t[code.frameBytes + 64]);
    frame->regs = frame->storage.get() + (-reinterpret_cast<uintptr_t>(frame->storage.get()) & 63);
    std::memset(frame->regs, 0xfe, code.constantOffset);
    std::copy(code.constants.begin(), code.constants.end(), frame->regs + code.constantOffset);
  }
  frame->caller = caller;
  frame->localBase = localBase;
  for (uint32_t offset : code.definedMasks)
    *reinterpret_cast<Mask *>(frame->regs + offset) = 0;
  return frame;
}

void Warp::freeFrame(Frame *frame) { freeFrames.push_back(frame); }

void Warp::fillSpecials(Frame &frame) {
  const LaunchConfig &config = launch.config;
  for (const Special &special : frame.code->specials) {
    uint32_t *narrow = reinterpret_cast<uint32_t *>(frame.regs + special.offset);
    uint64_t *wide = reinterpret_cast<uint64_t *>(frame.regs + special.offset);
    auto fill = [&](uint32_t value) { std::fill(narrow, narrow + warpSize, value); };
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      uint32_t linear = index * warpSize + lane;
      switch (special.kind) {
      case Special::TidX:
        narrow[lane] = linear % config.block[0];
        break;
      case Special::TidY:
        narrow[lane] = linear / config.block[0] % config.block[1];
        break;
      case Special::TidZ:
        narrow[lane] = linear / config.block[0] / config.block[1];
        break;
      case Special::LaneId:
        narrow[lane] = lane;
        break;
      case Special::MaskEq:
        narrow[lane] = 1u << lane;
        break;
      case Special::MaskLt:
        narrow[lane] = (1u << lane) - 1;
        break;
      case Special::MaskLe:
        narrow[lane] = (2u << lane) - 1;
        break;
      case Special::MaskGe:
        narrow[lane] = ~((1u << lane) - 1);
        break;
      case Special::MaskGt:
        narrow[lane] = ~((2u << lane) - 1);
        break;
      case Special::DynamicShared: {
        uint32_t align = uint32_t(special.addend);
        wide[lane] = (launch.dynamicOffset + align - 1) / align * align + (special.addend >> 32);
        break;
      }
      case Special::LocalAddress:
        wide[lane] = frame.localBase + special.addend;
        break;
      default:
        break;
      }
    }
    switch (special.kind) {
    case Special::NTidX:
      fill(config.block[0]);
      break;
    case Special::NTidY:
      fill(config.block[1]);
      break;
    case Special::NTidZ:
      fill(config.block[2]);
      break;
    case Special::CtaX:
      fill(block.coordinates[0]);
      break;
    case Special::CtaY:
      fill(block.coordinates[1]);
      break;
    case Special::CtaZ:
      fill(block.coordinates[2]);
      break;
    case Special::NCtaX:
      fill(config.grid[0]);
      break;
    case Special::NCtaY:
      fill(config.grid[1]);
      break;
    case Special::NCtaZ:
      fill(config.grid[2]);
      break;
    case Special::WarpId:
      fill(index);
      break;
    case Special::NWarpId:
      fill(launch.chip.threadsPerProcessor / warpSize);
      break;
    case Special::SmId:
      fill(uint32_t(block.number % launch.chip.processors));
      break;
    case Special::NSmId:
      fill(launch.chip.processors);
      break;
    case Special::GridId:
      fill(uint32_t(launch.gridNumber));
      break;
    case Special::DynamicSharedSize:
      fill(config.dynamicShared);
      break;
    case Special::TotalSharedSize:
      fill(launch.sharedBytes);
      break;
    case Special::GridSyncHigh:
      fill(uint32_t(launch.gridWorkspace >> 32));
      break;
    case Special::GridSyncLow:
      fill(uint32_t(launch.gridWorkspace));
      break;
    default:
      break;
    }
  }
}

Group &Warp::newGroup() {
  for (Group &group : groups)
    if (group.state == Group::Dead)
      return group = Group();
  groups.emplace_back();
  return groups.back();
}

bool Warp::run(uint64_t budget) {
  bool ran = false;
  uint64_t stop = executed + budget;
  while (executed < stop) {
    size_t count = groups.size(), chosen = count;
    size_t first = launch.options.seed && count > 1 ? launch.random() % count : nextGroup;
    for (size_t i = 0; i < count && chosen == count; ++i)
      if (groups[(first + i) % count].state == Group::Ready)
        chosen = (first + i) % count;
    if (chosen == count)
      return ran;
    ran = true;
    nextGroup = chosen + 1;
    uint64_t slice = count > 1 ? std::min<uint64_t>(budget, 2000) : budget;
    if (launch.stats)
      runLoop<true>(chosen, slice);
    else
      runLoop<false>(chosen, slice);
  }
  return ran;
}

template <bool Count>
void Warp::runLoop(size_t at, uint64_t budget) {
  Group &group = groups[at];
  uint64_t steps = 0, threads = 0;
  const Inst *insts = group.frame->code->insts.data();
  regs = group.frame->regs;
  struct Account {
    // Also when a fault leaves the loop.
    ~Account() {
      warp.executed += steps;
      warp.launch.executed += steps;
      warp.launch.threadInstructions += threads;
    }
    Warp &warp;
    uint64_t &steps, &threads;
  };
  {
    Account account{*this, steps, threads};
    while (true) {
      const Inst &inst = insts[group.pc];
      Mask mask = group.mask;
      if (inst.tracked && !checkDefined(inst, mask)) {
        // A move of something undefined only hands that on.
      }
      if (inst.hasGuard)
        mask &= inst.guardNegated ? ~predicate(inst.guard) : predicate(inst.guard);
      ++steps;
      threads += unsigned(std::popcount(mask));
      if constexpr (Count) {
        auto &counter = launch.stats->countersOf(*group.frame->code)[group.pc];
        counter.warps += mask != 0;
        counter.threads += unsigned(std::popcount(mask));
      }
      if (inst.flow == Flow::Plain) [[likely]] {
        if (mask)
          inst.run(*this, inst, mask);
        ++group.pc;
      } else {
        uint32_t before = group.pc;
        if (!transfer(group, inst, mask))
          break;
        insts = group.frame->code->insts.data();
        regs = group.frame->regs;
        if (group.pc <= before && steps >= budget) {
          arriveIfAtJoin(group);
          break;
        }
      }
      if (insts[group.pc].leader && arriveIfAtJoin(group))
        break;
    }
  }
  const Options &options = launch.options;
  if (launch.executed - launch.lastProgress > options.progress)
    report(Finding::NoProgress, group.frame ? group.frame->code->insts[group.pc] : Inst(), -1,
           "No progress for " + std::to_string(options.progress) + " warp instructions",
           {"no store changed memory, no thread left and no barrier opened",
            launch.config.cooperative
                ? "all blocks of the grid are resident"
                : "blocks run one after another: only a cooperative launch may wait for others"});
  if (options.limit && launch.executed > options.limit)
    report(Finding::InstructionLimit, group.frame ? group.frame->code->insts[group.pc] : Inst(), -1,
           "More than limit=" + std::to_string(options.limit) + " warp instructions");
}

bool Warp::checkDefined(const Inst &inst, Mask mask) {
  const Tracked &tracked = *inst.tracked;
  if (inst.hasGuard) {
    Mask guard = predicate(inst.guard);
    for (const Tracked::Use &use : tracked.uses)
      if (use.name == "@") {
        Mask missing = mask & ~predicate(use.defined);
        if (missing && launch.options.uninit)
          report(Finding::UninitialisedRegister, inst, std::countr_zero(missing),
                 "Uninitialised register read as a guard");
        predicate(use.defined) |= mask;
      }
    mask &= inst.guardNegated ? ~guard : guard;
  }
  Mask undefined = 0;
  for (const Tracked::Use &use : tracked.uses) {
    Mask missing = mask & ~predicate(use.defined);
    undefined |= missing;
    if (missing && !tracked.propagates && launch.options.uninit) {
      report(Finding::UninitialisedRegister, inst, std::countr_zero(missing),
             "Uninitialised register " + use.name + " read");
      // Once is enough: later uses of the same lanes follow from this one.
      predicate(use.defined) |= missing;
    }
  }
  for (uint32_t offset : tracked.writes) {
    Mask &defined = predicate(offset);
    defined |= mask;
    if (tracked.propagates)
      defined &= ~undefined;
  }
  return undefined == 0;
}
