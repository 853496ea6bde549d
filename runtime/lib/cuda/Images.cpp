// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/cuda/Images.h"

#include "Cat.h"
#include "sawtooth/runtime/GpuChip.h"

#include <algorithm>
#include <tuple>

namespace sawtooth::runtime::cuda {

static std::string versionOf(unsigned ptx) { return cat(ptx / 10, ".", ptx % 10); }

static GpuChip chipOf(const SawtoothImage &image) {
  return {image.chip, static_cast<char>(image.suffix)};
}

std::string imageTitle(const SawtoothImage &image) {
  return cat(image.kind == SAWTOOTH_IMAGE_CUBIN ? "cubin" : "PTX " + versionOf(image.ptx), " for ",
             chipOf(image).name());
}

static bool fits(const SawtoothImage &image, unsigned capability) {
  return image.kind == SAWTOOTH_IMAGE_CUBIN ? chipOf(image).binaryRunsOn(capability)
                                            : chipOf(image).ptxRunsOn(capability);
}

std::vector<const SawtoothImage *> imagesFor(std::span<const SawtoothImage> images,
                                             unsigned capability, unsigned newestPtx,
                                             std::vector<std::string> &reasons) {
  std::vector<const SawtoothImage *> fitting;
  for (const SawtoothImage &image : images) {
    if (!fits(image, capability))
      reasons.push_back(cat(imageTitle(image), " is not for sm_", capability));
    else if (image.kind == SAWTOOTH_IMAGE_PTX && image.ptx > newestPtx)
      reasons.push_back(cat(imageTitle(image), " needs a driver that knows PTX ",
                            versionOf(image.ptx), ", this one knows ", versionOf(newestPtx)));
    else
      fitting.push_back(&image);
  }
  // Of two for one chip, the one with a suffix may use more of it.
  auto rank = [](const SawtoothImage *image) {
    return std::tuple(image->kind == SAWTOOTH_IMAGE_CUBIN, image->chip, image->suffix != 0);
  };
  std::sort(fitting.begin(), fitting.end(),
            [&](const SawtoothImage *a, const SawtoothImage *b) { return rank(a) > rank(b); });
  return fitting;
}

} // namespace sawtooth::runtime::cuda
