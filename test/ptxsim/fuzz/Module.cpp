// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes are a module: it loads or is refused, and what loads runs to an end. Built with
// libFuzzer where the compiler has it, else as a program that replays files and mutates them
// itself.

#include "exec/Launch.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace ptxsim;

static void runEntries(const Program &program, DeviceMemory &memory) {
  Options options;
  options.limit = 3000;
  options.progress = 3000;
  options.seed = 1;
  Allocation *data = memory.allocate(1 << 14, 256, AllocationKind::Device, "data");
  if (!data)
    return;
  unsigned count = 0;
  for (const std::string &name : program.entryNames()) {
    const Code &entry = *program.entry(name);
    // A few kernels are enough, and a hostile module may ask for any amount of memory.
    if (++count > 2 || entry.sharedBytes > (64u << 10) || entry.stackBytes > (16u << 10) ||
        entry.frameBytes > (1u << 20) || entry.parameterBytes > 4096)
      continue;
    for (bool cooperative : {false, true}) {
      LaunchConfig config;
      config.grid[0] = 2;
      config.block[0] = 40;
      config.dynamicShared = 256;
      config.stackLimit = 4096;
      config.cooperative = cooperative;
      config.parameters.assign(entry.parameterBytes, 0);
      for (size_t at = 0; at + 8 <= config.parameters.size(); at += 8)
        std::memcpy(&config.parameters[at], &data->base, 8);
      Reporter reporter;
      reporter.start(3);
      Stats stats;
      Launch launch(program, entry, config, options, *findChip("sm_100"), memory, reporter,
                    cooperative ? &stats : nullptr, 1);
      launch.run();
      for (const Report &report : reporter.reports()) {
        toText(report);
        toJson(report);
      }
      data->shadow.reset();
    }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  DeviceMemory memory(uint64_t(16) << 20);
  try {
    LoadOptions options;
    options.approx = true;
    Program program(parse(std::make_shared<Source>(
                        "fuzz.ptx", std::string(reinterpret_cast<const char *>(bytes), size))),
                    memory, options);
    runEntries(program, memory);
  } catch (const SourceError &) {
  }
  return 0;
}

#ifdef PTXSIM_STANDALONE_FUZZER
/// Mutations that keep much of the text alive: swaps of words of the same text, byte changes,
/// deletions, and repeats.
static std::string mutate(std::string text, uint64_t &state) {
  auto next = [&](uint64_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return bound ? state % bound : 0;
  };
  auto word = [&](size_t at, size_t &begin, size_t &end) {
    auto part = [&](char c) {
      return std::isalnum((unsigned char)c) || c == '_' || c == '%' || c == '$';
    };
    while (at < text.size() && !part(text[at]))
      ++at;
    begin = end = at;
    while (end < text.size() && part(text[end]))
      ++end;
  };
  for (uint64_t n = 1 + next(6); n && !text.empty(); --n) {
    size_t at = next(text.size()), a, b, c, d;
    switch (next(5)) {
    case 0:
      text[at] = char(next(128));
      break;
    case 1:
      text.erase(at, next(40));
      break;
    case 2:
      text.insert(at, text.substr(next(text.size()), next(60)));
      break;
    default:
      word(at, a, b);
      word(next(text.size()), c, d);
      text.replace(a, b - a, text.substr(c, d - c));
    }
  }
  return text;
}

/// fuzz COUNT FILE...
int main(int argc, char **argv) {
  uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 0, state = 0x9e3779b97f4a7c15;
  std::vector<std::string> corpus;
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(corpus.back().data()),
                           corpus.back().size());
  }
  if (corpus.empty())
    return 2;
  for (uint64_t i = 0; i < count; ++i) {
    std::string text = mutate(corpus[i % corpus.size()], state);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(text.data()), text.size());
  }
  std::printf("%zu files, %llu mutated inputs\n", corpus.size(), (unsigned long long)count);
  return 0;
}
#endif
