// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_CUDA_MODULE_H
#define SAWTOOTH_RUNTIME_CUDA_MODULE_H

#include "sawtooth/runtime/Abi.h"
#include "sawtooth/runtime/cuda/Device.h"

#include <span>
#include <vector>

namespace sawtooth::runtime::cuda {

/// The code of an artifact, loaded into one context.
class Module {
public:
  /// Tries the images that fit, best first: a cubin that the driver refuses gives way to PTX. The
  /// same images in the same context are loaded once, for as long as somebody has them.
  /// `Unsupported` says of every image why not.
  static Result<std::shared_ptr<const Module>> load(const DevicePointer &device,
                                                    std::span<const SawtoothImage> images);
  ~Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  /// `NotFound` when the image has no such kernel.
  Result<CUfunction> function(const char *name) const;

  /// "PTX 7.8 for sm_90".
  const std::string &picked() const { return title; }
  /// Why an image that would have been better was not taken; mostly empty.
  const std::vector<std::string> &refusals() const { return refused; }

private:
  explicit Module(DevicePointer device) : device(std::move(device)) {}
  static Result<std::shared_ptr<const Module>> loadAnew(const DevicePointer &device,
                                                        std::span<const SawtoothImage> images);

  DevicePointer device;
  CUmodule handle = nullptr;
  std::string title;
  std::vector<std::string> refused;
};

} // namespace sawtooth::runtime::cuda

#endif // SAWTOOTH_RUNTIME_CUDA_MODULE_H
