// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SealedFile.h"

#include "Cat.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <vector>

namespace sawtooth::runtime {

// Since Linux 6.3 a machine may be set up so that files in memory are not executable unless asked
// for. Older headers lack the flag, and older kernels refuse it.
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

static Status refused(const char *doing,
                      std::source_location where = std::source_location::current()) {
  return Status::error(StatusCode::Io, cat("cannot ", doing, ": ", std::strerror(errno)), where);
}

SealedFile::~SealedFile() {
  if (!mapped.empty())
    munmap(const_cast<std::byte *>(mapped.data()), mapped.size());
}

std::string SealedFile::path() const { return cat("/proc/self/fd/", file.get()); }

Status SealedFile::create() {
  unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  file = Descriptor(memfd_create("sawtooth", flags | MFD_EXEC));
  if (file.get() < 0 && errno == EINVAL)
    file = Descriptor(memfd_create("sawtooth", flags));
  return file.get() < 0 ? refused("create a file in memory") : Status();
}

Status SealedFile::seal() {
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0)
    return refused("seal a file in memory");
  struct stat info;
  if (fstat(file.get(), &info) < 0)
    return refused("look at a file in memory");
  auto size = static_cast<size_t>(info.st_size);
  if (size == 0)
    return {};
  void *data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED)
    return refused("map a file in memory");
  mapped = {static_cast<const std::byte *>(data), size};
  return {};
}

Status SealedFile::append(std::span<const std::byte> piece) {
  return writeAll(file.get(), piece) ? Status() : refused("write to a file in memory");
}

Result<std::shared_ptr<const SealedFile>> SealedFile::copy(std::span<const std::byte> bytes) {
  std::shared_ptr<SealedFile> sealed(new SealedFile);
  SAWTOOTH_TRY(sealed->create());
  SAWTOOTH_TRY(sealed->append(bytes));
  SAWTOOTH_TRY(sealed->seal());
  return std::shared_ptr<const SealedFile>(std::move(sealed));
}

Result<std::shared_ptr<const SealedFile>> SealedFile::copy(int source) {
  struct stat info;
  if (fstat(source, &info) < 0)
    return refused("look at it");
  // A pipe may never end, and a device has no size to go by.
  if (!S_ISREG(info.st_mode))
    return Status::error(StatusCode::Io, "expected a regular file");
  // A file with a hole of terabytes in it would fill the memory.
  constexpr off_t limit = off_t(1) << 30;
  if (info.st_size > limit)
    return Status::error(StatusCode::Unsupported,
                         cat("expected at most ", limit, " bytes, got ", info.st_size));
  std::shared_ptr<SealedFile> sealed(new SealedFile);
  SAWTOOTH_TRY(sealed->create());
  std::vector<std::byte> buffer(std::min<off_t>(info.st_size + 1, 1 << 18));
  for (off_t offset = 0; offset <= limit;) {
    ssize_t got = pread(source, buffer.data(), buffer.size(), offset);
    if (got == 0)
      break;
    if (got < 0 && errno != EINTR)
      return refused("read it");
    if (got > 0)
      SAWTOOTH_TRY(sealed->append({buffer.data(), static_cast<size_t>(got)}));
    offset += std::max<ssize_t>(got, 0);
  }
  SAWTOOTH_TRY(sealed->seal());
  return std::shared_ptr<const SealedFile>(std::move(sealed));
}

} // namespace sawtooth::runtime
