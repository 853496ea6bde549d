// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "../Process.h"

#include "sawtooth/Target/NVPTX/NVPTX.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Regex.h"

#include <cstring>

using namespace mlir;
using namespace sawtooth;
using runtime::ArtifactKernel;

template <typename... Parts>
static llvm::Error error(const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  (stream << ... << parts);
  return llvm::createStringError(text);
}

/// The number before ` <what>` in `line`, or 0.
static uint64_t numberBefore(StringRef line, StringRef what) {
  SmallVector<StringRef> found;
  uint64_t number = 0;
  if (llvm::Regex(("([0-9]+) " + what).str()).match(line, &found))
    (void)found[1].getAsInteger(10, number);
  return number;
}

/// What `-v` prints: of a kernel a line that names it ("Compiling entry function 'NAME' for …"),
/// one with the bytes it spills, and one with its registers; of a function that kernels call,
/// "Function properties for NAME" and the bytes alone.
static std::vector<ArtifactKernel> readKernels(StringRef text, StringRef chip) {
  std::vector<ArtifactKernel> kernels;
  for (StringRef line : llvm::split(text, '\n')) {
    StringRef function = line.split("Function properties for ").second.trim();
    if (line.contains("Compiling entry function "))
      kernels.push_back({chip.str(), line.split('\'').second.split('\'').first.str()});
    else if (!function.empty() && (kernels.empty() || kernels.back().name != function))
      kernels.push_back({chip.str(), function.str()});
    if (kernels.empty())
      continue;
    if (line.contains("bytes spill stores"))
      kernels.back().spilled =
          numberBefore(line, "bytes spill stores") + numberBefore(line, "bytes spill loads");
    if (line.contains(": Used ")) {
      kernels.back().registers = numberBefore(line, "registers");
      kernels.back().shared = numberBefore(line, "bytes smem");
    }
  }
  llvm::erase_if(kernels,
                 [](const ArtifactKernel &each) { return !each.registers && !each.spilled; });
  llvm::sort(kernels, [](const ArtifactKernel &a, const ArtifactKernel &b) {
    return StringRef(a.name).compare_numeric(b.name) < 0;
  });
  return kernels;
}

llvm::Expected<Cubin> sawtooth::assemblePTX(StringRef ptx, StringRef chip, StringRef ptxas) {
  // ptxas wants a name for what it writes, and not standard output.
  MemoryFile input(ptx), output{StringRef()};
  if (!input.ok() || output.get() < 0)
    return error("cannot hand PTX to ptxas: ", std::strerror(errno));
  std::vector<MemoryFile> files;
  files.push_back(std::move(input));
  files.push_back(std::move(output));
  ProcessOutcome outcome = runProcess(
      ptxas.str(), {"-v", ("-arch=" + chip).str(), "-o", "/proc/self/fd/4", "/proc/self/fd/3"},
      files);
  if (outcome.error)
    return error("cannot run '", ptxas, "': ", outcome.explain());
  if (!outcome.succeeded())
    return error("'", ptxas, "' refuses the PTX for ", chip, ": ", outcome.explain());
  std::string cubin = files.back().read();
  if (!StringRef(cubin).starts_with("\177ELF"))
    return error("expected a cubin from '", ptxas, "', got ", cubin.size(),
                 " bytes of something else");
  return Cubin{std::move(cubin), readKernels(outcome.messages + outcome.output, chip)};
}
