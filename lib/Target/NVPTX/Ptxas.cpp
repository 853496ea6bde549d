// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "../Process.h"

#include "sawtooth/Target/NVPTX/NVPTX.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <cstring>
#include <sys/wait.h>

using namespace mlir;
using namespace sawtooth;

/// `folder`/bin/ptxas, or "".
static std::string inFolder(const llvm::Twine &folder) {
  llvm::SmallString<128> path;
  (folder + "/bin/ptxas").toVector(path);
  return llvm::sys::fs::can_execute(path) ? path.str().str() : "";
}

/// Where Python packages put it: FOLDER/lib/python3.*/site-packages/nvidia/{cu13,cuda_nvcc}.
static std::string inPython(StringRef environment) {
  std::error_code error;
  llvm::SmallString<128> lib(environment);
  llvm::sys::path::append(lib, "lib");
  for (llvm::sys::fs::directory_iterator entry(lib, error), end; !error && entry != end;
       entry.increment(error))
    if (llvm::sys::path::filename(entry->path()).starts_with("python3"))
      for (StringRef package : {"cu13", "cuda_nvcc"})
        if (std::string path = inFolder(entry->path() + "/site-packages/nvidia/" + package);
            !path.empty())
          return path;
  return "";
}

static std::string findPtxas() {
  if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> folder = llvm::sys::Process::GetEnv(variable))
      if (std::string path = inFolder(*folder); !path.empty())
        return path;
  if (std::string path = inFolder("/usr/local/cuda"); !path.empty())
    return path;
  if (std::optional<std::string> environment = llvm::sys::Process::GetEnv("VIRTUAL_ENV"))
    if (std::string path = inPython(*environment); !path.empty())
      return path;
  if (llvm::ErrorOr<std::string> python = llvm::sys::findProgramByName("python3"))
    return inPython(llvm::sys::path::parent_path(llvm::sys::path::parent_path(*python)));
  return "";
}

FailureOr<std::string> sawtooth::assemblePTX(StringRef ptx, StringRef chip, Location location) {
  std::string program = findPtxas();
  if (program.empty())
    return emitError(location,
                     "no ptxas in PATH, CUDA_HOME or /usr/local/cuda, nor the Python "
                     "package nvidia-cuda-nvcc; compile with --emit=ptx, which needs none");
  // ptxas wants a name for what it writes, and not standard output.
  MemoryFile input(ptx), output{StringRef()};
  if (!input.ok() || output.get() < 0)
    return emitError(location, "cannot hand PTX to ptxas: ") << std::strerror(errno);
  std::vector<MemoryFile> files;
  files.push_back(std::move(input));
  files.push_back(std::move(output));
  ProcessOutcome outcome = runProcess(
      program, {("-arch=" + chip).str(), "-o", "/proc/self/fd/4", "/proc/self/fd/3"}, files);
  if (outcome.error)
    return emitError(location, "cannot run '") << program << "': " << std::strerror(outcome.error);
  if (!WIFEXITED(outcome.status) || WEXITSTATUS(outcome.status) != 0)
    return emitError(location, "internal error: '")
           << program << "' refuses the PTX: " << outcome.messages << outcome.output;
  std::string cubin = files.back().read();
  if (!StringRef(cubin).starts_with("\177ELF"))
    return emitError(location, "expected a cubin from '")
           << program << "', got " << cubin.size() << " bytes of something else";
  return cubin;
}
