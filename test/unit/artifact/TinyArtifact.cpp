// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TinyArtifact.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace sawtooth::runtime::test {

Bytes readBytes(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file)
    throw std::runtime_error("cannot read " + path);
  auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void writeBytes(const std::string &path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char *>(bytes.data()), std::ssize(bytes));
  if (!file.flush())
    throw std::runtime_error("cannot write " + path);
}

Bytes tinyImage() { return readBytes(SAWTOOTH_TEST_TINY); }
Bytes tinyForeignImage() { return readBytes(SAWTOOTH_TEST_TINY_FOREIGN); }

ArtifactInfo tinyInfo(std::span<const std::byte> image, std::vector<std::string> features) {
  // The plan says its own size, and nothing else in the image begins with its mark.
  uint64_t mark = SAWTOOTH_PLAN_MAGIC;
  auto markBytes = std::as_bytes(std::span(&mark, 1));
  auto start = std::search(image.begin(), image.end(), markBytes.begin(), markBytes.end());
  SawtoothPlan plan;
  std::memcpy(&plan, &*start, sizeof(plan));
  ArtifactVariant three{"sawtooth_query", "three", {}, uint64_t(start - image.begin()), plan.bytes};
  ArtifactVariant four = three;
  four.query = "sawtooth_query_four";
  four.chip = "four";
  four.features = std::move(features);
  return {.target = "x86_64-unknown-linux-gnu",
          .variants = {three, four},
          .kernels = {},
          .notes = {{"compiler", "by hand"}}};
}

Bytes tinyArtifact(const std::string &key) {
  Bytes image = tinyImage();
  ArtifactInfo info = tinyInfo(image);
  info.notes.emplace_back("key", key);
  return sealArtifact(image, info);
}

int64_t runTiny(const LoadedArtifact &loaded) {
  int64_t state = 0;
  SawtoothCtx context = {};
  context.state = &state;
  loaded.artifact.functions.at(0)(&context, 0, 0);
  return state;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "sawtooth-test-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw std::runtime_error("cannot make " + name);
  path = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(path))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace sawtooth::runtime::test
