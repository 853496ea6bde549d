// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code for a GPU in an artifact: the host's side of it is constants alone.
#ifndef SAWTOOTH_LIB_COMPILER_HOSTOBJECT_H
#define SAWTOOTH_LIB_COMPILER_HOSTOBJECT_H

#include "sawtooth/Target/TargetBackend.h"

namespace sawtooth {

/// An object file of the CPU `chip` that hands out `artifact`, its plan and images, through the
/// function `query`.
mlir::FailureOr<std::string> createHostObject(const SawtoothArtifact &artifact,
                                              llvm::StringRef query, const TargetBackend &cpu,
                                              const Chip &chip, mlir::Location location);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_COMPILER_HOSTOBJECT_H
