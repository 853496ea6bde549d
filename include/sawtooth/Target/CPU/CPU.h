// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// x86-64, from x86-64-v3 (AVX2, F16C) up: code generation through LLVM, loading through ORC.
#ifndef SAWTOOTH_TARGET_CPU_CPU_H
#define SAWTOOTH_TARGET_CPU_CPU_H

#include "sawtooth/Target/TargetBackend.h"

struct SawtoothArtifact;

namespace sawtooth {

/// Chips: "native", "x86-64-v3", "x86-64-v4".
std::unique_ptr<TargetBackend> createCPUBackend();

/// An object file that emit() made, linked into this process.
class LoadedObject {
public:
  /// Says at `location` what is wrong, and returns null, also when this processor lacks what
  /// `chip` has.
  static std::unique_ptr<LoadedObject> load(llvm::StringRef object, const Chip &chip,
                                            mlir::Location location);
  virtual ~LoadedObject();
  /// What the object's `sawtooth_query` returns; lives as long as this does.
  virtual const SawtoothArtifact *getArtifact() const = 0;
};

} // namespace sawtooth

#endif // SAWTOOTH_TARGET_CPU_CPU_H
