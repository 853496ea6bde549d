// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Pipelines/Pipelines.h"

#include "sawtooth/Conversion/Passes.h"
#include "sawtooth/Transforms/Passes.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace sawtooth;

std::optional<Stage> sawtooth::parseStage(StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("amp", Stage::Amp)
      .Case("sweep", Stage::Sweep)
      .Case("kernel", Stage::Kernel)
      .Case("llvm", Stage::LLVM)
      .Case("asm", Stage::Assembly)
      .Case("obj", Stage::Object)
      .Case("ptx", Stage::Assembly)
      .Case("cubin", Stage::Object)
      .Default(std::nullopt);
}

static void addAmp(OpPassManager &passes, const PipelineOptions &options) {
  passes.addPass(createAmpLink());
  AmpSpecializeBatchOptions batch;
  batch.batch = options.batch;
  passes.addPass(createAmpSpecializeBatch(batch));
  passes.addPass(createAmpInlineLayers());
  passes.addPass(createAmpOutlineForward());
}

static void addSweep(OpPassManager &passes, const PipelineOptions &) {
  passes.addPass(createAmpToSweep());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createSweepCut());
}

static void addKernel(OpPassManager &passes, const PipelineOptions &options) {
  if (options.target == "nvptx") {
    passes.addPass(createSweepToNvptx());
    return;
  }
  SweepToKernelOptions kernel;
  kernel.width = options.width;
  passes.addPass(createSweepToKernel(kernel));
}

static void addLLVM(OpPassManager &passes, const PipelineOptions &options) {
  passes.addPass(createExpandPartialArith());
  passes.addPass(createExpandMath());
  passes.addPass(createExpandFloatCasts());
  passes.addPass(createSymbolDCEPass());
  passes.addPass(options.target == "nvptx" ? createKernelToNvvm() : createKernelToLlvm());
}

void sawtooth::buildPipeline(OpPassManager &passes, const PipelineOptions &options, Stage last,
                             std::optional<Stage> done) {
  static constexpr std::pair<Stage, void (*)(OpPassManager &, const PipelineOptions &)> stages[] = {
      {Stage::Amp, addAmp},
      {Stage::Sweep, addSweep},
      {Stage::Kernel, addKernel},
      {Stage::LLVM, addLLVM}};
  for (auto [stage, add] : stages)
    if (stage <= last && !(done && stage <= *done))
      add(passes, options);
}

namespace {
struct CommandLineOptions : PassPipelineOptions<CommandLineOptions> {
  Option<int64_t> batch{*this, "batch", llvm::cl::init(0),
                        llvm::cl::desc("Examples in a batch; 0 takes the module's default")};

  PipelineOptions of(StringRef target) const {
    return {.batch = static_cast<uint64_t>(batch.getValue()), .target = target.str()};
  }
};
struct CPUCommandLineOptions : CommandLineOptions {
  Option<unsigned> width{*this, "width", llvm::cl::init(16),
                         llvm::cl::desc("f32 lanes of a vector: 8 or 16")};
};
} // namespace

void sawtooth::registerPipelines() {
  PassPipelineRegistration<CPUCommandLineOptions>(
      "sawtooth-to-cpu", "a module of amp becomes the llvm dialect for a CPU",
      [](OpPassManager &passes, const CPUCommandLineOptions &options) {
        PipelineOptions all = options.of("cpu");
        all.width = options.width;
        buildPipeline(passes, all);
      });
  PassPipelineRegistration<CommandLineOptions>(
      "sawtooth-to-nvptx", "a module of amp becomes the llvm and nvvm dialects for a GPU",
      [](OpPassManager &passes, const CommandLineOptions &options) {
        buildPipeline(passes, options.of("nvptx"));
      });
}
