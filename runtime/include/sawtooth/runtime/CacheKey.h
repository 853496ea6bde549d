// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_CACHEKEY_H
#define SAWTOOTH_RUNTIME_CACHEKEY_H

#include "sawtooth/runtime/Abi.h"
#include "sawtooth/runtime/ArtifactFormat.h"
#include "sawtooth/runtime/Digest.h"

#include <cstdint>
#include <string>

namespace sawtooth::runtime {

/// Everything that can change the artifact that a compilation yields. Two compilations with equal
/// keys are the same compilation. Paths, time, user, locale and environment are no part of it.
struct CacheKey {
  /// What `content` is the digest of.
  enum class Kind : uint32_t {
    Bytes, ///< the bytes of the input file: known without the compiler
    Module ///< the linked module in canonical form: layout, comments and locations do not matter
  };

  Kind kind = Kind::Bytes;
  Digest content;
  std::string target; ///< "cpu"
  std::string chips;  ///< "x86-64-v3", or several with commas between
  std::string host;   ///< hostIdentity() when "native" is among the chips, else ""
  uint64_t batch = 0;
  std::string options;  ///< whatever else was asked for, "" for the defaults
  std::string compiler; ///< build of the compiler library
  std::string llvm;     ///< version of LLVM, and its build where it is a library of its own
  uint32_t abi = SAWTOOTH_ABI_VERSION;
  uint32_t format = SAWTOOTH_ARTIFACT_FORMAT;

  /// The whole key in one line: what an entry carries and a reader compares.
  std::string text() const;
  /// 32 hexadecimal digits of text(): the entry's name.
  std::string name() const { return digest(text()).hex(); }
};

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_CACHEKEY_H
