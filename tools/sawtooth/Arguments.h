// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of one command: parsed by CLI11, explained by a text of our own.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_ARGUMENTS_H
#define SAWTOOTH_TOOLS_SAWTOOTH_ARGUMENTS_H

#include "sawtooth/runtime/Status.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace sawtooth::tool {

/// How code is made; every command that compiles takes these.
struct TargetOptions {
  std::string target; // "cpu" or "nvptx"; "": not said
  std::string chip = "native";
  std::optional<uint64_t> batch;
  std::string linker; // an ld.lld; "": the one that lies beside LLVM, else the one in PATH
  std::string ptxas;  // makes cubins of PTX; "": none are made
  bool verbose = false;
};

/// Digits alone, and not too many for 64 bits: CLI11 by itself takes -1 and 10^30 for 2^64 - 1.
std::optional<uint64_t> wholeNumberIn(std::string_view text);
CLI::Validator wholeNumber();
/// A number from 0 to 1. CLI11's own test of a range lets NaN pass.
CLI::Validator share();

void addTargetOptions(CLI::App &app, TargetOptions &options);
/// The same without --target and --chip.
void addCodeOptions(CLI::App &app, TargetOptions &options);

/// Names that --chip takes: of CPUs, and sm_ with a number for GPUs, which the compiler knows in
/// detail.
CLI::Validator chipName();

/// Whether there is a GPU's among chips that were taken, with commas between.
bool namesGpu(const std::string &chips);

/// What code is made for, once the command line is read. Without --target a GPU's chip says it. For
/// a GPU, "native" becomes the chip of this machine's or, where nothing `runs`, the oldest there
/// is, whose code runs on all others. `Invalid` for a chip that is not of the target.
runtime::Status resolveTarget(TargetOptions &options, bool runs);
/// Says why resolveTarget() failed: flags that do not go together are wrong usage.
int failTarget(const runtime::Status &status);

/// Parses what follows the command's name. An exit code when there is nothing more to do: after
/// --help, or after an error, which was then said.
std::optional<int> parse(CLI::App &app, int argc, char **argv, const char *help);

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_ARGUMENTS_H
