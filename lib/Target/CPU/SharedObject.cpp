// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Target/CPU/SharedObject.h"

#include "sawtooth/runtime/ArtifactInfo.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/TargetParser/Host.h"

#include <cerrno>
#include <cstring>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace sawtooth;

namespace {

/// A file in memory that goes with its descriptor.
class MemoryFile {
public:
  MemoryFile() : descriptor(memfd_create("sawtooth-link", MFD_CLOEXEC)) {}
  explicit MemoryFile(StringRef content) : MemoryFile() {
    while (descriptor >= 0 && !content.empty()) {
      ssize_t done = write(descriptor, content.data(), content.size());
      if (done < 0 && errno != EINTR)
        break;
      content = content.drop_front(std::max<ssize_t>(done, 0));
    }
    whole = descriptor >= 0 && content.empty();
  }
  MemoryFile(MemoryFile &&other)
      : descriptor(std::exchange(other.descriptor, -1)), whole(other.whole) {}
  MemoryFile &operator=(MemoryFile &&) = delete;
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }

  bool ok() const { return whole; }
  int get() const { return descriptor; }

  std::string read() const {
    struct stat info;
    std::string text;
    if (fstat(descriptor, &info) != 0)
      return text;
    text.resize(static_cast<size_t>(info.st_size));
    size_t got = 0;
    while (got < text.size()) {
      ssize_t more = pread(descriptor, text.data() + got, text.size() - got, off_t(got));
      if (more <= 0 && errno != EINTR)
        break;
      got += static_cast<size_t>(std::max<ssize_t>(more, 0));
    }
    text.resize(got);
    return text;
  }

private:
  int descriptor;
  bool whole = true;
};

/// A program's run: what it wrote to its two streams.
struct Outcome {
  int error = 0; ///< of the operating system, when it did not run at all
  int status = 0;
  std::string output, messages;
};

} // namespace

/// Runs `program` with `files` as its descriptors from 3 on.
static Outcome run(const std::string &program, ArrayRef<std::string> arguments,
                   ArrayRef<MemoryFile> files) {
  Outcome outcome;
  MemoryFile output, messages;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // A target number may be the source of a later action, so they first move out of the way.
  int base = 3 + int(files.size()) + 64;
  SmallVector<int> sources = {output.get(), messages.get()};
  for (const MemoryFile &file : files)
    sources.push_back(file.get());
  for (auto [i, source] : llvm::enumerate(sources))
    base = std::max(base, source + 1);
  for (auto [i, source] : llvm::enumerate(sources))
    posix_spawn_file_actions_adddup2(&actions, source, base + int(i));
  for (size_t i = 0; i < sources.size(); ++i) {
    posix_spawn_file_actions_adddup2(&actions, base + int(i), int(i) + 1);
    posix_spawn_file_actions_addclose(&actions, base + int(i));
  }
  SmallVector<char *> argv = {const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child;
  outcome.error = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (outcome.error)
    return outcome;
  while (waitpid(child, &outcome.status, 0) < 0) {
    if (errno == EINTR)
      continue;
    outcome.error = errno;
    return outcome;
  }
  outcome.output = output.read();
  outcome.messages = messages.read();
  return outcome;
}

std::string sawtooth::chooseLinker(StringRef given) {
  return given.empty() ? SAWTOOTH_LLVM_BINARY_DIR "/ld.lld" : given.str();
}

FailureOr<std::string> sawtooth::linkSharedObject(ArrayRef<StringRef> objects, StringRef linker,
                                                  Location location) {
  std::string program = chooseLinker(linker);
  if (!llvm::sys::fs::can_execute(program))
    return emitError(location, "no linker: expected ld.lld at '")
           << program << "'; install lld, or compile with --emit=obj, which needs none";
  std::vector<MemoryFile> files;
  // No build id and no paths: the same objects give the same bytes. No executable stack, and
  // nothing writable that could be read-only.
  std::vector<std::string> arguments = {
      "-shared", "-o",   "-",   "--build-id=none", "--hash-style=gnu",
      "-z",      "defs", "-z",  "noexecstack",     "-z",
      "relro",   "-z",   "now", "--fatal-warnings"};
  for (auto [i, object] : llvm::enumerate(objects)) {
    files.emplace_back(object);
    if (!files.back().ok())
      return emitError(location, "cannot hand an object file to the linker: ")
             << std::strerror(errno);
    arguments.push_back("/proc/self/fd/" + std::to_string(3 + i));
  }
  Outcome outcome = run(program, arguments, files);
  if (outcome.error)
    return emitError(location, "cannot run the linker '")
           << program << "': " << std::strerror(outcome.error);
  if (!WIFEXITED(outcome.status) || WEXITSTATUS(outcome.status) != 0)
    return emitError(location, "the linker '") << program << "' failed: " << outcome.messages;
  if (!StringRef(outcome.output).starts_with("\177ELF"))
    return emitError(location, "expected a shared object from the linker '")
           << program << "', got " << outcome.output.size() << " bytes of something else";
  return std::move(outcome.output);
}

static ArrayRef<std::byte> bytesOf(StringRef text) {
  return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
}

FailureOr<std::string> sawtooth::createArtifact(ArrayRef<ChipObject> chips,
                                                ArrayRef<std::pair<std::string, std::string>> notes,
                                                StringRef linker, Location location) {
  runtime::ArtifactInfo info;
  info.target = llvm::sys::getProcessTriple();
  info.notes.assign(notes.begin(), notes.end());
  SmallVector<StringRef> objects;
  for (const ChipObject &chip : chips)
    objects.push_back(chip.object);
  FailureOr<std::string> image = linkSharedObject(objects, linker, location);
  if (failed(image))
    return failure();
  for (const ChipObject &chip : chips) {
    runtime::ArtifactVariant &variant = info.variants.emplace_back();
    variant.query = chip.query;
    variant.chip = chip.chip;
    variant.features = chip.features;
    if (!runtime::locatePlan(bytesOf(*image), bytesOf(chip.plan), variant))
      return emitError(location, "internal error: the plan for ")
             << chip.chip << " is not in the shared object";
  }
  std::vector<std::byte> file = runtime::sealArtifact(bytesOf(*image), info);
  return std::string(reinterpret_cast<const char *>(file.data()), file.size());
}
