// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CacheFolder.h"

#include "Cat.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sawtooth::runtime {

static Status refused(const std::string &path, const char *doing,
                      std::source_location where = std::source_location::current()) {
  return Status::error(StatusCode::Io, cat(path, ": cannot ", doing, ": ", std::strerror(errno)),
                       where);
}

// Who else could have written something that is about to be run. "" when nobody.
static std::string stranger(const struct stat &info) {
  if (info.st_uid != geteuid())
    return cat("belongs to user ", info.st_uid, ", expected user ", geteuid());
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return "can be written by others";
  return {};
}

// Makes a folder and its parents, for this user alone as the XDG base directory specification asks.
static Status makeFolders(const std::string &path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      int error = errno;
      struct stat info;
      // A read-only file system says that before it says that the folder is there.
      if (stat(part.c_str(), &info) != 0) {
        errno = error;
        return refused(part, "make this folder");
      }
    }
    if (end == std::string::npos)
      return {};
  }
}

Result<std::shared_ptr<const CacheFolder>> CacheFolder::open(const std::string &path) {
  SAWTOOTH_TRY(makeFolders(path));
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat info;
  if (folder.get() < 0 || fstat(folder.get(), &info) != 0)
    return refused(path, "open this folder");
  if (std::string who = stranger(info); !who.empty())
    return Status::error(StatusCode::Unsupported, cat(path, ": this folder ", who));
  return std::shared_ptr<const CacheFolder>(new CacheFolder(path, std::move(folder)));
}

Result<Descriptor> CacheFolder::read(const std::string &name) const {
  Descriptor file(
      openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (file.get() < 0 && errno == ENOENT)
    return Status::error(StatusCode::NotFound, "absent");
  if (file.get() < 0 || fstat(file.get(), &info) != 0)
    return refused(cat(folderPath, "/", name), "open");
  if (std::string who = stranger(info); !who.empty())
    return Status::error(StatusCode::Unsupported, cat(folderPath, "/", name, ": this file ", who));
  return file;
}

static const std::string_view temporarySuffix = ".tmp";

Status CacheFolder::replace(const std::string &name, std::span<const std::byte> bytes) const {
  // Process ids repeat across machines and containers that share a folder.
  uint64_t random = 0;
  if (getrandom(&random, sizeof(random), 0) != sizeof(random))
    return refused(folderPath, "draw a random number");
  std::string temporary = cat(name, ".", random, temporarySuffix);
  Descriptor file(openat(folder.get(), temporary.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0)
    return refused(cat(folderPath, "/", temporary), "create");
  // The sync comes before the name: else a crash could leave the name with nothing behind it.
  Status status;
  if (!writeAll(file.get(), bytes) || fsync(file.get()) != 0)
    status = refused(cat(folderPath, "/", temporary), "write");
  else if (renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()) != 0)
    status = refused(cat(folderPath, "/", name), "replace");
  if (!status.ok())
    unlinkat(folder.get(), temporary.c_str(), 0);
  else
    (void)fsync(folder.get()); // some file systems refuse; then the entry may be lost, never torn
  sweep();
  return status;
}

// Removes what writers that were killed left behind an hour ago or more.
void CacheFolder::sweep() const {
  int again = openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *listing = again < 0 ? nullptr : fdopendir(again);
  if (!listing) {
    if (again >= 0)
      close(again);
    return;
  }
  while (dirent *entry = readdir(listing)) {
    struct stat info;
    if (std::string_view(entry->d_name).ends_with(temporarySuffix) &&
        fstatat(again, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
        info.st_mtime + 3600 < time(nullptr))
      unlinkat(again, entry->d_name, 0);
  }
  closedir(listing);
}

} // namespace sawtooth::runtime
