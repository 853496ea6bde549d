// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Cache.h"

#include "CacheFolder.h"
#include "Cat.h"
#include "sawtooth/runtime/ElfBuildId.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sawtooth::runtime {

Result<Cache> Cache::open(const std::string &path) {
  Result<std::shared_ptr<const CacheFolder>> folder = CacheFolder::open(path);
  if (!folder.ok())
    return folder.status();
  return Cache(*folder);
}

const std::string &Cache::folder() const { return opened->path(); }

// All of a regular file of moderate size.
static bool readText(int descriptor, std::string &text) {
  struct stat info;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > 1 << 26)
    return false;
  char buffer[1 << 14];
  for (;;) {
    ssize_t got = ::read(descriptor, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got == 0;
    text.append(buffer, static_cast<size_t>(got));
  }
}

std::string stampOf(CacheInput::Kind kind, const std::string &path) {
  if (kind == CacheInput::Kind::Library)
    return elfBuildId(path);
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string text;
  return file.get() >= 0 && readText(file.get(), text) ? digest(text).hex() : std::string();
}

static std::string artifactName(const std::string &key) { return key + ".so"; }
static std::string referenceName(const CacheKey &key) { return key.name() + ".ref"; }

static Cache::Found missing(const Status &status) {
  return {std::nullopt, status.message(), status.code() != StatusCode::NotFound};
}

Cache::Found Cache::findNamed(const std::string &name, const std::string *keyText) const {
  Result<Descriptor> file = opened->read(artifactName(name));
  if (!file.ok())
    return missing(file.status());
  std::string path = cat(folder(), "/", artifactName(name));
  Result<ArtifactFile> artifact = ArtifactFile::read(file->get(), path);
  if (!artifact.ok())
    return missing(artifact.status());
  // An entry under a name that is not its own was put there by hand, or two keys share a digest.
  std::string_view held = artifact->info().note("key");
  if (keyText ? held != *keyText : digest(held).hex() != name)
    return {std::nullopt, cat(path, ": it is for another key"), true};
  return {*artifact, {}, false};
}

Cache::Found Cache::findModule(const CacheKey &module) const {
  std::string text = module.text();
  return findNamed(module.name(), &text);
}

//===------------------------------------------------------------------------------------------===//
// References: lines of "key TEXT", "module NAME", "file STAMP PATH", "library STAMP PATH", and last
// "checksum HEX" over everything before it.
//===------------------------------------------------------------------------------------------===//

static std::string referenceText(const CacheKey &bytes, const CacheKey &module,
                                 std::span<const CacheInput> inputs) {
  std::string text = cat("key ", bytes.text(), "\nmodule ", module.name(), "\n");
  for (const CacheInput &input : inputs)
    text += cat(input.kind == CacheInput::Kind::File ? "file " : "library ", input.stamp, " ",
                input.path, "\n");
  return cat(text, "checksum ", digest(text).hex(), "\n");
}

namespace {
struct Reference {
  std::string key, module;
  std::vector<CacheInput> inputs;
};
} // namespace

static std::optional<Reference> parseReference(const std::string &text) {
  constexpr size_t sumLine = sizeof("checksum ") - 1 + 32 + 1;
  if (text.size() < sumLine)
    return std::nullopt;
  std::string_view body(text.data(), text.size() - sumLine);
  if (text.substr(body.size()) != cat("checksum ", digest(body).hex(), "\n"))
    return std::nullopt;
  Reference reference;
  while (!body.empty()) {
    size_t end = body.find('\n');
    std::string_view line = body.substr(0, end);
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
    size_t space = line.find(' ');
    if (space == std::string_view::npos)
      return std::nullopt;
    std::string_view word = line.substr(0, space), rest = line.substr(space + 1);
    if (word == "key") {
      reference.key = rest;
    } else if (word == "module") {
      reference.module = rest;
    } else if (word == "file" || word == "library") {
      size_t middle = rest.find(' ');
      if (middle == std::string_view::npos)
        return std::nullopt;
      reference.inputs.push_back(
          {word == "file" ? CacheInput::Kind::File : CacheInput::Kind::Library,
           std::string(rest.substr(middle + 1)), std::string(rest.substr(0, middle))});
    } else {
      return std::nullopt;
    }
  }
  return reference;
}

Cache::Found Cache::find(const CacheKey &bytes, const std::string &inputFolder) const {
  std::string name = referenceName(bytes);
  Result<Descriptor> file = opened->read(name);
  if (!file.ok())
    return missing(file.status());
  std::string text;
  std::optional<Reference> reference;
  if (readText(file->get(), text))
    reference = parseReference(text);
  if (!reference)
    return {std::nullopt, cat(folder(), "/", name, ": it is damaged"), true};
  if (reference->key != bytes.text())
    return {std::nullopt, cat(folder(), "/", name, ": it is for another key"), true};
  for (const CacheInput &input : reference->inputs) {
    std::string path = input.path.starts_with('/') ? input.path : cat(inputFolder, "/", input.path);
    if (input.stamp.empty() || stampOf(input.kind, path) != input.stamp)
      return {std::nullopt, cat(path, " has changed"), false};
  }
  return findNamed(reference->module, nullptr);
}

Status Cache::store(const CacheKey &module, std::span<const std::byte> artifact) const {
  return opened->replace(artifactName(module.name()), artifact);
}

Status Cache::refer(const CacheKey &bytes, const CacheKey &module,
                    std::span<const CacheInput> inputs) const {
  for (const CacheInput &input : inputs)
    if (input.stamp.empty() || input.path.find('\n') != std::string::npos)
      return Status::error(StatusCode::Unsupported,
                           cat(input.path, ": cannot tell whether this file will change"));
  std::string text = referenceText(bytes, module, inputs);
  return opened->replace(referenceName(bytes), std::as_bytes(std::span(text)));
}

} // namespace sawtooth::runtime
