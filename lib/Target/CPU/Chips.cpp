// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chips.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

#include <vector>

using namespace sawtooth;

// The levels of the x86-64 psABI, as far as they go beyond x86-64-v2.
static constexpr llvm::StringLiteral level3[] = {"avx", "avx2",  "bmi",   "bmi2", "f16c",
                                                 "fma", "lzcnt", "movbe", "xsave"};
static constexpr llvm::StringLiteral level4[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq",
                                                 "avx512vl"};

HostProcessor sawtooth::inspectHost() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto has = [&](llvm::StringRef feature) { return features.lookup(feature); };
  HostProcessor host;
  host.cpu = llvm::sys::getHostCPUName().str();
  std::vector<std::string> flags;
  for (const auto &feature : features)
    flags.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(flags); // a hash table's order would differ from run to run
  host.features = llvm::join(flags, ",");
  host.level = !llvm::all_of(level3, has) ? 0 : llvm::all_of(level4, has) ? 4 : 3;
  return host;
}

unsigned sawtooth::levelOfChip(llvm::StringRef name) {
  if (name == "x86-64-v3")
    return 3;
  if (name == "x86-64-v4")
    return 4;
  return name == "native" ? inspectHost().level : 0;
}
