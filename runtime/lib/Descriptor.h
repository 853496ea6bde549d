// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every user of the operating system's files needs.
#ifndef SAWTOOTH_RUNTIME_LIB_DESCRIPTOR_H
#define SAWTOOTH_RUNTIME_LIB_DESCRIPTOR_H

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <unistd.h>
#include <utility>

namespace sawtooth::runtime {

/// A file descriptor that closes itself; negative for none.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
  Descriptor(Descriptor &&other) : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) {
    std::swap(number, other.number);
    return *this;
  }
  int get() const { return number; }

private:
  int number;
};

/// Writes all of `piece`, or returns false with the reason in errno.
inline bool writeAll(int descriptor, std::span<const std::byte> piece) {
  while (!piece.empty()) {
    // Linux moves at most 2 GiB a call.
    ssize_t done = write(descriptor, piece.data(), std::min<size_t>(piece.size(), 1u << 30));
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return false;
    piece = piece.subspan(static_cast<size_t>(done));
  }
  return true;
}

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_LIB_DESCRIPTOR_H
