// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the code of a module comes from: an artifact file, the cache, or else the compiler, which
// is loaded only then.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_MODULE_H
#define SAWTOOTH_TOOLS_SAWTOOTH_MODULE_H

#include "Arguments.h"
#include "CompilerLibrary.h"
#include "sawtooth/runtime/ArtifactFile.h"
#include "sawtooth/runtime/Cache.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sawtooth::tool {

/// A module in this process: its code is unloaded with it.
class Module {
public:
  /// `code` keeps alive what `artifact` calls.
  Module(std::shared_ptr<const void> code, runtime::Artifact artifact,
         std::vector<runtime::ArtifactKernel> kernels = {})
      : code(std::move(code)), held(std::move(artifact)), cubinKernels(std::move(kernels)) {}

  const runtime::Artifact &artifact() const { return held; }
  const runtime::Plan &plan() const { return held.plan; }
  const std::vector<runtime::ArtifactKernel> &kernels() const { return cubinKernels; }

private:
  std::shared_ptr<const void> code;
  runtime::Artifact held;
  std::vector<runtime::ArtifactKernel> cubinKernels;
};

/// Finds or makes modules. Opens the cache, and says once what is wrong with it, when it is first
/// needed.
class ModuleSource {
public:
  /// `cacheFolder` instead of the one that the user's environment names; "" for no cache.
  explicit ModuleSource(const TargetOptions &options,
                        std::optional<std::string> cacheFolder = std::nullopt)
      : options(options), folder(std::move(cacheFolder)) {}

  /// The module in a file of MLIR or an artifact file, ready to run. `batch` as in TargetOptions;
  /// `Unsupported` when an artifact is for another. `Invalid` with an empty message when the
  /// compiler has said what is wrong.
  runtime::Result<Module> load(const std::string &path) { return load(path, options.batch); }
  runtime::Result<Module> load(const std::string &path, std::optional<uint64_t> batch);

  /// What can be told without running anything, also of an artifact for another machine.
  struct Description {
    runtime::Plan plan;
    std::string chips; ///< that there is code for
    std::vector<runtime::ArtifactKernel> kernels;
  };
  runtime::Result<Description> describe(const std::string &path);

  /// An artifact of a file of MLIR with code for `chips` (names with commas between).
  runtime::Result<runtime::ArtifactFile> artifact(const std::string &path,
                                                  const std::string &chips);

private:
  struct Request; // one file, and what it was looked for under
  runtime::Result<std::optional<runtime::ArtifactFile>> find(Request &request);
  runtime::Result<runtime::ArtifactFile> build(Request &request);
  runtime::Status readInput(Request &request);
  void openCache();
  void noticeDamage(const runtime::Cache::Found &found);
  void say(const std::string &what, const runtime::CacheKey &key) const;

  TargetOptions options;
  std::optional<std::string> folder;
  std::optional<CompilerLibrary> library;
  std::optional<runtime::Cache> cache;
  bool cacheOpened = false;
};

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_MODULE_H
