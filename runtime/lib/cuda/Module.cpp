// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/cuda/Module.h"

#include "Cat.h"
#include "sawtooth/runtime/cuda/Images.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace sawtooth::runtime::cuda {

Result<std::shared_ptr<const Module>> Module::load(const DevicePointer &device,
                                                   std::span<const SawtoothImage> images) {
  // A function belongs to the context that its module was loaded into, so the context is part of
  // the key; where the images lie tells artifacts apart, for whoever holds a module holds them.
  using Key = std::pair<CUcontext, const void *>;
  static std::mutex mutex;
  static std::map<Key, std::weak_ptr<const Module>> loaded;
  std::lock_guard lock(mutex);
  std::erase_if(loaded, [](const auto &entry) { return entry.second.expired(); });
  Key key{device->context(), images.empty() ? nullptr : images[0].data};
  if (auto found = loaded.find(key); found != loaded.end())
    if (std::shared_ptr<const Module> module = found->second.lock())
      return module;
  Result<std::shared_ptr<const Module>> module = loadAnew(device, images);
  if (module.ok())
    loaded[key] = *module;
  return module;
}

// The last lines of a compiler's log tell what it was about.
static std::string shortened(std::string log) {
  while (!log.empty() && (log.back() == '\n' || log.back() == '\0'))
    log.pop_back();
  constexpr size_t longest = 500;
  if (log.size() > longest)
    log = "…" + log.substr(log.size() - longest);
  std::replace(log.begin(), log.end(), '\n', ' ');
  return log;
}

Result<std::shared_ptr<const Module>> Module::loadAnew(const DevicePointer &device,
                                                       std::span<const SawtoothImage> images) {
  const Driver &api = device->driver();
  std::shared_ptr<Module> module(new Module(device));
  std::vector<std::string> reasons;
  std::vector<const SawtoothImage *> candidates =
      imagesFor(images, device->capability(), api.newestPtx(), reasons);
  ContextScope scope(api, device->context());
  OutsideCapture outside(api);
  SAWTOOTH_TRY(scope.status());
  for (const SawtoothImage *image : candidates) {
    char log[4096] = {};
    int options[] = {jitErrorLog, jitErrorLogBytes};
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
    CUresult result = api.cuModuleLoadDataEx(&module->handle, image->data, 2, options, values);
    if (result == success) {
      module->title = imageTitle(*image);
      return std::shared_ptr<const Module>(std::move(module));
    }
    module->handle = nullptr;
    Status status = api.check(result, "cuModuleLoadDataEx");
    // Only what may be the image's own fault lets another one be tried.
    if (result != errorInvalidImage && result != errorNoBinaryForGpu && result != errorInvalidPtx &&
        result != errorUnsupportedPtxVersion && result != errorInvalidSource)
      return status.of(imageTitle(*image));
    std::string said = shortened(log);
    module->refused.push_back(
        cat(imageTitle(*image), ": ", status.message(), said.empty() ? "" : ": ", said));
  }
  reasons.insert(reasons.end(), module->refused.begin(), module->refused.end());
  std::string text = cat("no code for ", device->name(), " (sm_", device->capability(),
                         ") that its driver for CUDA ", versionText(api.version()), " takes");
  for (const std::string &reason : reasons)
    text += cat(&reason == &reasons[0] ? ": " : "; ", reason);
  text += "; compile for an older chip or PTX, or install a newer driver";
  return Status::error(StatusCode::Unsupported, text);
}

Result<CUfunction> Module::function(const char *name) const {
  const Driver &api = device->driver();
  ContextScope scope(api, device->context());
  SAWTOOTH_TRY(scope.status());
  CUfunction function = nullptr;
  CUresult result = api.cuModuleGetFunction(&function, handle, name);
  if (result == errorNotFound)
    return Status::error(StatusCode::NotFound,
                         cat("the ", title, " of the artifact has no kernel '", name, "'"));
  SAWTOOTH_TRY(api.check(result, "cuModuleGetFunction"));
  return function;
}

Module::~Module() {
  if (!handle)
    return;
  ContextScope scope(device->driver(), device->context());
  OutsideCapture outside(device->driver());
  if (scope.status().ok())
    (void)device->driver().cuModuleUnload(handle);
}

} // namespace sawtooth::runtime::cuda
