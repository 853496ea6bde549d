// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks and launches: barriers, shared memory, the order in which everything runs.

#ifndef PTXSIM_EXEC_LAUNCH_H
#define PTXSIM_EXEC_LAUNCH_H

#include "exec/Chips.h"
#include "exec/Options.h"
#include "exec/Program.h"
#include "exec/Stats.h"
#include "exec/Warp.h"

#include <optional>

namespace ptxsim {

/// One of the sixteen barriers of a block.
struct BlockBarrier {
  uint32_t arrived = 0;  ///< threads
  uint32_t expected = 0; ///< of an explicit thread count; 0 for all threads
  bool busy = false;
  std::vector<RaceDetector::Participant> participants;
  Knowledge handedOn;      ///< of bar.arrive
  uint32_t population = 0; ///< true predicates of bar.red
  uint32_t contributors = 0;
};

class Block {
public:
  explicit Block(Launch &launch);
  void start(uint64_t number);
  /// Runs its warps once each. False when none could run.
  bool run(uint64_t budget);
  bool finished() const { return aliveThreads == 0; }

  void arrive(Warp &warp, const Inst &inst, uint32_t number, uint32_t count, Mask lanes,
              uint32_t threads, uint32_t truePredicates);
  void threadsLeft(uint32_t count);
  /// Nothing can run any more: reports who waits for whom. Throws LaunchFault.
  [[noreturn]] void diagnose();

  Launch &launch;
  uint64_t number = 0;
  uint32_t coordinates[3] = {0, 0, 0};
  std::vector<uint8_t> shared;
  WrittenMap sharedWritten;
  std::unique_ptr<ShadowRegion> sharedShadow;
  BlockClock clock;
  BlockBarrier barriers[16];
  std::vector<std::unique_ptr<Warp>> warps;
  uint32_t aliveThreads = 0;

private:
  void completeIfFull(uint32_t number);
};

struct LaunchConfig {
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamicShared = 0;
  bool cooperative = false;
  std::vector<uint8_t> parameters;
  uint32_t stackLimit = 64u << 10; ///< bytes of local memory a thread for recursion
};

class Launch {
public:
  Launch(const Program &program, const Code &entry, const LaunchConfig &config,
         const Options &options, const Chip &chip, DeviceMemory &memory, Reporter &reporter,
         Stats *stats, uint16_t generation);
  /// Runs everything. The finding that a driver has to turn into an error, if any.
  std::optional<Finding> run();

  /// Memory changed, a thread left or a barrier opened.
  void progressed() { lastProgress = executed; }
  uint32_t linearThreads() const { return threads; }

  const Program &program;
  const Code &entry;
  const LaunchConfig &config;
  const Options &options;
  const Chip &chip;
  DeviceMemory &memory;
  Reporter &reporter;
  Stats *stats;
  std::optional<RaceDetector> race;
  uint32_t threads = 0, sharedBytes = 0, dynamicOffset = 0;
  uint32_t localCapacity = 0;
  uint64_t blocks = 0, gridNumber = 0;
  uint64_t gridWorkspace = 0; ///< zeroed memory of a cooperative launch, as the driver gives it
  uint64_t executed = 0, threadInstructions = 0, lastProgress = 0;
  std::optional<Finding> softFinding; ///< of race and uninit, which do not end a launch
  uint64_t random();

private:
  void runOneByOne();
  void runTogether();
  uint64_t state;
};

} // namespace ptxsim

#endif
