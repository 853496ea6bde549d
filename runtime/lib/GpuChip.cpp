// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/GpuChip.h"

#include "Cat.h"

#include <charconv>

namespace sawtooth::runtime {

std::optional<GpuChip> GpuChip::parse(std::string_view name) {
  GpuChip chip;
  if (!name.starts_with("sm_"))
    return std::nullopt;
  const char *end = name.data() + name.size();
  auto [stop, error] = std::from_chars(name.data() + 3, end, chip.capability);
  if (error != std::errc() || chip.capability < 10 || chip.capability > 9999)
    return std::nullopt;
  if (stop + 1 == end && (*stop == 'a' || *stop == 'f'))
    chip.suffix = *stop++;
  return stop == end ? std::optional(chip) : std::nullopt;
}

std::string GpuChip::name() const {
  return cat("sm_", capability, suffix ? std::string(1, suffix) : std::string());
}

static constexpr GpuChip known[] = {
#define SAWTOOTH_GPU_CHIP(name, capability, suffix, ptx) {capability, suffix},
#include "sawtooth/runtime/GpuChips.def"
#undef SAWTOOTH_GPU_CHIP
};

std::optional<GpuChip> GpuChip::newestFor(unsigned device) {
  std::optional<GpuChip> newest;
  for (GpuChip chip : known)
    if (!chip.suffix && chip.ptxRunsOn(device))
      newest = chip;
  return newest;
}

bool GpuChip::binaryRunsOn(unsigned device) const {
  if (suffix == 'a')
    return device == capability;
  return device >= capability && device / 10 == capability / 10;
}

bool GpuChip::ptxRunsOn(unsigned device) const {
  return suffix ? binaryRunsOn(device) : device >= capability;
}

} // namespace sawtooth::runtime
