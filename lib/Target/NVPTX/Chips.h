// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_LIB_TARGET_NVPTX_CHIPS_H
#define SAWTOOTH_LIB_TARGET_NVPTX_CHIPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace sawtooth {

/// A GPU, and the first version of PTX (10 * major + minor) that can name it.
struct GpuChip {
  llvm::StringLiteral name;
  unsigned capability; // 10 * major + minor
  char suffix;         // 'a' ties even the PTX to this chip; or 0
  unsigned ptx;
};

/// Those of GpuChips.def, from the oldest on.
llvm::ArrayRef<GpuChip> gpuChips();
/// Null for any other name.
const GpuChip *findGpuChip(llvm::StringRef name);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_TARGET_NVPTX_CHIPS_H
