// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Process.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <cstring>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace sawtooth;

MemoryFile::MemoryFile() : descriptor(memfd_create("sawtooth", MFD_CLOEXEC)) {}

MemoryFile::MemoryFile(StringRef content) : MemoryFile() {
  while (descriptor >= 0 && !content.empty()) {
    ssize_t done = write(descriptor, content.data(), content.size());
    if (done < 0 && errno != EINTR)
      break;
    content = content.drop_front(std::max<ssize_t>(done, 0));
  }
  whole = descriptor >= 0 && content.empty();
}

MemoryFile::~MemoryFile() {
  if (descriptor >= 0)
    close(descriptor);
}

std::string MemoryFile::read() const {
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

ProcessOutcome sawtooth::runProcess(const std::string &program, ArrayRef<std::string> arguments,
                                    ArrayRef<MemoryFile> files) {
  ProcessOutcome outcome;
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

bool ProcessOutcome::succeeded() const {
  return !error && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string ProcessOutcome::explain() const {
  if (error)
    return std::strerror(error);
  SmallVector<StringRef> lines;
  StringRef(messages).trim().split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (!lines.empty())
    return join(lines, "; ");
  return WIFEXITED(status) ? "it says nothing and exits with " + std::to_string(WEXITSTATUS(status))
                           : "it ends by signal " + std::to_string(WTERMSIG(status));
}
