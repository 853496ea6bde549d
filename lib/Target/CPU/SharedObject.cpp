// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Target/CPU/SharedObject.h"

#include "../Process.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/TargetParser/Host.h"

#include <cerrno>
#include <cstring>

using namespace mlir;
using namespace sawtooth;

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
  ProcessOutcome outcome = runProcess(program, arguments, files);
  if (outcome.error)
    return emitError(location, "cannot run the linker '") << program << "': " << outcome.explain();
  if (!outcome.succeeded())
    return emitError(location, "the linker '") << program << "' failed: " << outcome.explain();
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
  for (const ChipObject &object : chips)
    objects.push_back(object.object);
  FailureOr<std::string> image = linkSharedObject(objects, linker, location);
  if (failed(image))
    return failure();
  for (const ChipObject &object : chips) {
    runtime::ArtifactVariant variant{object.query, {}, object.features};
    if (!runtime::locatePlan(bytesOf(*image), bytesOf(object.plan), variant))
      return emitError(location, "internal error: the plan for ")
             << llvm::join(object.chips, ", ") << " is not in the shared object";
    for (const std::string &chip : object.chips) {
      variant.chip = chip;
      info.variants.push_back(variant);
    }
    llvm::append_range(info.kernels, object.kernels);
  }
  std::vector<std::byte> file = runtime::sealArtifact(bytesOf(*image), info);
  return std::string(reinterpret_cast<const char *>(file.data()), file.size());
}
