// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where CUDA's assembler is. Nothing but a cubin needs it.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_PTXAS_H
#define SAWTOOTH_TOOLS_SAWTOOTH_PTXAS_H

#include "sawtooth/runtime/Status.h"

#include <string>

namespace sawtooth::tool {

/// The ptxas in $CUDA_HOME/bin or $CUDA_PATH/bin, else in PATH, in the package nvidia-cuda-nvcc of
/// the active Python environment or else of the first python3 in PATH, or in `toolkit`/bin. "" when
/// there is none; `searched` then lists, in words, where it was looked for.
std::string findPtxas(std::string &searched, const std::string &toolkit = "/usr/local/cuda");

/// What tells that ptxas from any other, for the key of a cache: its bytes, and what it says of its
/// version, for a file in PATH may be a script that starts the one that the system has just now.
/// `Io` when it cannot be read.
runtime::Result<std::string> ptxasIdentity(const std::string &path);

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_PTXAS_H
