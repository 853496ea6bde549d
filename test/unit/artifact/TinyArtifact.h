// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Artifacts made of tiny.c, and a folder to put them in.
#ifndef SAWTOOTH_TEST_UNIT_ARTIFACT_TINYARTIFACT_H
#define SAWTOOTH_TEST_UNIT_ARTIFACT_TINYARTIFACT_H

#include "sawtooth/runtime/ArtifactFile.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace sawtooth::runtime::test {

using Bytes = std::vector<std::byte>;

Bytes readBytes(const std::string &path);
void writeBytes(const std::string &path, std::span<const std::byte> bytes);

/// The shared object that tiny.c becomes, for this machine and for aarch64.
Bytes tinyImage();
Bytes tinyForeignImage();

/// Chips "three", whose function writes 3 to the state block and which any machine runs, and
/// "four", which writes 4 and needs `features`.
ArtifactInfo tinyInfo(std::span<const std::byte> image, std::vector<std::string> features = {});

/// A sealed artifact with the note "key".
Bytes tinyArtifact(const std::string &key = "");

/// What the function of loaded code writes.
int64_t runTiny(const LoadedArtifact &loaded);

/// A folder that goes with its content.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string file(const std::string &name) const { return (path / name).string(); }
  std::vector<std::string> names() const; ///< sorted

  std::filesystem::path path;
};

} // namespace sawtooth::runtime::test

#endif // SAWTOOTH_TEST_UNIT_ARTIFACT_TINYARTIFACT_H
