// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The real assembler as a second judge: where it is installed, what it refuses is refused here.

#include "driver/State.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ptxsim;

extern char **environ;

static std::string findPtxas(const Options &options) {
  if (!options.ptxasPath.empty())
    return options.ptxasPath;
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  if (const char *home = std::getenv("CUDA_HOME"))
    path += std::string(":") + home + "/bin";
  path += ":/usr/local/cuda/bin";
  for (size_t at = 0; at <= path.size();) {
    size_t end = std::min(path.find(':', at), path.size());
    std::string candidate = path.substr(at, end - at) + "/ptxas";
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
    at = end + 1;
  }
  return {};
}

/// `Compiling entry function 'k' …` and `Used 12 registers` of ptxas -v.
static void readRegisters(const std::string &log, std::map<std::string, unsigned> &registers) {
  std::string entry;
  for (size_t at = 0; at < log.size();) {
    size_t end = std::min(log.find('\n', at), log.size());
    std::string line = log.substr(at, end - at);
    at = end + 1;
    if (size_t quote = line.find("entry function '"); quote != std::string::npos) {
      quote += std::strlen("entry function '");
      entry = line.substr(quote, line.find('\'', quote) - quote);
    } else if (size_t used = line.find("Used "); used != std::string::npos && !entry.empty()) {
      registers[entry] = unsigned(std::strtoul(line.c_str() + used + 5, nullptr, 10));
    }
  }
}

bool ptxsim::assemble(const Options &options, const std::string &text, const std::string &target,
                      std::string &log, std::map<std::string, unsigned> &registers) {
  struct Result {
    bool fine;
    std::string log;
  };
  // Programs load the same module again and again; the assembler's answer does not change.
  static std::map<std::pair<std::string, std::string>, Result> cache;
  if (!options.ptxas)
    return true;
  std::string ptxas = findPtxas(options);
  if (ptxas.empty())
    return true;
  auto found = cache.find({target, text});
  if (found == cache.end()) {
    Result result{true, {}};
    char input[] = "/tmp/ptxsim-XXXXXX";
    int file = mkstemp(input), pipes[2];
    if (file < 0)
      return true;
    bool written = write(file, text.data(), text.size()) == ssize_t(text.size());
    close(file);
    if (!written || pipe(pipes) != 0) {
      unlink(input);
      return true;
    }
    std::string architecture = "-arch=" + target;
    const char *arguments[] = {ptxas.c_str(), architecture.c_str(), "-v", "-o", "/dev/null", input,
                               nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 2);
    posix_spawn_file_actions_addclose(&actions, pipes[0]);
    pid_t child;
    int spawned = posix_spawn(&child, ptxas.c_str(), &actions, nullptr,
                              const_cast<char **>(arguments), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    if (spawned == 0) {
      char buffer[4096];
      for (ssize_t got; (got = read(pipes[0], buffer, sizeof buffer)) > 0;)
        result.log.append(buffer, size_t(got));
      int status = 0;
      waitpid(child, &status, 0);
      result.fine = !WIFEXITED(status) || WEXITSTATUS(status) == 0;
      // A crash of the assembler (there are loads that crash CUDA 13's) is no verdict on the
      // module.
      if (WIFSIGNALED(status))
        result.log += "ptxas died of signal " + std::to_string(WTERMSIG(status)) + "\n";
    }
    close(pipes[0]);
    unlink(input);
    // The name of the temporary file means nothing to the reader.
    for (size_t at; (at = result.log.find(input)) != std::string::npos;)
      result.log.replace(at, std::strlen(input), "module.ptx");
    found = cache.emplace(std::make_pair(target, text), std::move(result)).first;
  }
  log = found->second.log;
  readRegisters(log, registers);
  return found->second.fine;
}
