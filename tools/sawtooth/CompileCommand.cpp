// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "CompilerLibrary.h"
#include "Output.h"
#include "sawtooth/runtime/SafeTensors.h"

#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

static const char *const help = R"(usage: sawtooth compile STEP.mlir --emit STAGE [OPTION...]

Compiles a module and prints what it has become.

  --emit STAGE     amp      what the step means, rules linked
                   sweep    passes over memory, cut at reductions
                   kernel   loops over vectors, one function a pass
                   llvm     LLVM IR, optimised
                   asm      assembly
                   obj      an object file (needs -o)
  --verify-only    diagnostics alone
  -o FILE          write there instead of to stdout
  --chip CHIP      native (default), x86-64-v3 or x86-64-v4
  --target TARGET  cpu
  --batch B        examples a batch, where the module leaves it open

example:
  sawtooth compile examples/adamw/step.mlir --emit sweep
)";

static int write(const std::string &path, const std::string &text) {
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
                          ->check(CLI::IsMember({"amp", "sweep", "kernel", "llvm", "asm", "obj"}));
  app.add_flag("--verify-only", verifyOnly)->excludes(emit);
  app.add_option("-o", output);
  addTargetOptions(app, target);
  if (std::optional<int> code = parse(app, argc, argv, help))
    return *code;
  auto usage = [](const char *text) {
    error(text);
    return WrongUsage;
  };
  if (stage.empty() && !verifyOnly)
    return usage("expected --emit STAGE or --verify-only");
  if (stage == "obj" && output.empty() && isatty(STDOUT_FILENO))
    return usage("an object file is not for a terminal; give -o FILE");

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
  if (output.empty() || output == "-") {
    result(text);
    return Success;
  }
  return write(output, text);
}

} // namespace sawtooth::tool
