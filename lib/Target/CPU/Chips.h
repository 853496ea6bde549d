// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_LIB_TARGET_CPU_CHIPS_H
#define SAWTOOTH_LIB_TARGET_CPU_CHIPS_H

#include "sawtooth/Target/TargetBackend.h"

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

/// Names that resolveChip() takes.
inline constexpr llvm::StringLiteral chipNames[] = {"native", "x86-64-v3", "x86-64-v4"};

/// Says at `location` what is wrong, and fails, if `host` does not run code for a chip of that
/// name.
mlir::LogicalResult checkRuns(llvm::StringRef chip, const HostProcessor &host,
                              mlir::Location location);

/// Vector width and features for a chip as a user names it, with `host` for "native". Says at
/// `location` why not, and fails, if there is no such chip.
mlir::FailureOr<Chip> resolveChip(llvm::StringRef name, const HostProcessor &host,
                                  mlir::Location location);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_TARGET_CPU_CHIPS_H
