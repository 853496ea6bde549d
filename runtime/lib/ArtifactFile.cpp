// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/ArtifactFile.h"

#include "Cat.h"
#include "Descriptor.h"
#include "SealedFile.h"
#include "sawtooth/runtime/ArtifactFormat.h"
#include "sawtooth/runtime/Digest.h"
#include "sawtooth/runtime/GpuChip.h"
#include "sawtooth/runtime/HostCpu.h"
#include "sawtooth/runtime/Names.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <mutex>

namespace sawtooth::runtime {

struct ArtifactFile::Contents {
  std::string title;
  std::shared_ptr<const SealedFile> file;
  ArtifactInfo info;
  uint64_t imageBytes = 0;
};

static Status corrupt(std::string message,
                      std::source_location where = std::source_location::current()) {
  return Status::error(StatusCode::Corrupt, std::move(message), where);
}

// What to say about a file without a footer. A shared object of ours always ends with its section
// headers, then the info; so its own header tells whether it was cut short.
static Status explainMissingFooter(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < SELFMAG || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    return corrupt(cat("expected an artifact made by 'sawtooth compile', got ", bytes.size(),
                       " bytes of something else"));
  if (bytes.size() >= sizeof(header)) {
    std::memcpy(&header, bytes.data(), sizeof(header));
    if (header.e_shoff <= bytes.size() &&
        uint64_t(header.e_shnum) * header.e_shentsize <= bytes.size() - header.e_shoff)
      return corrupt("expected the footer of an artifact at its end, got a shared object without: "
                     "it was cut short, stripped, or not made by 'sawtooth compile'");
  }
  return corrupt(cat("it is cut short: only ", bytes.size(), " bytes are there"));
}

// Believes nothing before the checksum held, then what it covers.
static Status checkFooter(std::span<const std::byte> bytes, SawtoothArtifactFooter &footer) {
  if (bytes.size() >= sizeof(footer))
    std::memcpy(&footer, bytes.data() + bytes.size() - sizeof(footer), sizeof(footer));
  if (footer.magic != SAWTOOTH_ARTIFACT_MAGIC)
    return explainMissingFooter(bytes);
  if (footer.format != SAWTOOTH_ARTIFACT_FORMAT)
    return Status::error(StatusCode::Unsupported,
                         cat("expected an artifact of format ", SAWTOOTH_ARTIFACT_FORMAT, ", got ",
                             footer.format, ": compile it again with this version of sawtooth"));
  if (footer.fileBytes != bytes.size())
    return corrupt(cat("expected ", footer.fileBytes, " bytes, got ", bytes.size()));
  size_t covered = bytes.size() - sizeof(footer) + offsetof(SawtoothArtifactFooter, checksum);
  Digest expected{footer.checksum[0], footer.checksum[1]};
  if (Digest actual = digest(bytes.first(covered)); actual != expected)
    return corrupt(
        cat("it is damaged: expected checksum ", expected.hex(), ", got ", actual.hex()));
  if (footer.abi != SAWTOOTH_ABI_VERSION)
    return Status::error(StatusCode::Unsupported,
                         cat("expected code of ABI version ", SAWTOOTH_ABI_VERSION, ", got ",
                             footer.abi, ": compile it again with this version of sawtooth"));
  if (footer.imageBytes > covered || footer.infoBytes > covered - footer.imageBytes ||
      footer.imageBytes + footer.infoBytes != bytes.size() - sizeof(footer))
    return corrupt(cat("expected image, info and footer to make up ", bytes.size(), " bytes, got ",
                       footer.imageBytes, " and ", footer.infoBytes, " and ", sizeof(footer)));
  return {};
}

static Result<ArtifactInfo> check(const SealedFile &file, uint64_t &imageBytes) {
  SawtoothArtifactFooter footer = {};
  SAWTOOTH_TRY(checkFooter(file.bytes(), footer));
  imageBytes = footer.imageBytes;
  auto text = file.bytes().subspan(footer.imageBytes, footer.infoBytes);
  return ArtifactInfo::parse({reinterpret_cast<const char *>(text.data()), text.size()},
                             footer.imageBytes);
}

template <typename Source>
Result<ArtifactFile> ArtifactFile::readFrom(Source source, const std::string &title) {
  auto contents = std::make_shared<Contents>();
  Result<std::shared_ptr<const SealedFile>> file = SealedFile::copy(source);
  if (!file.ok())
    return file.status().of(title);
  contents->title = title;
  contents->file = *file;
  Result<ArtifactInfo> info = check(**file, contents->imageBytes);
  if (!info.ok())
    return info.status().of(title);
  contents->info = std::move(*info);
  return ArtifactFile(std::move(contents));
}

Result<ArtifactFile> ArtifactFile::read(int descriptor, const std::string &title) {
  return readFrom(descriptor, title);
}
Result<ArtifactFile> ArtifactFile::read(std::span<const std::byte> bytes,
                                        const std::string &title) {
  return readFrom(bytes, title);
}

Result<ArtifactFile> ArtifactFile::open(const std::string &path) {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0)
    return Status::error(StatusCode::Io, cat(path, ": cannot open: ", std::strerror(errno)));
  return read(file.get(), path);
}

const ArtifactInfo &ArtifactFile::info() const { return contents->info; }
std::span<const std::byte> ArtifactFile::bytes() const { return contents->file->bytes(); }
std::span<const std::byte> ArtifactFile::image() const {
  return bytes().first(contents->imageBytes);
}

Result<Plan> ArtifactFile::plan(size_t number) const {
  const ArtifactVariant &variant = info().variants[number];
  Result<Plan> plan = Plan::read(bytes().data() + variant.planOffset, variant.planBytes);
  return plan.ok() ? plan : Result<Plan>(plan.status().of(contents->title));
}

static std::vector<std::string> missingFeatures(const ArtifactVariant &variant) {
  std::vector<std::string> missing;
  for (const std::string &feature : variant.features)
    if (!hostSupports(feature))
      missing.push_back(feature);
  return missing;
}

static Status lacking(const ArtifactVariant &variant) {
  return Status::error(StatusCode::Unsupported,
                       cat("its code for ", printable(variant.chip),
                           " needs what this machine lacks: ", quoteAll(missingFeatures(variant))));
}

// Of the variants for GPUs that a device runs, the newest; of two, the one that is tied to its
// chip.
static std::optional<size_t> newestForGpu(const std::vector<ArtifactVariant> &variants,
                                          unsigned device) {
  std::optional<size_t> best;
  auto rank = [&](size_t i) {
    GpuChip chip = *GpuChip::parse(variants[i].chip);
    return std::pair(chip.capability, chip.suffix != 0);
  };
  for (size_t i = 0; i < variants.size(); ++i) {
    std::optional<GpuChip> chip = GpuChip::parse(variants[i].chip);
    if (chip && chip->ptxRunsOn(device) && (!best || rank(i) > rank(*best)))
      best = i;
  }
  return best;
}

Result<size_t> ArtifactFile::choose(std::string_view chip) const {
  const std::vector<ArtifactVariant> &variants = info().variants;
  const std::string &title = contents->title;
  if (info().target.substr(0, info().target.find('-')) != hostArchitecture())
    return Status::error(StatusCode::Unsupported,
                         cat(title, ": expected code for ", hostArchitecture(), ", got code for ",
                             printable(info().target)));
  bool any = chip.empty() || chip == "native";
  std::vector<std::string> chips;
  for (const ArtifactVariant &variant : variants)
    chips.push_back(variant.chip);
  if (std::optional<GpuChip> gpu = GpuChip::parse(chip)) {
    if (std::optional<size_t> found = newestForGpu(variants, gpu->capability))
      return *found;
    return Status::error(StatusCode::NotFound, cat(title, ": it has no code that ", chip,
                                                   " runs; there is code for ", quoteAll(chips)));
  }
  const ArtifactVariant *least = nullptr;
  for (size_t i = variants.size(); i-- > 0;) {
    if (GpuChip::parse(variants[i].chip))
      continue;
    least = &variants[i];
    if (!any && chip != variants[i].chip)
      continue;
    if (missingFeatures(variants[i]).empty())
      return i;
    if (!any)
      return lacking(variants[i]).of(title);
  }
  if (any && least)
    return lacking(*least).of(title);
  if (any)
    return Status::error(
        StatusCode::NotFound,
        cat(title, ": it has no code for a CPU; there is code for ", quoteAll(chips)));
  return Status::error(StatusCode::NotFound, cat(title, ": ", unknownName("chip", chip, chips)));
}

// dlopen would say so too, in words of its own, after it looked at more of the file.
static Status checkElf(std::span<const std::byte> image) {
  Elf64_Ehdr header;
  if (image.size() < sizeof(header))
    return corrupt(cat("expected an ELF header in its image, got ", image.size(), " bytes"));
  std::memcpy(&header, image.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_DYN ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return corrupt("expected its image to be a 64-bit little-endian ELF shared object");
  if (header.e_machine != hostElfMachine())
    return Status::error(StatusCode::Unsupported,
                         cat("expected an ELF shared object for machine ", hostElfMachine(),
                             ", got one for machine ", header.e_machine));
  return {};
}

// The loader tells libraries apart by path, and a SealedFile's is that of a descriptor: it must
// stay open until the code is gone, or the next artifact could get the path and this one's code.
static void unload(void *handle, std::shared_ptr<const SealedFile> file) {
  dlclose(handle);
  // A library may refuse to go, by its flags or a sanitizer's: then the descriptor stays for good.
  if (dlopen(file->path().c_str(), RTLD_NOW | RTLD_NOLOAD)) {
    static std::mutex mutex;
    static std::vector<std::shared_ptr<const SealedFile>> stuck;
    std::lock_guard lock(mutex);
    stuck.push_back(std::move(file));
  }
}

Result<LoadedArtifact> ArtifactFile::load(std::string_view chip) const {
  Result<size_t> number = choose(chip);
  if (!number.ok())
    return number.status();
  const ArtifactVariant &variant = info().variants[*number];
  const std::string &title = contents->title;
  if (Status status = checkElf(image()); !status.ok())
    return status.of(title);
  void *handle = dlopen(contents->file->path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return corrupt(cat(title, ": cannot load: ", dlerror()));
  std::shared_ptr<void> code(handle, [file = contents->file](void *open) { unload(open, file); });
  auto query = reinterpret_cast<SawtoothQuery *>(dlsym(handle, variant.query.c_str()));
  if (!query)
    return corrupt(cat(title, ": expected a symbol '", printable(variant.query), "', got none"));
  const SawtoothArtifact *queried = query(SAWTOOTH_ABI_VERSION);
  if (!queried)
    return Status::error(StatusCode::Unsupported,
                         cat(title, ": its code refuses ABI version ", SAWTOOTH_ABI_VERSION));
  Result<Artifact> artifact = Artifact::read(queried);
  if (!artifact.ok())
    return artifact.status().of(title);
  return LoadedArtifact{std::move(code), std::move(*artifact), variant.chip};
}

} // namespace sawtooth::runtime
