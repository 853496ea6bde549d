// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step is measured against: a plain streaming loop over the same buffers with the same reads
// and writes and nothing to compute.
#ifndef SAWTOOTH_TOOLS_BENCH_BOUND_H
#define SAWTOOTH_TOOLS_BENCH_BOUND_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sawtooth::bench {

/// One list in one pass. A list that is read and written keeps its contents; one that is only
/// written is filled with something else.
struct Stream {
  std::vector<char *> tensor; // by tensor
  uint32_t bytes;             // of an element
  bool read, written;
};

struct StreamPass {
  std::vector<int64_t> numel; // by tensor
  std::vector<Stream> streams;
};

/// How lists that are only written are written.
enum class Stores {
  Cached,    // as always: a line is read into the caches before it is written
  PastCaches // lines are written whole, past the caches, where a buffer is aligned for that
};

struct Lanes;

/// Work is dealt out at construction, so that running is nothing but memory.
class StreamLoop {
public:
  explicit StreamLoop(StreamPass pass);
  /// Runs the pass on `threads` threads of OpenMP, with the widest vectors of this machine.
  void run(unsigned threads, Stores stores) const;

private:
  /// Part of one tensor.
  struct Piece {
    uint32_t tensor;
    int64_t first, count;
  };
  void runPiece(const Piece &piece, Stores stores, Lanes &lanes) const;

  StreamPass pass;
  std::vector<Piece> pieces;
  std::vector<std::size_t> shares{0}; // the first piece of each share
};

} // namespace sawtooth::bench

#endif // SAWTOOTH_TOOLS_BENCH_BOUND_H
