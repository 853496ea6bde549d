// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_ARTIFACTFILE_H
#define SAWTOOTH_RUNTIME_ARTIFACTFILE_H

#include "sawtooth/runtime/Artifact.h"
#include "sawtooth/runtime/ArtifactInfo.h"
#include "sawtooth/runtime/Plan.h"
#include "sawtooth/runtime/Status.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sawtooth::runtime {

/// An artifact whose code is loaded; unloads it when the last copy goes.
struct LoadedArtifact {
  std::shared_ptr<void> code; ///< keeps `artifact`'s functions callable
  Artifact artifact;
  std::string chip;
};

/// An artifact file that was read whole and found undamaged. It holds an own, sealed copy in
/// memory, so nobody can change the bytes between the check and the loading, and the file may be
/// replaced or removed meanwhile. Copies share the bytes.
class ArtifactFile {
public:
  /// `Io` when the file cannot be read, `Corrupt` when it is no artifact, is damaged or cut short,
  /// `Unsupported` for another version of format or ABI. Runs nothing of the file. Messages begin
  /// with the path.
  static Result<ArtifactFile> open(const std::string &path);
  /// The same from a descriptor that is open for reading; `title` begins the messages.
  static Result<ArtifactFile> read(int descriptor, const std::string &title);
  static Result<ArtifactFile> read(std::span<const std::byte> bytes, const std::string &title);

  const ArtifactInfo &info() const;
  /// Every byte of the file.
  std::span<const std::byte> bytes() const;
  /// The ELF shared object.
  std::span<const std::byte> image() const;

  /// The plan of a variant, without loading code: of artifacts for other machines too.
  Result<Plan> plan(size_t variant = 0) const;

  /// The variant for `chip`, or with "" or "native" the most demanding one that this machine's CPU
  /// can run; for a GPU, "sm_90", the newest one that it runs. `Unsupported` when it is for another
  /// architecture or the machine lacks what it needs, `NotFound` for a chip that it holds no code
  /// for.
  Result<size_t> choose(std::string_view chip = "") const;

  /// Loads the chosen variant's code.
  Result<LoadedArtifact> load(std::string_view chip = "") const;

private:
  struct Contents;
  explicit ArtifactFile(std::shared_ptr<const Contents> contents) : contents(std::move(contents)) {}
  template <typename Source>
  static Result<ArtifactFile> readFrom(Source source, const std::string &title);

  std::shared_ptr<const Contents> contents;
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_ARTIFACTFILE_H
