// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Deterministic performance figures.

#ifndef PTXSIM_EXEC_STATS_H
#define PTXSIM_EXEC_STATS_H

#include "exec/Inst.h"

#include <map>

namespace ptxsim {

struct Stats {
  struct Opcode {
    uint64_t warps = 0, threads = 0;
  };
  struct Traffic {
    uint64_t requests = 0; ///< warp instructions
    uint64_t bytes = 0;    ///< of all lanes
    uint64_t units = 0;    ///< global and local: 32-byte sectors; shared: passes over the banks
  };
  std::map<std::string, Opcode> opcodes;             ///< by opcode with modifiers
  std::map<std::pair<Space, bool>, Traffic> traffic; ///< by space and "is a store"
  /// Of the running launch, by instruction; `fold` adds them to `opcodes`.
  std::map<const Code *, std::vector<Opcode>> counters;
  std::vector<Opcode> &countersOf(const Code &code);
  void fold();
  uint64_t launches = 0, blocks = 0, divergentBranches = 0, barriers = 0;

  /// Sectors of 32 bytes that a warp's access touches, each counted once.
  static uint64_t sectors(const uint64_t *addresses, Mask mask, unsigned bytes);
  /// Passes over 32 banks of 4 bytes: 8-byte accesses go by half warps, 16-byte by quarters.
  static uint64_t bankPasses(const uint64_t *addresses, Mask mask, unsigned bytes);
};

/// One `name value` a line, in a fixed order, so that tests can pin them.
std::string toText(const Stats &stats);

} // namespace ptxsim

#endif
