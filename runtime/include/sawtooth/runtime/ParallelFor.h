// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the runtime shares work among threads. An embedder with a pool of its own passes it here.
#ifndef SAWTOOTH_RUNTIME_PARALLELFOR_H
#define SAWTOOTH_RUNTIME_PARALLELFOR_H

#include <cstdint>
#include <type_traits>

namespace sawtooth::runtime {

struct ParallelFor {
  /// Work on [begin, end); called from any thread, several at once.
  using Body = void(void *context, uint64_t begin, uint64_t end);

  /// Covers [0, count) by calls of `body` on ranges of at most `grain`, each element once, in any
  /// order, and returns when all have returned. `user` is this struct's own.
  void (*run)(void *user, uint64_t count, uint64_t grain, Body *body, void *context) = nullptr;
  void *user = nullptr;
  unsigned threads = 1; // how many work at once, to choose grains by

  /// OpenMP's threads, handing out ranges as threads become free. 0: as many as OpenMP thinks.
  static ParallelFor openMp(unsigned threads = 0);
  /// The caller's thread alone.
  static ParallelFor serial();

  /// Calls `body(begin, end)`. No call at all for no work.
  template <typename Function>
  void operator()(uint64_t count, uint64_t grain, Function &&body) const {
    if (count == 0)
      return;
    using Plain = std::remove_reference_t<Function>;
    run(
        user, count, grain ? grain : 1,
        [](void *context, uint64_t begin, uint64_t end) {
          (*static_cast<Plain *>(context))(begin, end);
        },
        const_cast<void *>(static_cast<const void *>(&body)));
  }
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_PARALLELFOR_H
