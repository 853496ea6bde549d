// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one thread knows of the others: for blocks, warps and threads the time up to which
// everything they did happens before now. A million threads make plain vector clocks impossible,
// so the three maps are persistent tries: a join costs what differs, copies are pointers.

#ifndef PTXSIM_MEMORY_KNOWLEDGE_H
#define PTXSIM_MEMORY_KNOWLEDGE_H

#include <cstdint>
#include <deque>
#include <vector>

namespace ptxsim {

struct TrieNode;

/// Owns all nodes of one launch; they are freed together.
class TrieArena {
public:
  TrieArena();
  ~TrieArena();
  /// Tries of `levels` 4-bit digits.
  TrieNode *join(TrieNode *a, TrieNode *b, unsigned levels);
  TrieNode *raise(TrieNode *root, uint32_t key, uint32_t time, unsigned levels);
  static uint32_t lookup(const TrieNode *root, uint32_t key, unsigned levels);

private:
  TrieNode *copy(const TrieNode *node);
  std::deque<TrieNode> nodes;
};

/// Times are of the owning block's counter: an access at clock c is known when c < time.
struct Knowledge {
  TrieNode *blocks = nullptr, *warps = nullptr, *threads = nullptr;
  bool operator==(const Knowledge &) const = default;
  bool empty() const { return !blocks && !warps && !threads; }
};

} // namespace ptxsim

#endif
