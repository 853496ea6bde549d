// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices that can be simulated, with the limits of CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability".

#ifndef PTXSIM_EXEC_CHIPS_H
#define PTXSIM_EXEC_CHIPS_H

#include <cstdint>
#include <string>

namespace ptxsim {

struct Chip {
  const char *name;    ///< `sm_90`; its features beyond (`a`, `f`) come with `features`
  const char *product; ///< what cuDeviceGetName says
  unsigned capability; ///< 90 for 9.0
  unsigned processors; ///< multiprocessors
  unsigned threadsPerProcessor, blocksPerProcessor;
  unsigned sharedPerProcessor, sharedPerBlockOptIn; ///< bytes
  unsigned l2Bytes;
  unsigned clockKHz, memoryClockKHz, busBits;
};

/// Null for an unknown name. `sm_90a` names the same device as `sm_90`.
const Chip *findChip(const std::string &name);
std::string listChips();

/// Whether a module for `target` (`sm_80`, `sm_90a`, `sm_100f`) runs on the chip.
bool runsOn(const std::string &target, const Chip &chip);
/// 90 for `sm_90a`; 0 when the text is no target.
unsigned targetNumber(const std::string &target);

/// Resident blocks of one multiprocessor, as the occupancy calculator counts them; 0 when a block
/// does not fit at all. `registers` is per thread.
unsigned residentBlocks(const Chip &chip, unsigned threads, unsigned registers, uint64_t shared);

} // namespace ptxsim

#endif
