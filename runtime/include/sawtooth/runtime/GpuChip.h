// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of NVIDIA's chips, and which code runs on which ("CUDA C++ Programming Guide", binary and
// PTX compatibility; architecture- and family-specific features).
#ifndef SAWTOOTH_RUNTIME_GPUCHIP_H
#define SAWTOOTH_RUNTIME_GPUCHIP_H

#include <optional>
#include <string>
#include <string_view>

namespace sawtooth::runtime {

struct GpuChip {
  unsigned capability = 0; // 10 * major + minor: 90 for sm_90
  char suffix = 0;         // 'a', 'f' or 0

  /// "sm_90a"; nullopt for anything else.
  static std::optional<GpuChip> parse(std::string_view name);
  std::string name() const;
  /// The newest chip of GpuChips.def whose PTX a device of that capability runs, and that has no
  /// suffix; nullopt for a device that is older than all of them.
  static std::optional<GpuChip> newestFor(unsigned device);

  /// Whether a device of that capability runs machine code (cubin) for this chip: the same major
  /// version and at least its minor one. A suffix 'a' ties code to the very chip.
  bool binaryRunsOn(unsigned device) const;
  /// Whether it runs PTX for this chip: the same or a newer chip. A suffix 'f' ties it to the chips
  /// of the same major version from this one on.
  bool ptxRunsOn(unsigned device) const;
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_GPUCHIP_H
