// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Module.h"

#include "Environment.h"
#include "Output.h"
#include "Ptxas.h"
#include "sawtooth/runtime/ElfBuildId.h"
#include "sawtooth/runtime/GpuChip.h"
#include "sawtooth/runtime/HostCpu.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <link.h>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

struct ModuleSource::Request {
  std::string path, chips, text, folder;
  std::optional<uint64_t> batch;
  CacheKey bytes, module;
  std::shared_ptr<SawtoothInput> input; // set when the compiler had to be asked
  bool distrust = false;                // what the cache holds is of no use here
};

//===------------------------------------------------------------------------------------------===//
// Files
//===------------------------------------------------------------------------------------------===//

// Of a source. A device has no end, and text takes a hundred times its size when it is parsed.
static constexpr size_t maximumSource = size_t(256) << 20;

static Result<std::string> readFile(const std::string &path) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  std::string text;
  char piece[1 << 14];
  size_t got = 0;
  while (file && (got = std::fread(piece, 1, sizeof(piece), file.get())) > 0) {
    text.append(piece, got);
    if (text.size() > maximumSource)
      return Status::error(StatusCode::Invalid,
                           path + ": expected at most " + byteText(maximumSource) + ", got more");
  }
  if (!file || std::ferror(file.get()))
    return Status::error(StatusCode::Io, path + ": cannot read: " + std::strerror(errno));
  return text;
}

// A damaged artifact may begin with anything, so its name counts too. What is read from a pipe is
// gone, so only files are looked into.
static bool isArtifact(const std::string &path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return path.ends_with(".so");
  char begin[4] = {};
  std::ifstream(path, std::ios::binary).read(begin, sizeof(begin));
  return std::memcmp(begin, "\177ELF", sizeof(begin)) == 0 || path.ends_with(".so");
}

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// The libraries that hold LLVM and MLIR, once the compiler is loaded: they change without it.
static std::vector<CacheInput> compilerLibraries() {
  std::vector<CacheInput> libraries;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *user) {
        std::string path = info->dlpi_name, name = path.substr(path.rfind('/') + 1);
        if (name.find("LLVM") != std::string::npos || name.find("MLIR") != std::string::npos)
          static_cast<std::vector<CacheInput> *>(user)->push_back(
              {CacheInput::Kind::Library, path, elfBuildId(path)});
        return 0;
      },
      &libraries);
  return libraries;
}

//===------------------------------------------------------------------------------------------===//
// The cache
//===------------------------------------------------------------------------------------------===//

void ModuleSource::openCache() {
  if (std::exchange(cacheOpened, true))
    return;
  std::string why, path = folder ? *folder : cacheFolder(why);
  if (!path.empty()) {
    Result<Cache> opened = Cache::open(path);
    if (opened.ok())
      cache = *opened;
    else
      why = opened.status().message();
  }
  if (!why.empty())
    warning("compiled code is not kept: " + why);
}

void ModuleSource::noticeDamage(const Cache::Found &found) {
  if (found.damaged)
    warning("a cached artifact is not used: " + found.why);
}

void ModuleSource::say(const std::string &what, const CacheKey &key) const {
  if (options.verbose)
    note("cache: " + what + " " + key.name() + " (" + key.text() + ")");
}

Result<std::optional<ArtifactFile>> ModuleSource::find(Request &request) {
  Result<std::string> text = readFile(request.path);
  if (!text.ok())
    return text.status();
  request.text = std::move(*text);
  request.folder = folderOf(request.path);
  CacheKey &key = request.bytes;
  key.content = digest(request.text);
  key.target = options.target.empty() ? "cpu" : options.target;
  key.chips = request.chips;
  if (("," + request.chips + ",").find(",native,") != std::string::npos)
    key.host = hostIdentity();
  key.batch = request.batch.value_or(0);
  if (!options.ptxas.empty() && namesGpu(request.chips)) {
    Result<std::string> ptxas = ptxasIdentity(options.ptxas);
    if (!ptxas.ok())
      return ptxas.status();
    key.options = "ptxas " + *ptxas;
  }
  key.compiler = elfBuildId(CompilerLibrary::path());
  openCache();
  // Without a build id nobody can tell whether the compiler is still the same.
  if (!cache || key.compiler.empty())
    return std::optional<ArtifactFile>();
  Cache::Found found = cache->find(key, request.folder);
  noticeDamage(found);
  say(found.artifact ? "hit" : "miss, " + found.why + ":", key);
  return std::move(found.artifact);
}

//===------------------------------------------------------------------------------------------===//
// The compiler
//===------------------------------------------------------------------------------------------===//

Status ModuleSource::readInput(Request &request) {
  if (!library) {
    Result<CompilerLibrary> loaded = CompilerLibrary::load();
    if (!loaded.ok())
      return loaded.status();
    library = *loaded;
    SawtoothCompileOptions raw = compileOptions(options);
    if (options.linker.empty() && !library->hasLinker(&raw))
      options.linker = programInPath("ld.lld");
  }
  TargetOptions target = options;
  target.batch = request.batch;
  SawtoothCompileOptions raw = compileOptions(target);
  request.input.reset(
      library->readInput(request.path.c_str(), request.text.data(), request.text.size(), &raw),
      library->inputDestroy);
  return request.input ? Status() : Status::error(StatusCode::Invalid, "");
}

Result<ArtifactFile> ModuleSource::build(Request &request) {
  std::vector<CacheInput> inputs = compilerLibraries();
  request.module = request.bytes;
  request.module.kind = CacheKey::Kind::Module;
  std::string canonical = library->inputDigest(request.input.get());
  request.module.content = digest(canonical);
  for (const CacheInput &input : inputs)
    request.module.llvm += input.stamp + " ";
  for (size_t i = 0; const char *path = library->inputImportPath(request.input.get(), i); ++i)
    inputs.push_back(
        {CacheInput::Kind::File, path, library->inputImportDigest(request.input.get(), i)});

  bool keep = cache && !request.bytes.compiler.empty();
  if (keep && !request.distrust) {
    Cache::Found found = cache->findModule(request.module);
    noticeDamage(found);
    say(found.artifact ? "hit" : "miss, " + found.why + ":", request.module);
    if (found.artifact) {
      (void)cache->refer(request.bytes, request.module, inputs);
      return *found.artifact;
    }
  }
  std::string bytes;
  auto collect = [](const char *piece, size_t size, void *user) {
    static_cast<std::string *>(user)->append(piece, size);
  };
  if (library->inputArtifact(request.input.get(), request.chips.c_str(),
                             request.module.text().c_str(), collect, &bytes))
    return Status::error(StatusCode::Invalid, "");
  say("compiled", request.module);
  std::span<const std::byte> artifact = std::as_bytes(std::span(bytes));
  if (keep) {
    Status stored = cache->store(request.module, artifact);
    if (stored.ok())
      stored = cache->refer(request.bytes, request.module, inputs);
    if (!stored.ok())
      warning("compiled code is not kept: " + stored.message());
  }
  return ArtifactFile::read(artifact, request.path);
}

//===------------------------------------------------------------------------------------------===//
// What commands ask for
//===------------------------------------------------------------------------------------------===//

Result<ArtifactFile> ModuleSource::artifact(const std::string &path, const std::string &chips) {
  Request request{path, chips, {}, {}, options.batch, {}, {}, nullptr, false};
  Result<std::optional<ArtifactFile>> found = find(request);
  if (!found.ok())
    return found.status();
  if (*found)
    return **found;
  SAWTOOTH_TRY(readInput(request));
  return build(request);
}

static Result<Module> loadFrom(const ArtifactFile &file, const std::string &chip) {
  Result<LoadedArtifact> loaded = file.load(chip);
  if (!loaded.ok())
    return loaded.status();
  return Module(std::move(loaded->code), std::move(loaded->artifact), file.info().kernels);
}

// Without a word about the target, code for the CPU is meant, unless there is none.
static Result<Module> loadWhole(const ArtifactFile &file, TargetOptions options) {
  auto isForGpu = [](const ArtifactVariant &variant) {
    return GpuChip::parse(variant.chip).has_value();
  };
  if (options.target.empty() && std::ranges::all_of(file.info().variants, isForGpu)) {
    options.target = "nvptx";
    SAWTOOTH_TRY(resolveTarget(options, /*runs=*/true));
  }
  return loadFrom(file, options.chip);
}

Result<Module> ModuleSource::load(const std::string &path, std::optional<uint64_t> batch) {
  if (isArtifact(path)) {
    Result<ArtifactFile> file = ArtifactFile::open(path);
    Result<Module> module = file.ok() ? loadWhole(*file, options) : Result<Module>(file.status());
    if (module.ok() && batch)
      for (const SawtoothStepRow &step : module->plan().steps())
        if (step.batch && step.batch != *batch)
          return Status::error(StatusCode::Unsupported,
                               path +
                                   ": an artifact keeps the batch size that it was compiled for: "
                                   "expected " +
                                   std::to_string(*batch) + ", got " + std::to_string(step.batch));
    return module;
  }
  Request request{path, options.chip, {}, {}, batch, {}, {}, nullptr, false};
  Result<std::optional<ArtifactFile>> found = find(request);
  if (!found.ok())
    return found.status();
  if (*found) {
    Result<Module> module = loadFrom(**found, options.chip);
    if (module.ok())
      return module;
    warning("a cached artifact is not used: " + module.status().message());
    request.distrust = true;
  }
  SAWTOOTH_TRY(readInput(request));
  SawtoothCompileOptions raw = compileOptions(options);
  if (library->hasLinker(&raw)) {
    Result<ArtifactFile> file = build(request);
    if (!file.ok())
      return file.status();
    Result<Module> module = loadFrom(*file, options.chip);
    if (module.ok())
      return module;
    note("linked in memory instead: " + module.status().message());
  }
  // Without a linker there is no artifact, and some systems run no code from files in memory; but
  // the same object can still be linked into this process.
  std::shared_ptr<SawtoothCompiled> compiled(library->inputLoad(request.input.get()),
                                             library->compiledDestroy);
  if (!compiled)
    return Status::error(StatusCode::Invalid, "");
  Result<Artifact> artifact = Artifact::read(library->compiledArtifact(compiled.get()));
  if (!artifact.ok())
    return artifact.status().of(path);
  return Module(std::move(compiled), std::move(*artifact));
}

Result<ModuleSource::Description> ModuleSource::describe(const std::string &path) {
  if (!isArtifact(path)) {
    Result<Module> module = load(path);
    return module.ok() ? Description{module->plan(), options.chip, module->kernels()}
                       : Result<Description>(module.status());
  }
  Result<ArtifactFile> file = ArtifactFile::open(path);
  if (!file.ok())
    return file.status();
  // Of the target that was asked for, or else of the first that there is.
  const std::vector<ArtifactVariant> &variants = file->info().variants;
  std::optional<size_t> first;
  std::string chips;
  for (size_t i = 0; i < variants.size(); ++i) {
    bool gpu = GpuChip::parse(variants[i].chip).has_value();
    bool wanted = first ? gpu == GpuChip::parse(variants[*first].chip).has_value()
                        : options.target.empty() || gpu == (options.target == "nvptx");
    if (!wanted)
      continue;
    first = first.value_or(i);
    chips += (chips.empty() ? "" : ", ") + variants[i].chip;
  }
  if (!first)
    return Status::error(StatusCode::NotFound, path + ": it has no code for " + options.target);
  Result<Plan> plan = file->plan(*first);
  return plan.ok() ? Description{*plan, chips, file->info().kernels}
                   : Result<Description>(plan.status());
}

} // namespace sawtooth::tool
