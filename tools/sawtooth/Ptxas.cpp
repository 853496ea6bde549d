// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Ptxas.h"

#include "Environment.h"
#include "sawtooth/runtime/Digest.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <unistd.h>
#include <vector>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

namespace fs = std::filesystem;

static std::string inFolder(const fs::path &folder) {
  std::string path = folder / "bin" / "ptxas";
  return access(path.c_str(), X_OK) == 0 ? path : "";
}

// ENVIRONMENT/lib/python3.*/site-packages/nvidia/cu13 or, before CUDA 13, …/cuda_nvcc.
static std::string inPython(const fs::path &environment) {
  std::error_code error;
  for (fs::directory_iterator entry(environment / "lib", error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().filename().string().starts_with("python3"))
      for (const char *package : {"cu13", "cuda_nvcc"})
        if (std::string path = inFolder(entry->path() / "site-packages" / "nvidia" / package);
            !path.empty())
          return path;
  return "";
}

std::string findPtxas(std::string &searched, const std::string &toolkit) {
  searched.clear();
  // What the user points at comes before what happens to be there.
  auto look = [&](const std::string &place, const std::string &found) {
    searched += (searched.empty() ? "" : ", ") + place;
    return found;
  };
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string folder = variable(name); folder.empty())
      searched += (searched.empty() ? "" : ", ") + std::string(name) + " (not set)";
    else if (std::string path = look(name + (" (" + folder + "/bin)"), inFolder(folder));
             !path.empty())
      return path;
  if (std::string path = look("PATH", programInPath("ptxas")); !path.empty())
    return path;
  std::string environment = variable("VIRTUAL_ENV");
  if (std::string python = programInPath("python3"); environment.empty() && !python.empty())
    environment = fs::path(python).parent_path().parent_path();
  if (std::string path = look("Python's package nvidia-cuda-nvcc",
                              environment.empty() ? std::string() : inPython(environment));
      !path.empty())
    return path;
  return look(toolkit + "/bin", inFolder(toolkit));
}

// For a shell.
static std::string quoted(const std::string &text) {
  std::string word = "'";
  for (char letter : text)
    word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + "'";
}

// Appends what is left to read.
static bool readRest(FILE *file, std::string &text) {
  char piece[1 << 14];
  while (size_t got = std::fread(piece, 1, sizeof(piece), file))
    text.append(piece, got);
  return !std::ferror(file);
}

Result<std::string> ptxasIdentity(const std::string &path) {
  using Open = std::unique_ptr<FILE, int (*)(FILE *)>;
  std::string text;
  Open file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file || !readRest(file.get(), text))
    return Status::error(StatusCode::Io, path + ": cannot read: " + std::strerror(errno));
  std::string command = quoted(path) + " --version </dev/null 2>/dev/null";
  Open version(popen(command.c_str(), "r"), &pclose);
  if (version)
    (void)readRest(version.get(), text);
  return digest(text).hex();
}

} // namespace sawtooth::tool
