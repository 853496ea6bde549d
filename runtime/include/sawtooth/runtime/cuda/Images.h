// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of an artifact's images a device runs; GpuChip.h has the rules.
#ifndef SAWTOOTH_RUNTIME_CUDA_IMAGES_H
#define SAWTOOTH_RUNTIME_CUDA_IMAGES_H

#include "sawtooth/runtime/Abi.h"

#include <span>
#include <string>
#include <vector>

namespace sawtooth::runtime::cuda {

/// "cubin for sm_90", "PTX 7.8 for sm_90a".
std::string imageTitle(const SawtoothImage &image);

/// The images in the order in which to try them: the cubin for this very chip, cubins for the same
/// major and a smaller minor version from the newest on, PTX for the same or an older chip from the
/// newest on. PTX newer than `newestPtx` (78 for 7.8) is left out, and said in `reasons`, as is
/// every other image that does not fit.
std::vector<const SawtoothImage *> imagesFor(std::span<const SawtoothImage> images,
                                             unsigned capability, unsigned newestPtx,
                                             std::vector<std::string> &reasons);

} // namespace sawtooth::runtime::cuda

#endif // SAWTOOTH_RUNTIME_CUDA_IMAGES_H
