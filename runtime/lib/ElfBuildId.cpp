// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/ElfBuildId.h"

#include "Descriptor.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace sawtooth::runtime {

static bool readAt(int descriptor, uint64_t offset, void *out, size_t bytes) {
  return pread(descriptor, out, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

// The id in one segment of notes, or "".
static std::string findNote(const std::vector<unsigned char> &notes) {
  for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data() + at, sizeof(note));
    size_t name = at + sizeof(note);
    size_t value = name + (uint64_t(note.n_namesz) + 3) / 4 * 4;
    size_t end = value + (uint64_t(note.n_descsz) + 3) / 4 * 4;
    if (value + note.n_descsz > notes.size())
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes.data() + name, "GNU", 4) == 0) {
      std::string text;
      for (size_t i = value; i < value + note.n_descsz; ++i) {
        text += "0123456789abcdef"[notes[i] >> 4];
        text += "0123456789abcdef"[notes[i] & 15];
      }
      return text;
    }
    at = end;
  }
  return {};
}

static std::string buildIdOf(int descriptor) {
  Elf64_Ehdr header;
  if (!readAt(descriptor, 0, &header, sizeof(header)) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return {};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!readAt(descriptor, header.e_phoff + i * sizeof(segment), &segment, sizeof(segment)))
      return {};
    // Notes are small; what is not is something else's.
    if (segment.p_type != PT_NOTE || segment.p_filesz > 1 << 16)
      continue;
    std::vector<unsigned char> notes(segment.p_filesz);
    if (!readAt(descriptor, segment.p_offset, notes.data(), notes.size()))
      return {};
    if (std::string id = findNote(notes); !id.empty())
      return id;
  }
  return {};
}

std::string elfBuildId(const std::string &path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return file.get() < 0 ? std::string() : buildIdOf(file.get());
}

} // namespace sawtooth::runtime
