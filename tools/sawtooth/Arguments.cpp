// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Arguments.h"

#include "Gpu.h"
#include "Output.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/GpuChip.h"
#include "sawtooth/runtime/Names.h"
#include "sawtooth/runtime/Store.h"

#include <algorithm>
#include <charconv>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

std::optional<uint64_t> wholeNumberIn(std::string_view text) {
  uint64_t value;
  const char *end = text.data() + text.size();
  auto [stop, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

CLI::Validator wholeNumber() {
  return CLI::Validator(
      [](const std::string &text) -> std::string {
        if (wholeNumberIn(text))
          return "";
        return "expected a whole number below 2^64, got '" + text + "'";
      },
      "");
}

CLI::Validator share() {
  return CLI::Validator(
      [](const std::string &text) -> std::string {
        Result<uint64_t> slot = parseSlot(SAWTOOTH_F64, text);
        double value = slot.ok() ? slotToDouble(SAWTOOTH_F64, *slot) : -1;
        return value >= 0 && value <= 1 ? "" : "expected a number from 0 to 1, got '" + text + "'";
      },
      "");
}

static const std::vector<std::string> cpuChips = {"native", "x86-64-v3", "x86-64-v4"};

CLI::Validator chipName() {
  return CLI::Validator(
      [](const std::string &text) -> std::string {
        if (GpuChip::parse(text) || std::ranges::find(cpuChips, text) != cpuChips.end())
          return "";
        return "expected native, x86-64-v3, x86-64-v4, or a GPU's from sm_75 to sm_121, got '" +
               text + "'";
      },
      "");
}

bool namesGpu(const std::string &chips) { return chips.find("sm_") != std::string::npos; }

void addTargetOptions(CLI::App &app, TargetOptions &options) {
  app.add_option("--target", options.target)->check(CLI::IsMember({"cpu", "nvptx"}));
  app.add_option("--chip", options.chip)->check(chipName());
  addCodeOptions(app, options);
}

void addCodeOptions(CLI::App &app, TargetOptions &options) {
  app.add_option("--batch", options.batch)->check(CLI::Range(uint64_t(1), uint64_t(1) << 40));
  app.add_option("--linker", options.linker);
  app.add_flag("-v,--verbose", options.verbose);
}

Status resolveTarget(TargetOptions &options, bool runs) {
  bool gpuChip = GpuChip::parse(options.chip).has_value();
  if (options.target.empty() && gpuChip)
    options.target = "nvptx";
  if (options.target.empty())
    return {};
  bool gpu = options.target == "nvptx";
  if (gpu != gpuChip && options.chip != "native")
    return Status::error(StatusCode::Invalid, "expected a chip of target " + options.target + ", " +
                                                  (gpu ? "sm_75 to sm_121" : quoteAll(cpuChips)) +
                                                  ", got '" + options.chip + "'");
  if (!gpu || options.chip != "native")
    return {};
  if (!runs) {
    options.chip = "sm_75";
    return {};
  }
  Result<std::string> chip = nativeGpuChip();
  if (chip.ok())
    options.chip = *chip;
  return chip.status();
}

int failTarget(const Status &status) {
  int code = fail(status);
  return status.code() == StatusCode::Invalid ? WrongUsage : code;
}

std::optional<int> parse(CLI::App &app, int argc, char **argv, const char *help) {
  app.set_help_flag("-h,--help");
  // Without this an unknown flag would be taken for an input file.
  app.allow_extras(false);
  // One value a time: with more, an option that may be repeated would take what follows it for its
  // own, as the file of `run --set s.scale=2 STEP.mlir`.
  for (CLI::Option *option : app.get_options([](CLI::Option *) { return true; }))
    option->allow_extra_args(false);
  try {
    app.parse(argc, argv);
    // Most likely a variable of a script that has no value; it must not mean "not given".
    for (const CLI::Option *option : app.get_options())
      for (const std::string &value : option->results())
        if (value.empty())
          throw CLI::ValidationError(option->get_name(), "expected a value, got ''");
  } catch (const CLI::CallForHelp &) {
    result(help);
    return Success;
  } catch (const CLI::ParseError &problem) {
    error(problem.what());
    progressLine("try 'sawtooth " + app.get_name() + " --help'");
    return WrongUsage;
  }
  return std::nullopt;
}

} // namespace sawtooth::tool
