// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/ArtifactInfo.h"

#include "Cat.h"
#include "sawtooth/runtime/Abi.h"
#include "sawtooth/runtime/ArtifactFormat.h"
#include "sawtooth/runtime/Digest.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace sawtooth::runtime {

std::string_view ArtifactInfo::note(std::string_view name) const {
  for (const auto &[key, value] : notes)
    if (key == name)
      return value;
  return {};
}

static std::string join(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ",") + word;
  return text.empty() ? "-" : text;
}

std::string ArtifactInfo::print() const {
  std::string text = cat("target ", target, "\n");
  for (const ArtifactVariant &variant : variants)
    text += cat("variant ", variant.query, " ", variant.chip, " ", variant.planOffset, " ",
                variant.planBytes, " ", join(variant.features), "\n");
  for (const ArtifactKernel &kernel : kernels)
    text += cat("kernel ", kernel.chip, " ", kernel.name, " ", kernel.registers, " ",
                kernel.spilled, " ", kernel.shared, "\n");
  for (const auto &[name, value] : notes)
    text += cat(name, " ", value, "\n");
  return text;
}

// Cuts the text before `separator` off `text`, or all of it when there is none.
static std::string_view take(std::string_view &text, char separator) {
  size_t end = text.find(separator);
  std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return word;
}

static bool takeNumber(std::string_view &text, uint64_t &number) {
  std::string_view word = take(text, ' ');
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

static bool parseVariant(std::string_view line, uint64_t imageBytes, ArtifactVariant &variant) {
  variant.query = take(line, ' ');
  variant.chip = take(line, ' ');
  if (!takeNumber(line, variant.planOffset) || !takeNumber(line, variant.planBytes))
    return false;
  std::string_view features = take(line, ' ');
  if (variant.query.empty() || variant.chip.empty() || features.empty() || !line.empty())
    return false;
  if (features != "-")
    while (!features.empty())
      variant.features.emplace_back(take(features, ','));
  return variant.planOffset <= imageBytes && variant.planBytes <= imageBytes - variant.planOffset;
}

static bool parseKernel(std::string_view line, ArtifactKernel &kernel) {
  kernel.chip = take(line, ' ');
  kernel.name = take(line, ' ');
  return takeNumber(line, kernel.registers) && takeNumber(line, kernel.spilled) &&
         takeNumber(line, kernel.shared) && !kernel.name.empty() && line.empty();
}

Result<ArtifactInfo> ArtifactInfo::parse(std::string_view text, uint64_t imageBytes) {
  ArtifactInfo info;
  for (uint64_t number = 1; !text.empty(); ++number) {
    std::string_view line = take(text, '\n');
    std::string_view name = take(line, ' ');
    bool good = !name.empty();
    if (name == "target")
      info.target = line;
    else if (name == "variant")
      good = parseVariant(line, imageBytes, info.variants.emplace_back());
    else if (name == "kernel")
      good = parseKernel(line, info.kernels.emplace_back());
    else
      info.notes.emplace_back(name, line);
    if (!good)
      return Status::error(StatusCode::Corrupt, cat("line ", number, " of its info is malformed"));
  }
  if (info.target.empty() || info.variants.empty())
    return Status::error(StatusCode::Corrupt,
                         "expected a target and a variant in its info, got none");
  return info;
}

bool locatePlan(std::span<const std::byte> image, std::span<const std::byte> plan,
                ArtifactVariant &variant) {
  auto found = std::search(image.begin(), image.end(), plan.begin(), plan.end());
  if (plan.empty() || found == image.end())
    return false;
  variant.planOffset = static_cast<uint64_t>(found - image.begin());
  variant.planBytes = plan.size();
  return true;
}

std::vector<std::byte> sealArtifact(std::span<const std::byte> image, const ArtifactInfo &info) {
  std::string text = info.print();
  SawtoothArtifactFooter footer = {};
  std::vector<std::byte> file(image.size() + text.size() + sizeof(footer));
  footer.imageBytes = image.size();
  footer.infoBytes = text.size();
  footer.fileBytes = file.size();
  footer.format = SAWTOOTH_ARTIFACT_FORMAT;
  footer.abi = SAWTOOTH_ABI_VERSION;
  footer.magic = SAWTOOTH_ARTIFACT_MAGIC;
  std::byte *end = file.data() + image.size() + text.size();
  if (!image.empty())
    std::memcpy(file.data(), image.data(), image.size());
  std::memcpy(file.data() + image.size(), text.data(), text.size());
  std::memcpy(end, &footer, sizeof(footer));
  std::byte *checksum = end + offsetof(SawtoothArtifactFooter, checksum);
  Digest sum = digest({file.data(), checksum});
  std::memcpy(checksum, &sum.low, sizeof(sum.low));
  std::memcpy(checksum + sizeof(sum.low), &sum.high, sizeof(sum.high));
  return file;
}

} // namespace sawtooth::runtime
