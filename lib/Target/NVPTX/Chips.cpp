// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chips.h"

using namespace sawtooth;

static constexpr GpuChip chips[] = {
#define SAWTOOTH_GPU_CHIP(name, capability, suffix, ptx) {#name, capability, suffix, ptx},
#include "sawtooth/runtime/GpuChips.def"
#undef SAWTOOTH_GPU_CHIP
};

llvm::ArrayRef<GpuChip> sawtooth::gpuChips() { return chips; }

const GpuChip *sawtooth::findGpuChip(llvm::StringRef name) {
  for (const GpuChip &chip : chips)
    if (chip.name == name)
      return &chip;
  return nullptr;
}
