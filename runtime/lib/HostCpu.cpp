// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/HostCpu.h"

#include "Cat.h"

#include <cstring>
#include <elf.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace sawtooth::runtime {

#ifdef __x86_64__

std::string_view hostArchitecture() { return "x86_64"; }
unsigned hostElfMachine() { return EM_X86_64; }

bool hostSupports(std::string_view feature) {
  // The builtin looks at what the operating system saves, too, and wants a literal.
#define SAWTOOTH_CPU_FEATURE(name, level)                                                          \
  if (feature == #name)                                                                            \
    return __builtin_cpu_supports(#name);
#include "sawtooth/runtime/CpuFeatures.def"
#undef SAWTOOTH_CPU_FEATURE
  return false;
}

std::string hostIdentity() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  char maker[13] = {};
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx)) {
    std::memcpy(maker, &ebx, 4);
    std::memcpy(maker + 4, &edx, 4);
    std::memcpy(maker + 8, &ecx, 4);
  }
  // Leaf 1's eax is the signature: stepping, model, family and their extensions.
  unsigned signature = 0;
  (void)__get_cpuid(1, &signature, &ebx, &ecx, &edx);
  std::string identity = cat(maker, " ", signature);
  for (const std::string &feature : hostFeatures())
    identity += " " + feature;
  return identity;
}

#else

// The runtime builds for other machines, where every artifact is a foreign one.
std::string_view hostArchitecture() { return "unknown"; }
unsigned hostElfMachine() { return EM_NONE; }
bool hostSupports(std::string_view) { return false; }
std::string hostIdentity() { return "unknown"; }

#endif

std::vector<std::string> hostFeatures() {
  std::vector<std::string> features;
#define SAWTOOTH_CPU_FEATURE(name, level)                                                          \
  if (hostSupports(#name))                                                                         \
    features.push_back(#name);
#include "sawtooth/runtime/CpuFeatures.def"
#undef SAWTOOTH_CPU_FEATURE
  return features;
}

} // namespace sawtooth::runtime
