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
      .Default(std::nullopt);
}

static void addAmp(OpPassManager &passes, const CPUPipelineOptions &options) {
  passes.addPass(createAmpLink());
  AmpSpecializeBatchOptions batch;
  batch.batch = options.batch;
  passes.addPass(createAmpSpecializeBatch(batch));
  passes.addPass(createAmpInlineLayers());
  passes.addPass(createAmpOutlineForward());
}

static void addSweep(OpPassManager &passes, const CPUPipelineOptions &) {
  passes.addPass(createAmpToSweep());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createSweepCut());
}

static void addKernel(OpPassManager &passes, const CPUPipelineOptions &options) {
  SweepToKernelOptions kernel;
  kernel.width = options.width;
  kernel.chip = options.chip;
  passes.addPass(createSweepToKernel(kernel));
}

static void addLLVM(OpPassManager &passes, const CPUPipelineOptions &) {
  passes.addPass(createExpandPartialArith());
  passes.addPass(createExpandMath());
  passes.addPass(createExpandFloatCasts());
  passes.addPass(createSymbolDCEPass());
  passes.addPass(createKernelToLlvm());
}

void sawtooth::buildCPUPipeline(OpPassManager &passes, const CPUPipelineOptions &options,
                                Stage last, std::optional<Stage> done) {
  static constexpr std::pair<Stage, void (*)(OpPassManager &, const CPUPipelineOptions &)>
      stages[] = {{Stage::Amp, addAmp},
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
  Option<unsigned> width{*this, "width", llvm::cl::init(16),
                         llvm::cl::desc("f32 lanes of a vector: 8 or 16")};
  Option<std::string> chip{*this, "chip", llvm::cl::init("native"),
                           llvm::cl::desc("Name of the chip, for the plan")};
};
} // namespace

void sawtooth::registerPipelines() {
  PassPipelineRegistration<CommandLineOptions>(
      "sawtooth-to-cpu", "a module of amp becomes the llvm dialect for a CPU",
      [](OpPassManager &passes, const CommandLineOptions &options) {
        buildCPUPipeline(
            passes, {static_cast<uint64_t>(options.batch.getValue()), options.width, options.chip});
      });
}
