// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_CACHE_H
#define SAWTOOTH_RUNTIME_CACHE_H

#include "sawtooth/runtime/ArtifactFile.h"
#include "sawtooth/runtime/CacheKey.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sawtooth::runtime {

class CacheFolder;

/// Something that a compilation read besides its input file.
struct CacheInput {
  enum class Kind : uint32_t {
    File,   ///< an imported file; `stamp` is the digest of its bytes
    Library ///< a library of the compiler's; `stamp` is its build id
  };
  Kind kind = Kind::File;
  std::string path; ///< a relative one counts from the input file's folder
  std::string stamp;
};

/// The stamp of a file as it is now, or "" when it cannot be read.
std::string stampOf(CacheInput::Kind kind, const std::string &path);

/// Compiled artifacts in a folder, for the same user's next process. An entry is one file that
/// tells whether it is whole and what it is for; whatever is wrong with one, it counts as absent.
/// Any number of processes may use a folder at once, and removing files from it is always safe.
///
///   <name of a Module key>.so    an artifact whose note "key" is that key's text
///   <name of a Bytes key>.ref    the name of a Module key, and the inputs that it holds for
class Cache {
public:
  /// What a look-up came to. Without an artifact, `why` tells the reason: "absent", or what was
  /// wrong with an entry that was there.
  struct Found {
    std::optional<ArtifactFile> artifact;
    std::string why;
    bool damaged = false; ///< there was an entry that should not be as it is
  };

  /// Makes the folder (0700, as its parents) when it is not there. `Io` when that fails,
  /// `Unsupported` when the folder is another user's or others may write to it: they could plant
  /// code.
  static Result<Cache> open(const std::string &folder);

  const std::string &folder() const;

  /// The artifact for the bytes of an input file that lies in `inputFolder`, if what it imports
  /// is still the same. Needs no compiler.
  Found find(const CacheKey &bytes, const std::string &inputFolder) const;
  Found findModule(const CacheKey &module) const;

  /// Puts a sealed artifact under a Module key, in place of what is there. A reader sees the whole
  /// entry or none, also when this process or the machine dies. `Io` leaves no partial entry.
  Status store(const CacheKey &module, std::span<const std::byte> artifact) const;
  /// Lets a Bytes key find the artifact of a Module key while `inputs` are as they are.
  Status refer(const CacheKey &bytes, const CacheKey &module,
               std::span<const CacheInput> inputs) const;

private:
  explicit Cache(std::shared_ptr<const CacheFolder> opened) : opened(std::move(opened)) {}
  Found findNamed(const std::string &name, const std::string *keyText) const;

  std::shared_ptr<const CacheFolder> opened;
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_CACHE_H
