// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_ARTIFACTINFO_H
#define SAWTOOTH_RUNTIME_ARTIFACTINFO_H

#include "sawtooth/runtime/Status.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sawtooth::runtime {

/// The code of an artifact for one chip.
struct ArtifactVariant {
  /// Symbol of its SawtoothQuery; the first variant's is "sawtooth_query". Variants for GPUs share
  /// one: which of its images runs is decided when a device is known.
  std::string query;
  /// As `--chip` takes it: "x86-64-v3"; "native" of whoever compiled it; "sm_80" for a GPU from
  /// there on.
  std::string chip;
  /// What it needs of the machine beyond x86-64-v2, as CpuFeatures.def names it.
  std::vector<std::string> features;
  uint64_t planOffset = 0, planBytes = 0; ///< where its plan stands in the image
};

/// What ptxas says that a kernel takes, of the artifact's cubin for `chip`, or that a function
/// takes which kernels call, if it spills.
struct ArtifactKernel {
  std::string chip, name;
  uint64_t registers = 0; ///< of a thread; 0: a function's are those of its callers
  uint64_t spilled = 0;   ///< bytes a thread stores and loads for want of registers
  uint64_t shared = 0;    ///< bytes of shared memory of a block
};

/// What an artifact says of itself and can be read without loading code.
struct ArtifactInfo {
  std::string target;                    ///< triple: "x86_64-unknown-linux-gnu"
  std::vector<ArtifactVariant> variants; ///< from the least demanding to the most; never empty
  std::vector<ArtifactKernel> kernels;
  /// Anything else, in order: "compiler", "llvm", what a cache has to know. Names hold no space,
  /// and neither holds a line feed.
  std::vector<std::pair<std::string, std::string>> notes;

  /// The value of the first note of that name, or "".
  std::string_view note(std::string_view name) const;

  /// The info text; docs/artifact.md gives its grammar.
  std::string print() const;
  /// `Corrupt` with the number of the line that is wrong. Plans lie within `imageBytes`.
  static Result<ArtifactInfo> parse(std::string_view text, uint64_t imageBytes);
};

/// Sets where `plan` stands in `image`. False when it is not in there.
bool locatePlan(std::span<const std::byte> image, std::span<const std::byte> plan,
                ArtifactVariant &variant);

/// An artifact file: `image`, an ELF shared object, with `info` and the footer behind it. The
/// plans' places must be filled in.
std::vector<std::byte> sealArtifact(std::span<const std::byte> image, const ArtifactInfo &info);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_ARTIFACTINFO_H
