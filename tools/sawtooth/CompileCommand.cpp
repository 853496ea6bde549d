// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "CompilerLibrary.h"
#include "Module.h"
#include "Output.h"
#include "Ptxas.h"
#include "sawtooth/runtime/GpuChip.h"
#include "sawtooth/runtime/SafeTensors.h"

#include <algorithm>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

static const char *const help = R"(usage: sawtooth compile STEP.mlir [-o FILE] [OPTION...]

Compiles a module into an artifact, one file that runs without the compiler, or
prints what it has become on the way.

  --emit STAGE     so       the artifact (default)
                   amp      what the step means, rules linked
                   sweep    passes over memory, cut at reductions
                   kernel   loops over vectors, one function a pass
                   llvm     LLVM IR, optimised
                   asm      assembly; PTX for a GPU
                   ptx, cubin    for a GPU; a cubin needs ptxas
                   obj      an object file, for which no linker is needed
  --verify-only    diagnostics alone
  -o FILE          write there instead of to stdout
  --target TARGET  cpu (default) or nvptx; an artifact may be for both: --target
                   twice
  --chip CHIP      native, x86-64-v3 or x86-64-v4, sm_75 to sm_121. For an artifact
                   several times; without it, it holds code for the first three,
                   and for a GPU what runs from sm_75 on
  --batch B        examples a batch, where the module leaves it open
  --linker FILE    an ld.lld, when it lies neither beside LLVM nor in PATH
  --ptxas FILE     for the cubins beside an artifact's PTX; by default the one
                   in CUDA_HOME, PATH, Python's nvidia-cuda-nvcc or /usr/local/cuda
  -v, --verbose    say what came from the cache

example:
  sawtooth compile examples/adamw/step.mlir -o step.so && sawtooth explain step.so
)";

static int write(const std::string &path, const std::string &text) {
  if (path.empty() || path == "-") {
    result(text);
    return Success;
  }
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    // A device or pipe is written to, never replaced.
    std::ofstream file(path, std::ios::binary);
    if (file << text << std::flush)
      return Success;
    error(path + ": cannot write");
    return WrongInput;
  }
  std::span<const std::byte> piece = std::as_bytes(std::span(text));
  Status status = replaceFile(path, {&piece, 1});
  return status.ok() ? Success : fail(status);
}

// The chips that an artifact for `targets` holds code for when --chip says none of them.
static const char *defaultChips(const std::string &target) {
  return target == "nvptx" ? "sm_75" : "x86-64-v3,x86-64-v4,native";
}

// The chips of an artifact, with commas between and in an order of their own: CPUs first. Targets
// without a chip of theirs get the usual ones.
static std::string artifactChips(std::vector<std::string> targets, std::vector<std::string> chips) {
  auto isGpu = [](const std::string &chip) { return GpuChip::parse(chip).has_value(); };
  auto before = [&](const std::string &a, const std::string &b) {
    return std::pair(isGpu(a), a) < std::pair(isGpu(b), b);
  };
  std::ranges::sort(chips, before);
  chips.erase(std::unique(chips.begin(), chips.end()), chips.end());
  if (targets.empty() && chips.empty())
    targets = {"cpu"};
  std::string text;
  for (bool gpu : {false, true}) {
    bool any = false;
    for (const std::string &chip : chips)
      if (isGpu(chip) == gpu) {
        text += (text.empty() ? "" : ",") + chip;
        any = true;
      }
    std::string target = gpu ? "nvptx" : "cpu";
    if (!any && std::ranges::find(targets, target) != targets.end())
      text += (text.empty() ? "" : ",") + std::string(defaultChips(target));
  }
  return text;
}

// The ptxas of the options, or else one that is found; says where none is.
static std::string choosePtxas(TargetOptions &options) {
  std::string searched;
  if (options.ptxas.empty())
    options.ptxas = findPtxas(searched);
  return options.ptxas.empty() ? searched : "";
}

int compileCommand(int argc, char **argv) {
  TargetOptions target;
  std::vector<std::string> targets, chips;
  std::string input, stage, output;
  bool verifyOnly = false;
  CLI::App app("", "compile");
  app.add_option("STEP.mlir", input)->required();
  CLI::Option *emit = app.add_option("--emit", stage)
                          ->check(CLI::IsMember({"amp", "sweep", "kernel", "llvm", "asm", "ptx",
                                                 "cubin", "obj", "so"}));
  app.add_flag("--verify-only", verifyOnly)->excludes(emit);
  app.add_option("-o", output);
  addCodeOptions(app, target);
  app.add_option("--ptxas", target.ptxas);
  auto several = [](CLI::Option *option) { option->expected(1)->take_all(); };
  several(app.add_option("--target", targets)->check(CLI::IsMember({"cpu", "nvptx"})));
  several(app.add_option("--chip", chips)->check(chipName()));
  if (std::optional<int> code = parse(app, argc, argv, help))
    return *code;
  auto usage = [](const char *text) {
    error(text);
    return WrongUsage;
  };
  bool artifact = !verifyOnly && (stage.empty() || stage == "so");
  bool binary = stage == "obj" || stage == "cubin";
  if ((artifact || binary) && output.empty() && isatty(STDOUT_FILENO))
    return usage("an artifact or object file is not for a terminal; give -o FILE");
  if (artifact) {
    std::string all = artifactChips(targets, chips);
    // The compiler tells the target of each chip by its name; the options are for the first.
    target.chip = all.substr(0, all.find(','));
    target.target = GpuChip::parse(target.chip) ? "nvptx" : "cpu";
    if (namesGpu(all))
      if (std::string searched = choosePtxas(target); !searched.empty())
        note("the artifact holds PTX alone, which the driver compiles when it is loaded: no ptxas "
             "in " +
             searched);
    Result<ArtifactFile> file = ModuleSource(target).artifact(input, all);
    if (!file.ok())
      return fail(file.status());
    std::span<const std::byte> bytes = file->bytes();
    return write(output, std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  }
  if (targets.size() > 1 || chips.size() > 1)
    return usage("several targets or chips are for an artifact; give one, or leave --emit out");
  if (!targets.empty())
    target.target = targets[0];
  else if (chips.empty() && (stage == "ptx" || stage == "cubin"))
    target.target = "nvptx";
  if (!chips.empty())
    target.chip = chips[0];
  if (Status status = resolveTarget(target, /*runs=*/false); !status.ok())
    return failTarget(status);
  if ((stage == "ptx" || stage == "cubin") && target.target != "nvptx")
    return usage("PTX and cubins are code for --target=nvptx");
  if (binary && target.target == "nvptx")
    if (std::string searched = choosePtxas(target); !searched.empty())
      return fail(Status::error(StatusCode::NotFound,
                                "a cubin needs ptxas, and there is none in " + searched +
                                    "; give --ptxas FILE, or --emit=ptx, which needs none"));

  Result<CompilerLibrary> library = CompilerLibrary::load();
  if (!library.ok())
    return fail(library.status());
  SawtoothCompileOptions options = compileOptions(target);
  std::string text;
  auto collect = [](const char *piece, size_t size, void *user) {
    static_cast<std::string *>(user)->append(piece, size);
  };
  if (library->emitFile(input.c_str(), verifyOnly ? "verify" : stage.c_str(), &options, collect,
                        &text))
    return WrongInput;
  if (verifyOnly)
    return Success;
  return write(output, text);
}

} // namespace sawtooth::tool
