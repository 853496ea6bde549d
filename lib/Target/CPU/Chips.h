// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_LIB_TARGET_CPU_CHIPS_H
#define SAWTOOTH_LIB_TARGET_CPU_CHIPS_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace sawtooth {

/// What this processor has: LLVM's name and feature string, and the highest of the levels that
/// Sawtooth compiles for (0: below x86-64-v3, which is the floor). What the runtime could not look
/// for on another machine is left out, though it may be there.
struct HostProcessor {
  std::string cpu, features;
  unsigned level;                    // 0, 3 or 4
  std::vector<std::string> required; // of CpuFeatures.def
};

HostProcessor inspectHost();

/// The features of CpuFeatures.def that a level needs.
std::vector<std::string> featuresOfLevel(unsigned level);

/// The level that code for a chip needs: 3 or 4, 0 for an unknown name. "native" needs what is
/// here.
unsigned levelOfChip(llvm::StringRef name);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_TARGET_CPU_CHIPS_H
