// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exec/Launch.h"

#include <algorithm>
#include <numeric>
#include <xmmintrin.h>

using namespace ptxsim;

namespace {
/// The host program may run with flush-to-zero or another rounding; the simulated device does not.
class FloatEnvironment {
public:
  FloatEnvironment() : saved(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~FloatEnvironment() { _mm_setcsr(saved); }

private:
  unsigned saved;
};
} // namespace

/// Warp instructions before another warp of the block gets its turn.
static constexpr uint64_t slice = 20'000;

Launch::Launch(const Program &program, const Code &entry, const LaunchConfig &config,
               const Options &options, const Chip &chip, DeviceMemory &memory, Reporter &reporter,
               Stats *stats, uint16_t generation)
    : program(program), entry(entry), config(config), options(options), chip(chip), memory(memory),
      reporter(reporter), stats(stats), gridNumber(generation), state(options.seed) {
  threads = config.block[0] * config.block[1] * config.block[2];
  blocks = uint64_t(config.grid[0]) * config.grid[1] * config.grid[2];
  dynamicOffset = entry.sharedBytes;
  // Dynamic shared memory starts where its declared alignment allows.
  sharedBytes = config.dynamicShared ? (entry.sharedBytes + 127) / 128 * 128 + config.dynamicShared
                                     : entry.sharedBytes;
  if (config.dynamicShared)
    dynamicOffset = (entry.sharedBytes + 127) / 128 * 128;
  localCapacity = entry.stackBytes ? 32 + (entry.stackBytes + 31u) / 32 * 32 : 0;
  if (entry.recursive || entry.hasIndirectCalls)
    localCapacity += config.stackLimit;
  uint32_t perBlock = (threads + warpSize - 1) / warpSize * warpSize;
  // Threads have 32-bit numbers; nobody waits for a simulation of more.
  if (options.race && blocks * perBlock < UINT32_MAX)
    race.emplace(blocks, perBlock, generation);
}

uint64_t Launch::random() {
  // splitmix64
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

std::optional<Finding> Launch::run() {
  FloatEnvironment environment;
  std::optional<Finding> finding;
  if (stats)
    ++stats->launches;
  try {
    if (config.cooperative)
      runTogether();
    else
      runOneByOne();
  } catch (const LaunchFault &fault) {
    finding = fault.finding;
  }
  if (stats)
    stats->fold();
  if (!finding && options.fail)
    finding = softFinding;
  return finding;
}

void Launch::runOneByOne() {
  Block block(*this);
  // With a seed: every block once, in steps that share no factor with their number.
  uint64_t step = 1, at = 0;
  if (options.seed && blocks > 1) {
    at = random() % blocks;
    do
      step = random() % blocks;
    while (std::gcd(step, blocks) != 1);
  }
  for (uint64_t i = 0; i < blocks; ++i) {
    block.start(at);
    while (!block.finished())
      if (!block.run(slice))
        block.diagnose();
    at = (at + step) % blocks;
  }
}

void Launch::runTogether() {
  bool usesWorkspace =
      std::any_of(entry.specials.begin(), entry.specials.end(),
                  [](const Special &special) { return special.kind == Special::GridSyncLow; });
  Allocation *workspace = nullptr;
  if (usesWorkspace)
    workspace = memory.allocate(256, 256, AllocationKind::Device, "the grid's barrier");
  struct Release {
    ~Release() {
      if (workspace)
        memory.release(workspace->base);
    }
    DeviceMemory &memory;
    Allocation *workspace;
  } release{memory, workspace};
  if (workspace) {
    std::fill_n(workspace->host, workspace->size, uint8_t(0));
    workspace->written.mark(0, workspace->size);
    gridWorkspace = workspace->base;
  }
  std::vector<std::unique_ptr<Block>> resident;
  for (uint64_t i = 0; i < blocks; ++i) {
    resident.push_back(std::make_unique<Block>(*this));
    resident.back()->start(i);
  }
  while (true) {
    bool ran = false, left = false;
    size_t first = options.seed ? random() % resident.size() : 0;
    for (size_t i = 0; i < resident.size(); ++i) {
      Block &block = *resident[(first + i) % resident.size()];
      if (block.finished())
        continue;
      left = true;
      ran |= block.run(slice / 10);
    }
    if (!left)
      return;
    if (!ran)
      for (auto &block : resident)
        if (!block->finished())
          block->diagnose();
  }
}
