// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Ptxas.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace fs = std::filesystem;
using sawtooth::tool::findPtxas;

namespace {

// A folder, and nothing in the environment that leads to a ptxas.
class Ptxas : public ::testing::Test {
protected:
  void SetUp() override {
    root = fs::path(testing::TempDir()) / ("ptxas-" + std::to_string(getpid()));
    fs::create_directories(root / "empty");
    for (const char *name : {"CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV"})
      unsetenv(name);
    set("PATH", root / "empty");
  }
  void TearDown() override { fs::remove_all(root); }

  void set(const char *name, const fs::path &value) { setenv(name, value.c_str(), 1); }
  std::string program(const fs::path &below, bool executable = true) {
    fs::path path = root / below;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\n";
    fs::permissions(path, executable ? fs::perms::owner_all : fs::perms::owner_read);
    return path;
  }
  std::string find() { return findPtxas(searched, root / "toolkit"); }

  fs::path root;
  std::string searched;
};

TEST_F(Ptxas, B76_SaysWhereItLooked) {
  set("CUDA_HOME", root / "gone");
  EXPECT_EQ(find(), "");
  EXPECT_EQ(searched, "CUDA_HOME (" + (root / "gone/bin").string() +
                          "), CUDA_PATH (not set), PATH, Python's "
                          "package nvidia-cuda-nvcc, " +
                          (root / "toolkit/bin").string());
}

TEST_F(Ptxas, B76_WhatTheUserSaysComesFirst) {
  std::string toolkit = program("toolkit/bin/ptxas");
  EXPECT_EQ(find(), toolkit);
  std::string package = program("venv/lib/python3.11/site-packages/nvidia/cu13/bin/ptxas");
  program("venv/bin/python3");
  set("PATH", root / "venv/bin");
  EXPECT_EQ(find(), package);
  std::string inPath = program("venv/bin/ptxas");
  EXPECT_EQ(find(), inPath);
  std::string other = program("other/bin/ptxas");
  set("CUDA_PATH", root / "other");
  EXPECT_EQ(find(), other);
  std::string home = program("home/bin/ptxas");
  set("CUDA_HOME", root / "home");
  EXPECT_EQ(find(), home);
}

TEST_F(Ptxas, AnActiveEnvironmentComesBeforeThePythonInPath) {
  program("system/bin/python3");
  program("system/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin/ptxas");
  set("PATH", root / "system/bin");
  std::string package = program("venv/lib/python3.12/site-packages/nvidia/cuda_nvcc/bin/ptxas");
  set("VIRTUAL_ENV", root / "venv");
  EXPECT_EQ(find(), package);
}

TEST_F(Ptxas, WhatCannotBeRunIsNone) {
  program("home/bin/ptxas", /*executable=*/false);
  set("CUDA_HOME", root / "home");
  EXPECT_EQ(find(), "");
}

TEST_F(Ptxas, B55_AScriptIsAsTheOneThatItStarts) {
  std::string real = program("real"), script = program("it's a script");
  auto say = [](const std::string &path, const std::string &line) {
    std::ofstream(path) << "#!/bin/sh\n" << line << "\n";
    return *sawtooth::tool::ptxasIdentity(path);
  };
  std::string start = "exec '" + real + "' \"$@\"";
  say(real, "echo $1 release 12");
  std::string before = say(script, start);
  EXPECT_EQ(say(script, start), before);
  say(real, "echo $1 release 13");
  EXPECT_NE(say(script, start), before);
  EXPECT_EQ(sawtooth::tool::ptxasIdentity(root / "gone").status().code(),
            sawtooth::runtime::StatusCode::Io);
}

} // namespace
