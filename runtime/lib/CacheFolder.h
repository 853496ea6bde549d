// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder of a cache as the operating system shows it: who may write to it, whole files in and
// out. Knows nothing of what the files mean.
#ifndef SAWTOOTH_RUNTIME_LIB_CACHEFOLDER_H
#define SAWTOOTH_RUNTIME_LIB_CACHEFOLDER_H

#include "Descriptor.h"
#include "sawtooth/runtime/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace sawtooth::runtime {

/// An open folder. Files are reached through its descriptor, so that the check of its owner holds
/// for the folder that is used, wherever the path leads later.
class CacheFolder {
public:
  /// As Cache::open.
  static Result<std::shared_ptr<const CacheFolder>> open(const std::string &path);

  const std::string &path() const { return folderPath; }

  /// Opens a file for reading. `NotFound` when it is not there, `Unsupported` when others may have
  /// written it.
  Result<Descriptor> read(const std::string &name) const;
  /// Writes a file under a name of its own, syncs it and gives it its name.
  Status replace(const std::string &name, std::span<const std::byte> bytes) const;

private:
  CacheFolder(std::string path, Descriptor folder)
      : folderPath(std::move(path)), folder(std::move(folder)) {}
  void sweep() const;

  std::string folderPath;
  Descriptor folder;
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_LIB_CACHEFOLDER_H
