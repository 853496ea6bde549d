// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where CUDA's assembler is. Nothing but a cubin needs it.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_PTXAS_H
#define SAWTOOTH_TOOLS_SAWTOOTH_PTXAS_H

#include <string>

namespace sawtooth::tool {

/// The ptxas in $CUDA_HOME/bin or $CUDA_PATH/bin, else in PATH, in the package nvidia-cuda-nvcc of
/// the active Python environment or else of the first python3 in PATH, or in `toolkit`/bin. "" when
/// there is none; `searched` then lists, in words, where it was looked for.
std::string findPtxas(std::string &searched, const std::string &toolkit = "/usr/local/cuda");

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_PTXAS_H
