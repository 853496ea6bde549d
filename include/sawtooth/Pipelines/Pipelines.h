// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From a parsed module to a target, as library functions. The stages are what --emit names.
#ifndef SAWTOOTH_PIPELINES_PIPELINES_H
#define SAWTOOTH_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"

#include <cstdint>
#include <optional>
#include <string>

namespace sawtooth {

/// Where a compilation may stop. Up to Kernel the result is MLIR, LLVM is LLVM IR.
enum class Stage { Amp, Sweep, Kernel, LLVM, Assembly, Object };

/// "amp", "sweep", "kernel", "llvm", "asm" or "ptx", "obj" or "cubin".
std::optional<Stage> parseStage(llvm::StringRef name);

struct PipelineOptions {
  uint64_t batch = 0;         // what `?` becomes; 0: the module's default
  unsigned width = 16;        // f32 lanes of a vector of a CPU
  std::string target = "cpu"; // or "nvptx"
};

/// The passes of sawtooth-to-cpu or sawtooth-to-nvptx up to `last`; from Stage::LLVM on the module
/// ends in the llvm dialect. Amp is linked, specialised and outlined, Sweep is cut, Kernel holds
/// functions over raw memory. What a stage leaves is checked by the next one's conversion. A module
/// that is at stage `done` already goes on from there.
void buildPipeline(mlir::OpPassManager &passes, const PipelineOptions &options,
                   Stage last = Stage::LLVM, std::optional<Stage> done = std::nullopt);

/// Registers `sawtooth-to-cpu` and `sawtooth-to-nvptx` with their options for tools. Call it once
/// in a process.
void registerPipelines();

} // namespace sawtooth

#endif // SAWTOOTH_PIPELINES_PIPELINES_H
