// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chips.h"

using namespace sawtooth;

// Versions: PTX ISA manual, "Release Notes", targets introduced with each; ptxas of CUDA 13.0 takes
// sm_110 from 9.0 on.
static constexpr GpuChip chips[] = {
    {"sm_75", 75, 0, 63},   {"sm_80", 80, 0, 70},   {"sm_86", 86, 0, 71},    {"sm_87", 87, 0, 74},
    {"sm_89", 89, 0, 78},   {"sm_90", 90, 0, 78},   {"sm_90a", 90, 'a', 80}, {"sm_100", 100, 0, 86},
    {"sm_103", 103, 0, 88}, {"sm_110", 110, 0, 90}, {"sm_120", 120, 0, 87},  {"sm_121", 121, 0, 88},
};

llvm::ArrayRef<GpuChip> sawtooth::gpuChips() { return chips; }

const GpuChip *sawtooth::findGpuChip(llvm::StringRef name) {
  for (const GpuChip &chip : chips)
    if (chip.name == name)
      return &chip;
  return nullptr;
}
