// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/cuda/Images.h"

#include "Cat.h"

#include <algorithm>
#include <tuple>

namespace sawtooth::runtime::cuda {

static std::string versionOf(unsigned ptx) { return cat(ptx / 10, ".", ptx % 10); }

std::string imageTitle(const SawtoothImage &image) {
  std::string suffix = image.suffix ? std::string(1, static_cast<char>(image.suffix)) : "";
  return cat(image.kind == SAWTOOTH_IMAGE_CUBIN ? "cubin" : "PTX " + versionOf(image.ptx),
             " for sm_", image.chip, suffix);
}

static bool fits(const SawtoothImage &image, unsigned capability) {
  if (image.chip > capability)
    return false;
  if (image.suffix == 'a')
    return image.chip == capability;
  bool sameMajor = image.chip / 10 == capability / 10;
  return sameMajor || (image.kind == SAWTOOTH_IMAGE_PTX && image.suffix == 0);
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
