// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "CompilerLibrary.h"
#include "Module.h"
#include "Output.h"
#include "sawtooth/runtime/SafeTensors.h"

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
                   asm      assembly
                   obj      an object file, for which no linker is needed
  --verify-only    diagnostics alone
  -o FILE          write there instead of to stdout
  --chip CHIP      native, x86-64-v3 or x86-64-v4; an artifact holds code for all
                   three unless this says one, everything else is for native
  --target TARGET  cpu
  --batch B        examples a batch, where the module leaves it open
  --linker FILE    an ld.lld, when it lies neither beside LLVM nor in PATH
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

int compileCommand(int argc, char **argv) {
  TargetOptions target;
  std::string input, stage, output;
  bool verifyOnly = false;
  CLI::App app("", "compile");
  app.add_option("STEP.mlir", input)->required();
  CLI::Option *emit = app.add_option("--emit", stage)
                          ->check(CLI::IsMember({"amp", "sweep", "kernel", "llvm", "asm", "obj", "so"}));
  app.add_flag("--verify-only", verifyOnly)->excludes(emit);
  app.add_option("-o", output);
  addTargetOptions(app, target);
  if (std::optional<int> code = parse(app, argc, argv, help))
    return *code;
  auto usage = [](const char *text) {
    error(text);
    return WrongUsage;
  };
  bool artifact = !verifyOnly && (stage.empty() || stage == "so");
  if ((artifact || stage == "obj") && output.empty() && isatty(STDOUT_FILENO))
    return usage("an artifact or object file is not for a terminal; give -o FILE");
  if (artifact) {
    const char *chips = app.count("--chip") ? target.chip.c_str() : "x86-64-v3,x86-64-v4,native";
    Result<ArtifactFile> file = ModuleSource(target).artifact(input, chips);
    if (!file.ok())
      return fail(file.status());
    std::span<const std::byte> bytes = file->bytes();
    return write(output, std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  }

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
