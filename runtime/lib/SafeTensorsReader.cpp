// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header is read by events, never as a tree: nesting, duplicates and sizes are refused where
// they appear, and a hostile file costs no more memory than its own length.
#include "sawtooth/runtime/SafeTensors.h"

#include "Cat.h"
#include "sawtooth/runtime/Names.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sawtooth::runtime {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

namespace {

struct Dtype {
  const char *name;
  uint64_t bytes;
  std::optional<SawtoothType> type;
};

constexpr Dtype dtypes[] = {
    {"F16", 2, SAWTOOTH_F16},     {"BF16", 2, SAWTOOTH_BF16},   {"F32", 4, SAWTOOTH_F32},
    {"F64", 8, SAWTOOTH_F64},     {"BOOL", 1, SAWTOOTH_I1},     {"I32", 4, SAWTOOTH_I32},
    {"I64", 8, SAWTOOTH_I64},     {"I8", 1, std::nullopt},      {"U8", 1, std::nullopt},
    {"I16", 2, std::nullopt},     {"U16", 2, std::nullopt},     {"U32", 4, std::nullopt},
    {"U64", 8, std::nullopt},     {"F8_E4M3", 1, std::nullopt}, {"F8_E5M2", 1, std::nullopt},
    {"F8_E8M0", 1, std::nullopt}, {"C64", 8, std::nullopt}};

const Dtype *findDtype(std::string_view name) {
  for (const Dtype &dtype : dtypes)
    if (dtype.name == name)
      return &dtype;
  return nullptr;
}

// What one entry of the header says.
struct RawEntry {
  std::string name, dtype;
  std::vector<uint64_t> shape, offsets;
  unsigned seen = 0; // a bit for each of the three keys
};

class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
public:
  std::vector<RawEntry> entries;
  std::map<std::string, std::string> metadata;
  std::string error;

  bool key(string_t &name) override {
    if (depth == 1) {
      if (!names.insert(name).second)
        return fail(cat("two entries have the name '", printable(name), "'"));
      inMetadata = name == "__metadata__";
      if (!inMetadata)
        entries.emplace_back().name = name;
      return true;
    }
    if (inMetadata) {
      metadataKey = name;
      return metadata.emplace(name, "").second || fail("two entries of the metadata have one name");
    }
    for (part = 0; part < 3; ++part)
      if (name == parts[part])
        break;
    if (part == 3)
      return fail(cat(subject(), "expected 'dtype', 'shape' and 'data_offsets', got '",
                      printable(name), "'"));
    unsigned bit = 1u << part;
    if (entries.back().seen & bit)
      return fail(cat(subject(), "two values of '", parts[part], "'"));
    entries.back().seen |= bit;
    return true;
  }

  bool start_object(std::size_t) override {
    if (depth < 2 && !inArray) {
      ++depth;
      return true;
    }
    return unexpected("an object");
  }
  bool end_object() override {
    if (depth == 2 && !inMetadata && entries.back().seen != 7)
      return fail(cat(subject(), "expected 'dtype', 'shape' and 'data_offsets'"));
    --depth;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth != 2 || inMetadata || inArray || part == 0)
      return unexpected("an array");
    inArray = true;
    return true;
  }
  bool end_array() override {
    inArray = false;
    return true;
  }

  bool string(string_t &value) override {
    if (depth == 2 && inMetadata) {
      metadata[metadataKey] = value;
      return true;
    }
    if (depth != 2 || part != 0)
      return unexpected("a string");
    entries.back().dtype = value;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (!inArray)
      return unexpected("a number");
    (part == 1 ? entries.back().shape : entries.back().offsets).push_back(value);
    return true;
  }
  bool number_integer(number_integer_t value) override {
    return inArray ? fail(cat(subject(), "expected sizes from 0, got ", value))
                   : unexpected("a number");
  }
  bool number_float(number_float_t, const string_t &text) override {
    return inArray ? fail(cat(subject(), "expected whole 64-bit numbers, got ", printable(text)))
                   : unexpected("a number");
  }
  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a truth value"); }
  bool binary(binary_t &) override { return unexpected("binary data"); }
  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    return fail(cat("the header is no valid JSON at byte ", position));
  }

private:
  static constexpr const char *parts[] = {"dtype", "shape", "data_offsets"};
  int depth = 0, part = 0;
  bool inMetadata = false, inArray = false;
  std::string metadataKey;
  std::set<std::string> names;

  bool fail(std::string text) {
    error = std::move(text);
    return false;
  }
  bool unexpected(const char *what) {
    return fail(cat(depth == 2 && !inMetadata ? subject() : "", "did not expect ", what,
                    depth == 0   ? " for the header"
                    : inMetadata ? " in the metadata"
                                 : " here"));
  }
  std::string subject() const {
    return entries.empty() ? "" : cat("tensor '", printable(entries.back().name), "': ");
  }
};

Status corrupt(std::string message, std::source_location where = std::source_location::current()) {
  return Status::error(StatusCode::Corrupt, std::move(message), where);
}

// Checks one entry and fills `out`; `data` has `size` bytes.
Status readEntry(const RawEntry &raw, const std::byte *data, uint64_t size, TensorEntry &out) {
  const Dtype *dtype = findDtype(raw.dtype);
  if (!dtype)
    return corrupt(cat("unknown dtype '", printable(raw.dtype), "'"));
  if (raw.offsets.size() != 2)
    return corrupt(cat("expected two offsets, got ", raw.offsets.size()));
  uint64_t begin = raw.offsets[0], end = raw.offsets[1];
  if (begin > end || end > size)
    return corrupt(
        cat("expected offsets in order within ", size, " bytes, got ", begin, " and ", end));
  uint64_t bytes = dtype->bytes;
  bool overflow = false, empty = false;
  for (uint64_t dim : raw.shape) {
    empty |= dim == 0;
    overflow |= dim > uint64_t(INT64_MAX) || (dim && __builtin_mul_overflow(bytes, dim, &bytes));
    out.dims.push_back(static_cast<int64_t>(dim));
  }
  if (overflow)
    return corrupt("its shape has more elements than 64 bits can count");
  if (empty)
    bytes = 0;
  if (end - begin != bytes)
    return corrupt(cat("expected ", bytes, " bytes for ", raw.dtype, " of ", shapeText(out.dims),
                       ", got ", end - begin));
  out.name = raw.name;
  out.dtype = raw.dtype;
  out.type = dtype->type;
  out.data = data + begin;
  out.bytes = bytes;
  return {};
}

} // namespace

const char *dtypeName(SawtoothType type) {
  for (const Dtype &dtype : dtypes)
    if (dtype.type == type)
      return dtype.name;
  return "";
}

Status TensorFile::parse() {
  uint64_t length;
  if (size < sizeof(length))
    return corrupt(cat("expected at least 8 bytes, got ", size));
  std::memcpy(&length, memory, sizeof(length));
  if (length > size - sizeof(length))
    return corrupt(cat("expected a header of ", length, " bytes, got ", size - sizeof(length)));
  // The limit of the format's own implementation.
  if (length > 100'000'000)
    return corrupt(cat("expected a header of at most 100000000 bytes, got ", length));
  const char *text = reinterpret_cast<const char *>(memory) + sizeof(length);
  HeaderReader header;
  if (!nlohmann::json::sax_parse(text, text + length, &header))
    return corrupt(header.error);

  const std::byte *data = memory + sizeof(length) + length;
  uint64_t dataBytes = size - sizeof(length) - length;
  for (const RawEntry &raw : header.entries) {
    if (Status status = readEntry(raw, data, dataBytes, entries.emplace_back()); !status.ok())
      return status.of(cat("tensor '", printable(raw.name), "'"));
  }
  texts = std::move(header.metadata);

  std::sort(entries.begin(), entries.end(), [](const TensorEntry &a, const TensorEntry &b) {
    return std::pair(a.data, a.bytes) < std::pair(b.data, b.bytes);
  });
  const std::byte *position = data;
  for (const TensorEntry &entry : entries) {
    if (entry.data != position)
      return corrupt(cat("tensor '", printable(entry.name),
                         entry.data < position ? "' overlaps another" : "' comes after a gap",
                         ": expected its data at byte ", position - data, ", got ",
                         entry.data - data));
    position += entry.bytes;
  }
  if (position != memory + size)
    return corrupt(cat("expected ", position - data, " bytes of data, got ", dataBytes));
  std::sort(entries.begin(), entries.end(),
            [](const TensorEntry &a, const TensorEntry &b) { return a.name < b.name; });
  return {};
}

Result<std::shared_ptr<const TensorFile>> TensorFile::open(const std::string &path) {
  auto io = [&](std::string what, std::source_location where = std::source_location::current()) {
    return Status::error(StatusCode::Io, cat(path, ": ", what), where);
  };
  // Without O_NONBLOCK a pipe would wait for its writer before anyone can refuse it.
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return io(std::strerror(errno));
  struct stat info;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(descriptor);
    return io("expected a regular file");
  }
  std::shared_ptr<TensorFile> file(new TensorFile);
  file->filePath = path;
  file->size = static_cast<uint64_t>(info.st_size);
  if (file->size) {
    void *mapped = mmap(nullptr, file->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED) {
      int error = errno;
      file->size = 0;
      close(descriptor);
      return io(std::strerror(error));
    }
    file->memory = static_cast<const std::byte *>(mapped);
  }
  close(descriptor);
  if (Status status = file->parse(); !status.ok())
    return status.of(path);
  return std::shared_ptr<const TensorFile>(std::move(file));
}

TensorFile::~TensorFile() {
  if (memory)
    munmap(const_cast<std::byte *>(memory), size);
}

const TensorEntry *TensorFile::find(std::string_view name) const {
  auto found = std::lower_bound(
      entries.begin(), entries.end(), name,
      [](const TensorEntry &entry, std::string_view wanted) { return entry.name < wanted; });
  return found != entries.end() && found->name == name ? &*found : nullptr;
}

} // namespace sawtooth::runtime
