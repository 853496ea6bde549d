// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/SafeTensors.h"

#include "Cat.h"
#include "Descriptor.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Model.h"
#include "sawtooth/runtime/Names.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace sawtooth::runtime {

static Status ioError(const std::string &path, const char *doing,
                      std::source_location where = std::source_location::current()) {
  return Status::error(StatusCode::Io, cat(path, ": cannot ", doing, ": ", std::strerror(errno)),
                       where);
}

// A renamed file is only there after a crash if its folder was synced too. Best effort: some file
// systems refuse.
static void syncFolderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    (void)fsync(descriptor);
    close(descriptor);
  }
}

Status replaceFile(const std::string &path, std::span<const std::span<const std::byte>> pieces) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return Status::error(StatusCode::Io, cat(path, ": expected a regular file to replace"));
  std::string temporary;
  int descriptor = -1;
  for (unsigned attempt = 0; descriptor < 0; ++attempt) {
    temporary = cat(path, ".", getpid(), ".", attempt, ".tmp");
    descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && (errno != EEXIST || attempt == 100))
      return ioError(temporary, "create");
  }
  bool written = true;
  for (std::span<const std::byte> piece : pieces)
    written = written && writeAll(descriptor, piece);
  written = written && fsync(descriptor) == 0;
  Status status = written ? Status() : ioError(temporary, "write");
  if (close(descriptor) != 0 && status.ok())
    status = ioError(temporary, "close");
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0)
    status = ioError(path, "replace");
  if (!status.ok()) {
    unlink(temporary.c_str());
    return status;
  }
  syncFolderOf(path);
  return {};
}

static std::string quoted(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Status writeTensorFile(const std::string &path, std::vector<TensorSource> tensors,
                       const std::map<std::string, std::string> &metadata) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorSource &a, const TensorSource &b) {
    uint64_t bytesA = typeBytes(a.type), bytesB = typeBytes(b.type);
    return bytesA != bytesB ? bytesA > bytesB : a.name < b.name;
  });
  std::string header = "{";
  if (!metadata.empty()) {
    header += "\"__metadata__\":{";
    for (const auto &[key, value] : metadata)
      header += cat(header.back() == '{' ? "" : ",", quoted(key), ":", quoted(value));
    header += "}";
  }
  std::vector<std::span<const std::byte>> pieces(2);
  uint64_t offset = 0;
  for (const TensorSource &tensor : tensors) {
    Result<int64_t> count = countElements(tensor.dims);
    if (!count.ok())
      return count.status().of(cat("tensor '", printable(tensor.name), "'"));
    uint64_t bytes = static_cast<uint64_t>(*count) * typeBytes(tensor.type);
    header += cat(header.size() == 1 ? "" : ",", quoted(tensor.name), ":{\"dtype\":\"",
                  dtypeName(tensor.type), "\",\"shape\":[");
    for (size_t i = 0; i < tensor.dims.size(); ++i)
      header += cat(i ? "," : "", tensor.dims[i]);
    header += cat("],\"data_offsets\":[", offset, ",", offset + bytes, "]}");
    pieces.push_back({static_cast<const std::byte *>(tensor.data), bytes});
    offset += bytes;
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  uint64_t length = header.size();
  pieces[0] = std::as_bytes(std::span(&length, 1));
  pieces[1] = std::as_bytes(std::span(header));
  return replaceFile(path, pieces);
}

} // namespace sawtooth::runtime
