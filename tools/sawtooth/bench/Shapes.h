// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensors of well-known networks, for benchmarks.
#ifndef SAWTOOTH_TOOLS_BENCH_SHAPES_H
#define SAWTOOTH_TOOLS_BENCH_SHAPES_H

#include "sawtooth/runtime/Model.h"

#include <string>
#include <vector>

namespace sawtooth::bench {

/// The tensors that `spec` means: gpt2, gpt2-xl, resnet50, llama-7b, COUNTxSIZE (COUNT tensors of
/// SIZE elements), or a JSON file {"name": [dims], …}. `Invalid` says what there is.
runtime::Result<std::vector<runtime::TensorSpec>> tensorsOf(const std::string &spec);

} // namespace sawtooth::bench

#endif // SAWTOOTH_TOOLS_BENCH_SHAPES_H
