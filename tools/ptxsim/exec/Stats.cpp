// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exec/Stats.h"

#include <algorithm>
#include <bit>

using namespace ptxsim;

uint64_t Stats::sectors(const uint64_t *addresses, Mask mask, unsigned bytes) {
  uint64_t touched[warpSize * 2];
  size_t count = 0;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    uint64_t address = addresses[std::countr_zero(rest)];
    touched[count++] = address / 32;
    if ((address + bytes - 1) / 32 != address / 32)
      touched[count++] = (address + bytes - 1) / 32;
  }
  std::sort(touched, touched + count);
  return uint64_t(std::unique(touched, touched + count) - touched);
}

uint64_t Stats::bankPasses(const uint64_t *addresses, Mask mask, unsigned bytes) {
  unsigned lanesPerPass = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  uint64_t passes = 0;
  for (unsigned first = 0; first < warpSize; first += lanesPerPass) {
    std::vector<uint64_t> words;
    for (unsigned lane = first; lane < first + lanesPerPass; ++lane)
      if (mask >> lane & 1)
        for (unsigned byte = 0; byte < bytes; byte += 4)
          words.push_back((addresses[lane] + byte) / 4);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    uint64_t perBank[32] = {};
    uint64_t most = 0;
    for (uint64_t word : words)
      most = std::max(most, ++perBank[word % 32]);
    passes += most;
  }
  return passes;
}

std::vector<Stats::Opcode> &Stats::countersOf(const Code &code) {
  std::vector<Opcode> &list = counters[&code];
  if (list.empty())
    list.resize(code.insts.size());
  return list;
}

void Stats::fold() {
  for (const auto &[code, list] : counters)
    for (size_t i = 0; i < list.size(); ++i) {
      if (!list[i].warps)
        continue;
      std::string name = "ret";
      if (i < code->ast->body.size()) {
        const Instruction &instruction = code->ast->body[i];
        name = instruction.opcode;
        for (const std::string &modifier : instruction.modifiers)
          name += "." + modifier;
      }
      opcodes[name].warps += list[i].warps;
      opcodes[name].threads += list[i].threads;
    }
  counters.clear();
}

std::string ptxsim::toText(const Stats &stats) {
  std::string text;
  auto line = [&](const std::string &name, uint64_t value) {
    text += name + " " + std::to_string(value) + "\n";
  };
  uint64_t warps = 0, threads = 0;
  for (const auto &[name, count] : stats.opcodes) {
    warps += count.warps;
    threads += count.threads;
  }
  line("launches", stats.launches);
  line("blocks", stats.blocks);
  line("instructions.warp", warps);
  line("instructions.thread", threads);
  line("branches.divergent", stats.divergentBranches);
  line("barriers", stats.barriers);
  for (const auto &[key, traffic] : stats.traffic) {
    std::string name = std::string(nameOf(key.first)) + (key.second ? ".store" : ".load");
    line(name + ".requests", traffic.requests);
    line(name + ".bytes", traffic.bytes);
    if (key.first != Space::Param)
      line(name + (key.first == Space::Shared ? ".passes" : ".sectors"), traffic.units);
  }
  for (const auto &[name, count] : stats.opcodes)
    line("opcode." + name, count.threads);
  return text;
}
