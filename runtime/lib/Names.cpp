// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Names.h"

#include "Cat.h"

#include <algorithm>

namespace sawtooth::runtime {

// Bytes of the UTF-8 character that begins at `at`.
static size_t characterBytes(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    ++end;
  return end - at;
}

bool matchesGlob(std::string_view glob, std::string_view name) {
  size_t g = 0, n = 0;
  // Where to go on if what follows the last `*` does not fit: let the star take one more byte.
  size_t starGlob = std::string_view::npos, starName = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      starGlob = ++g;
      starName = n;
    } else if (g < glob.size() && glob[g] == '?') {
      ++g;
      n += characterBytes(name, n);
    } else if (g < glob.size() && glob[g] == name[n]) {
      ++g;
      ++n;
    } else if (starGlob != std::string_view::npos) {
      g = starGlob;
      n = ++starName;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*')
    ++g;
  return g == glob.size();
}

uint64_t hashName(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char byte : name)
    hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string printable(std::string_view name) {
  constexpr size_t limit = 120;
  std::string out;
  for (unsigned char byte : name.substr(0, limit)) {
    if (byte >= 0x20 && byte != 0x7f) {
      out += static_cast<char>(byte);
    } else {
      const char *digits = "0123456789abcdef";
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return name.size() > limit ? out + "..." : out;
}

std::string quoteAll(std::span<const std::string> names, size_t limit) {
  std::string out;
  for (size_t i = 0; i < names.size() && i < limit; ++i)
    out += cat(i ? ", '" : "'", printable(names[i]), "'");
  if (names.size() > limit)
    out += cat(" and ", names.size() - limit, " more");
  return out;
}

std::string unknownName(std::string_view kind, std::string_view name,
                        std::span<const std::string> known) {
  std::string out = cat("unknown ", kind, " '", printable(name), "'; ");
  if (known.empty())
    return out + "there is none";
  out += cat(known.size() == 1 ? "there is " : "there are ", quoteAll(known));
  // Names from files may be long; the distance is quadratic.
  constexpr size_t limit = 200;
  size_t best = name.size() / 2 + 1;
  const std::string *nearest = nullptr;
  for (const std::string &candidate : known) {
    if (name.size() > limit || candidate.size() > limit)
      continue;
    if (size_t distance = editDistance(name, candidate); distance < best) {
      best = distance;
      nearest = &candidate;
    }
  }
  if (nearest && known.size() > 1)
    out += cat("; did you mean '", printable(*nearest), "'?");
  return out;
}

std::string shapeText(std::span<const int64_t> dims) {
  if (dims.empty())
    return "scalar";
  std::string out;
  for (size_t i = 0; i < dims.size(); ++i)
    out += cat(i ? "x" : "", dims[i]);
  return out;
}

} // namespace sawtooth::runtime
