// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Gpu.h"

#include "CompilerLibrary.h"
#include "sawtooth/runtime/GpuChip.h"

#include <filesystem>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

// The simulator lies beside the tools that were built with it.
static std::string simulatorHint() {
  std::string folder = std::filesystem::path(ownFolder() + "/../lib/ptxsim").lexically_normal();
  std::error_code ignored;
  std::string where = std::filesystem::exists(folder + "/libcuda.so.1", ignored)
                          ? folder
                          : "FOLDER/lib/ptxsim, from tools/ptxsim,";
  return "; without a GPU the simulator runs the same code: put LD_LIBRARY_PATH=" + where +
         " before the command";
}

Result<cuda::DevicePointer> firstGpu() {
  // Its context takes a good part of a second to create, so it is kept until the process ends.
  static auto *kept = new cuda::DevicePointer;
  if (*kept)
    return *kept;
  Result<cuda::DevicePointer> device = cuda::Device::primary(0);
  if (device.ok())
    return *kept = *device;
  const Status &why = device.status();
  bool absent = why.code() == StatusCode::Unsupported || why.code() == StatusCode::NotFound;
  return Status::error(why.code(),
                       "--target=nvptx: " + why.message() + (absent ? simulatorHint() : ""));
}

Result<std::unique_ptr<Engine>> createGpuEngine(Store &store, uint64_t rows) {
  Result<cuda::DevicePointer> device = firstGpu();
  if (!device.ok())
    return device.status();
  Result<std::unique_ptr<cuda::DeviceEngine>> engine =
      cuda::DeviceEngine::create(store, *device, rows);
  if (!engine.ok())
    return engine.status();
  return std::unique_ptr<Engine>(std::move(*engine));
}

Result<std::string> nativeGpuChip() {
  Result<cuda::DevicePointer> device = firstGpu();
  if (!device.ok())
    return device.status();
  std::optional<GpuChip> chip = GpuChip::newestFor((*device)->capability());
  if (!chip)
    return Status::error(StatusCode::Unsupported,
                         "--target=nvptx: expected a GPU from sm_75 on, got " + (*device)->name() +
                             " (sm_" + std::to_string((*device)->capability()) + ")");
  return chip->name();
}

} // namespace sawtooth::tool
