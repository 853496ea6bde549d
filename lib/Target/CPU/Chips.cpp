// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chips.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
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
static constexpr llvm::StringLiteral ubiquitous[] = {
    "64bit", "cmov", "crc32", "cx16", "cx8",    "fxsr",   "mmx",   "popcnt",
    "sahf",  "sse",  "sse2",  "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"};

/// The features of CpuFeatures.def that a level needs.
static std::vector<std::string> featuresOfLevel(unsigned level) {
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
    bool used = present && (checked || llvm::is_contained(ubiquitous, name));
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

/// The level that code for a chip needs; "native" needs what is here.
static unsigned levelOfChip(llvm::StringRef name, const HostProcessor &host) {
  return name == "x86-64-v3" ? 3 : name == "x86-64-v4" ? 4 : host.level;
}

LogicalResult sawtooth::checkRuns(StringRef chip, const HostProcessor &host, Location location) {
  if (host.level >= levelOfChip(chip, host))
    return success();
  return emitError(location, "expected a processor that runs code for ")
         << chip << ", got " << host.cpu << ", which does not";
}

FailureOr<Chip> sawtooth::resolveChip(StringRef name, const HostProcessor &host,
                                      Location location) {
  if (!llvm::is_contained(chipNames, name))
    return emitError(location, "expected a chip of target cpu, got '")
           << name << "'; there are " << llvm::join(ArrayRef(chipNames), ", ");
  bool isNative = name == "native";
  if (isNative && host.level == 0)
    return emitError(location, "expected a processor of at least x86-64-v3 (AVX2, FMA, F16C), got ")
           << host.cpu;
  unsigned level = levelOfChip(name, host), width = level == 4 ? 16 : 8;
  if (isNative)
    return Chip{name.str(), host.cpu, host.features, width, host.required};
  return Chip{name.str(), name.str(), "", width, featuresOfLevel(level)};
}
