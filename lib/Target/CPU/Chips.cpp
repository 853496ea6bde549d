// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chips.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace sawtooth;

namespace {
struct Feature {
  llvm::StringLiteral name;
  unsigned level;
};
} // namespace

static constexpr Feature known[] = {
#define SAWTOOTH_CPU_FEATURE(name, level) {#name, level},
#include "sawtooth/runtime/CpuFeatures.def"
#undef SAWTOOTH_CPU_FEATURE
};

// What x86-64-v2 has, so that every machine that anything runs on has it.
static constexpr llvm::StringLiteral floor[] = {
    "64bit", "cmov", "crc32", "cx16", "cx8",    "fxsr",   "mmx",   "popcnt",
    "sahf",  "sse",  "sse2",  "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"};

std::vector<std::string> sawtooth::featuresOfLevel(unsigned level) {
  std::vector<std::string> names;
  for (const Feature &feature : known)
    if (feature.level <= level)
      names.push_back(feature.name.str());
  return names;
}

HostProcessor sawtooth::inspectHost() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto has = [&](llvm::StringRef feature) { return features.lookup(feature); };
  HostProcessor host;
  host.cpu = llvm::sys::getHostCPUName().str();
  std::vector<std::string> flags;
  for (const auto &[name, present] : features) {
    bool checked = llvm::any_of(known, [&](const Feature &f) { return f.name == name; });
    bool used = present && (checked || llvm::is_contained(floor, name));
    flags.push_back((used ? "+" : "-") + name.str());
    if (present && checked)
      host.required.push_back(name.str());
  }
  // A hash table's order would differ from run to run.
  llvm::sort(flags);
  llvm::sort(host.required);
  host.features = llvm::join(flags, ",");
  host.level = !llvm::all_of(featuresOfLevel(3), has)   ? 0
               : !llvm::all_of(featuresOfLevel(4), has) ? 3
                                                        : 4;
  return host;
}

unsigned sawtooth::levelOfChip(llvm::StringRef name) {
  if (name == "x86-64-v3")
    return 3;
  if (name == "x86-64-v4")
    return 4;
  return name == "native" ? inspectHost().level : 0;
}
