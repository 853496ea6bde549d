// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exec/Chips.h"

#include <algorithm>

using namespace ptxsim;

static constexpr unsigned K = 1024;
// Blackwell's and Hopper's 1 KiB per block of the system is in the occupancy, not in the table.
static const Chip chips[] = {
    {"sm_75", "PTX simulator (sm_75)", 75, 40, 1024, 16, 64 * K, 64 * K, 4096 * K, 1590000, 5001000,
     256},
    {"sm_80", "PTX simulator (sm_80)", 80, 108, 2048, 32, 164 * K, 163 * K, 40960 * K, 1410000,
     1215000, 5120},
    {"sm_86", "PTX simulator (sm_86)", 86, 84, 1536, 16, 100 * K, 99 * K, 6144 * K, 1695000,
     9751000, 384},
    {"sm_87", "PTX simulator (sm_87)", 87, 16, 1536, 16, 164 * K, 163 * K, 4096 * K, 1300000,
     3199000, 256},
    {"sm_89", "PTX simulator (sm_89)", 89, 128, 1536, 24, 100 * K, 99 * K, 73728 * K, 2520000,
     10501000, 384},
    {"sm_90", "PTX simulator (sm_90)", 90, 132, 2048, 32, 228 * K, 227 * K, 51200 * K, 1980000,
     2619000, 5120},
    {"sm_100", "PTX simulator (sm_100)", 100, 148, 2048, 32, 228 * K, 227 * K, 129024 * K, 1965000,
     3996000, 8192},
    {"sm_103", "PTX simulator (sm_103)", 103, 148, 2048, 32, 228 * K, 227 * K, 129024 * K, 1965000,
     3996000, 8192},
    {"sm_110", "PTX simulator (sm_110)", 110, 20, 1536, 24, 228 * K, 227 * K, 32768 * K, 1575000,
     4266000, 256},
    {"sm_120", "PTX simulator (sm_120)", 120, 170, 1536, 24, 100 * K, 99 * K, 98304 * K, 2407000,
     14001000, 512},
    {"sm_121", "PTX simulator (sm_121)", 121, 48, 1536, 24, 100 * K, 99 * K, 24576 * K, 2418000,
     8533000, 256},
};

const Chip *ptxsim::findChip(const std::string &name) {
  unsigned number = targetNumber(name);
  for (const Chip &chip : chips)
    if (chip.capability == number)
      return &chip;
  return nullptr;
}

std::string ptxsim::listChips() {
  std::string list;
  for (const Chip &chip : chips)
    list += (list.empty() ? "" : ", ") + std::string(chip.name);
  return list;
}

unsigned ptxsim::targetNumber(const std::string &target) {
  if (target.rfind("sm_", 0) != 0 || target.size() < 5 || target.size() > 7)
    return 0;
  unsigned number = 0;
  for (size_t i = 3; i < target.size(); ++i) {
    char c = target[i];
    if (c >= '0' && c <= '9')
      number = number * 10 + unsigned(c - '0');
    else if (i + 1 != target.size() || (c != 'a' && c != 'f'))
      return 0;
  }
  return number;
}

// PTX ISA, "PTX Module Directives: .target": plain targets run on anything newer, `a` on their
// very architecture only, `f` on newer members of the same family.
bool ptxsim::runsOn(const std::string &target, const Chip &chip) {
  unsigned number = targetNumber(target);
  if (!number)
    return false;
  switch (target.back()) {
  case 'a':
    return number == chip.capability;
  case 'f':
    return number / 10 == chip.capability / 10 && number <= chip.capability;
  default:
    return number <= chip.capability;
  }
}

unsigned ptxsim::residentBlocks(const Chip &chip, unsigned threads, unsigned registers,
                                uint64_t shared) {
  if (threads == 0 || threads > 1024)
    return 0;
  unsigned warps = (threads + 31) / 32;
  unsigned byThreads = chip.threadsPerProcessor / (warps * 32);
  // Registers are handed out to warps in units of 256; 65536 a multiprocessor on all of these.
  unsigned perWarp = (std::max(registers, 1u) * 32 + 255) / 256 * 256;
  unsigned byRegisters = 65536 / perWarp / warps;
  uint64_t reserved = chip.capability >= 80 ? K : 0;
  uint64_t perBlock = (shared + reserved + 127) / 128 * 128;
  unsigned byShared = perBlock
                          ? unsigned(std::min<uint64_t>(chip.sharedPerProcessor / perBlock, 64))
                          : chip.blocksPerProcessor;
  return std::min({byThreads, byRegisters, byShared, chip.blocksPerProcessor});
}
