// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control-flow graph of a function: where divergent lanes meet again, and which registers may
// be read before they are written.

#include "decode/Builder.h"

#include <algorithm>

using namespace ptxsim;

namespace {
/// Successors of the last instruction of a block, as instruction indices.
struct Exits {
  std::vector<uint32_t> targets;
  bool leaves = false; ///< ret or exit
};
} // namespace

static Exits exitsOf(const Code &code, uint32_t at) {
  const Inst &inst = code.insts[at];
  Exits exits;
  bool falls = true;
  switch (inst.flow) {
  case Flow::Branch:
    exits.targets.push_back(inst.target);
    falls = inst.hasGuard;
    break;
  case Flow::Indexed:
    exits.targets = code.tables[inst.target];
    falls = inst.hasGuard;
    break;
  case Flow::Return:
  case Flow::Exit:
    exits.leaves = true;
    falls = inst.hasGuard;
    break;
  case Flow::Trap:
    falls = inst.hasGuard;
    break;
  default:
    break;
  }
  if (falls && at + 1 < code.insts.size())
    exits.targets.push_back(at + 1);
  std::sort(exits.targets.begin(), exits.targets.end());
  exits.targets.erase(std::unique(exits.targets.begin(), exits.targets.end()), exits.targets.end());
  return exits;
}

void FunctionBuilder::findBlocks() {
  std::vector<Inst> &insts = code.insts;
  insts[0].leader = true;
  for (const Label &label : function.labels)
    insts[label.instruction].leader = true;
  for (size_t i = 0; i + 1 < insts.size(); ++i) {
    Flow flow = insts[i].flow;
    // Guarded waits and calls make a join right behind themselves.
    if (flow != Flow::Plain)
      insts[i + 1].leader = true;
  }
  for (uint32_t i = 0; i < insts.size(); ++i)
    if (insts[i].leader)
      blockStarts.push_back(i);
}

// Immediate post-dominators after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm",
// on the reversed graph. Blocks that trap have no way out and so constrain nothing: a failing check
// must not keep the others from meeting.
void FunctionBuilder::findJoins() {
  size_t count = blockStarts.size();
  auto blockOf = [&](uint32_t inst) {
    return size_t(std::upper_bound(blockStarts.begin(), blockStarts.end(), inst) -
                  blockStarts.begin()) -
           1;
  };
  auto lastOf = [&](size_t block) {
    return block + 1 < count ? blockStarts[block + 1] - 1 : uint32_t(code.insts.size() - 1);
  };
  size_t exit = count;
  std::vector<std::vector<size_t>> successors(count + 1), predecessors(count + 1);
  for (size_t block = 0; block < count; ++block) {
    Exits exits = exitsOf(code, lastOf(block));
    for (uint32_t target : exits.targets)
      successors[block].push_back(blockOf(target));
    if (exits.leaves)
      successors[block].push_back(exit);
    for (size_t to : successors[block])
      predecessors[to].push_back(block);
  }
  // Post-order of the reversed graph from the exit, without recursion.
  std::vector<size_t> order;
  std::vector<int> rank(count + 1, -1);
  std::vector<std::pair<size_t, size_t>> stack{{exit, 0}};
  std::vector<bool> seen(count + 1);
  seen[exit] = true;
  while (!stack.empty()) {
    auto &[node, next] = stack.back();
    if (next < predecessors[node].size()) {
      size_t to = predecessors[node][next++];
      if (!seen[to]) {
        seen[to] = true;
        stack.push_back({to, 0});
      }
      continue;
    }
    rank[node] = int(order.size());
    order.push_back(node);
    stack.pop_back();
  }
  std::vector<int> idom(count + 1, -1);
  idom[exit] = int(exit);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size() - 1; i-- > 0;) {
      size_t node = order[i];
      int best = -1;
      for (size_t to : successors[node]) {
        if (rank[to] < 0 || idom[to] < 0)
          continue;
        int other = int(to);
        if (best < 0) {
          best = other;
          continue;
        }
        while (best != other) {
          while (rank[size_t(best)] < rank[size_t(other)])
            best = idom[size_t(best)];
          while (rank[size_t(other)] < rank[size_t(best)])
            other = idom[size_t(other)];
        }
      }
      if (best >= 0 && idom[node] != best) {
        idom[node] = best;
        changed = true;
      }
    }
  }
  for (size_t block = 0; block < count; ++block) {
    Inst &inst = code.insts[lastOf(block)];
    inst.join =
        idom[block] < 0 || size_t(idom[block]) == exit ? noJoin : blockStarts[size_t(idom[block])];
  }
}

// Forward "written on every path" over the graph. Only reads that it cannot prove are followed at
// run time, lane by lane.
void FunctionBuilder::trackDefinitions() {
  size_t count = blockStarts.size(), words = (registers.size() + 63) / 64;
  if (registers.empty())
    return;
  // Bounds the work on generated monsters: unproved reads are then simply all followed.
  bool analyse = uint64_t(count) * words < (16u << 20);
  using Bits = std::vector<uint64_t>;
  auto last = [&](size_t block) {
    return block + 1 < count ? blockStarts[block + 1] : uint32_t(code.insts.size());
  };
  std::vector<Bits> in(count, Bits(words, ~uint64_t(0)));
  std::vector<bool> reached(count);
  in[0].assign(words, 0);
  reached[0] = true;
  auto apply = [&](uint32_t at, Bits &bits) {
    if (code.insts[at].hasGuard)
      return;
    for (int index : writes[at])
      bits[size_t(index) / 64] |= uint64_t(1) << (index % 64);
  };
  std::vector<size_t> work{0};
  std::vector<bool> queued(count);
  while (analyse && !work.empty()) {
    size_t block = work.back();
    work.pop_back();
    queued[block] = false;
    Bits bits = in[block];
    for (uint32_t at = blockStarts[block]; at < last(block); ++at)
      apply(at, bits);
    for (uint32_t target : exitsOf(code, last(block) - 1).targets) {
      size_t to = size_t(std::upper_bound(blockStarts.begin(), blockStarts.end(), target) -
                         blockStarts.begin()) -
                  1;
      bool changed = !reached[to];
      reached[to] = true;
      for (size_t w = 0; w < words; ++w) {
        uint64_t met = in[to][w] & bits[w];
        changed |= met != in[to][w];
        in[to][w] = met;
      }
      if (changed && !queued[to]) {
        queued[to] = true;
        work.push_back(to);
      }
    }
  }
  std::vector<bool> followed(registers.size());
  std::vector<std::vector<int>> doubtful(code.insts.size());
  for (size_t block = 0; block < count; ++block) {
    if (analyse && !reached[block])
      continue;
    Bits bits = analyse ? in[block] : Bits(words, 0);
    for (uint32_t at = blockStarts[block]; at < last(block); ++at) {
      for (int index : reads[at])
        if (!(bits[size_t(index) / 64] >> (index % 64) & 1)) {
          doubtful[at].push_back(index);
          followed[size_t(index)] = true;
        }
      apply(at, bits);
    }
  }
  for (size_t i = 0; i < registers.size(); ++i)
    if (followed[i]) {
      nextOffset = (nextOffset + 3) / 4 * 4;
      registers[i].defined = nextOffset;
      nextOffset += 4;
      code.definedMasks.push_back(registers[i].defined);
    }
  for (size_t at = 0; at < code.insts.size(); ++at) {
    Inst &inst = code.insts[at];
    auto tracked = std::make_unique<Tracked>();
    for (int index : doubtful[at]) {
      const RegisterInfo &info = registers[size_t(index)];
      bool isGuard = inst.hasGuard && info.offset == inst.guard;
      tracked->uses.push_back({info.defined, isGuard ? "@" : info.name});
    }
    for (int index : writes[at])
      if (followed[size_t(index)])
        tracked->writes.push_back(registers[size_t(index)].defined);
    if (tracked->uses.empty() && tracked->writes.empty())
      continue;
    tracked->propagates = moves[at];
    inst.tracked = tracked.get();
    code.tracked.push_back(std::move(tracked));
  }
}
