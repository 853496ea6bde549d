// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "memory/Knowledge.h"

#include <algorithm>

using namespace ptxsim;

namespace ptxsim {
struct TrieNode {
  union {
    TrieNode *child[16];
    uint32_t time[16]; ///< in the last level
  };
};
} // namespace ptxsim

TrieArena::TrieArena() = default;
TrieArena::~TrieArena() = default;

TrieNode *TrieArena::copy(const TrieNode *node) {
  nodes.push_back(node ? *node : TrieNode{});
  return &nodes.back();
}

TrieNode *TrieArena::join(TrieNode *a, TrieNode *b, unsigned levels) {
  if (a == b || !b)
    return a;
  if (!a)
    return b;
  TrieNode *result = nullptr;
  for (unsigned i = 0; i < 16; ++i) {
    if (levels == 1) {
      if (b->time[i] > a->time[i]) {
        if (!result)
          result = copy(a);
        result->time[i] = b->time[i];
      }
      continue;
    }
    TrieNode *child = join(a->child[i], b->child[i], levels - 1);
    if (child != a->child[i]) {
      if (!result)
        result = copy(a);
      result->child[i] = child;
    }
  }
  return result ? result : a;
}

TrieNode *TrieArena::raise(TrieNode *root, uint32_t key, uint32_t time, unsigned levels) {
  if (lookup(root, key, levels) >= time)
    return root;
  TrieNode *result = copy(root), *node = result;
  for (unsigned level = levels; level > 1; --level) {
    TrieNode *&child = node->child[key >> (4 * (level - 1)) & 15];
    child = copy(child);
    node = child;
  }
  node->time[key & 15] = time;
  return result;
}

uint32_t TrieArena::lookup(const TrieNode *root, uint32_t key, unsigned levels) {
  for (unsigned level = levels; root && level > 1; --level)
    root = root->child[key >> (4 * (level - 1)) & 15];
  return root ? root->time[key & 15] : 0;
}
