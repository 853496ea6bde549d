// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptxsim-run: one kernel from the shell.

#include "decode/Forms.h"
#include "exec/Launch.h"
#include "tool/Arguments.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>

using namespace ptxsim;

// Exit codes, for scripts.
enum : int { Ok = 0, LoadError = 1, UsageError = 2, FindingsReported = 3 };

static const char usage[] =
    "usage: ptxsim-run FILE.ptx [--entry NAME] [--grid X[,Y[,Z]]] [--block X[,Y[,Z]]]\n"
    "                  [--arg ARGUMENT]... [--shared BYTES] [--cooperative]\n"
    "                  [--print INDEX[:COUNT]]... [--save INDEX=FILE]... [--stats] [--time]\n"
    "                  [--repeat N] [--options NAME=VALUE:...]\n"
    "       ptxsim-run --list-forms\n"
    "\n"
    "Without --entry the file is only checked. An ARGUMENT is a scalar (f32=1.5), a structure by\n"
    "value (f32:3=1,2,3), or a buffer: f32[1000] unwritten, f32[1000]=0 filled, u32[4]=1,2,3,4,\n"
    "f32[8]=iota, f32[8]=random, f32[8]=@file. Exit code: 0 fine, 1 not loaded, 2 usage, 3 the\n"
    "launch had findings.\n"
    "\n"
    "Options, also from PTXSIM_OPTIONS:\n";

static int fail(int code, const std::string &message) {
  std::fprintf(stderr, "ptxsim-run: %s\n", message.c_str());
  return code;
}

static bool parseTriple(const char *text, uint32_t *into) {
  char *end = nullptr;
  for (int i = 0; i < 3; ++i) {
    into[i] = uint32_t(std::strtoul(text, &end, 0));
    if (end == text || into[i] == 0)
      return false;
    if (!*end)
      return true;
    if (*end != ',')
      return false;
    text = end + 1;
  }
  return false;
}

/// One row a line: pattern, operands, section of the manual, first PTX version and target.
static int listForms() {
  for (const ParsedForm &form : allForms())
    std::printf("%s\t%s\t%s\t%u.%u\tsm_%u%s\n", form.form->pattern, form.form->operands,
                form.form->section, form.form->ptx / 10, form.form->ptx % 10, form.form->sm,
                form.form->approx ? "\tapprox" : "");
  return Ok;
}

int main(int argc, char **argv) {
  Options options;
  LaunchConfig config;
  std::string file, entryName, optionText;
  std::vector<std::string> argumentTexts, prints, saves;
  bool printStats = false, printTime = false;
  uint64_t repeat = 1;
  if (const char *environment = std::getenv("PTXSIM_OPTIONS"))
    optionText = environment;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    auto value = [&]() -> const char * { return i + 1 < argc ? argv[++i] : nullptr; };
    const char *text = nullptr;
    if (word == "--help") {
      std::printf("%s%s", usage, describeOptions().c_str());
      return Ok;
    }
    if (word == "--list-forms")
      return listForms();
    if (word == "--stats")
      printStats = true;
    else if (word == "--time")
      printTime = true;
    else if (word == "--cooperative")
      config.cooperative = true;
    else if (word.rfind("--", 0) != 0 && file.empty())
      file = word;
    else if (!(text = value()))
      return fail(UsageError, "unknown option or missing value: '" + word + "'; see --help");
    else if (word == "--entry")
      entryName = text;
    else if (word == "--grid" || word == "--block") {
      if (!parseTriple(text, word == "--grid" ? config.grid : config.block))
        return fail(UsageError, word + ": expected X[,Y[,Z]], got '" + text + "'");
    } else if (word == "--arg")
      argumentTexts.push_back(text);
    else if (word == "--shared")
      config.dynamicShared = uint32_t(std::strtoul(text, nullptr, 0));
    else if (word == "--print")
      prints.push_back(text);
    else if (word == "--save")
      saves.push_back(text);
    else if (word == "--repeat")
      repeat = std::max<uint64_t>(1, std::strtoull(text, nullptr, 0));
    else if (word == "--options")
      optionText += std::string(":") + text;
    else
      return fail(UsageError, "unknown option '" + word + "'; see --help");
  }
  if (std::string error = options.parse(optionText); !error.empty())
    return fail(UsageError, error);
  if (file.empty())
    return fail(UsageError, "no file; see --help");
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    return fail(LoadError, "cannot read '" + file + "'");
  std::string contents{std::istreambuf_iterator<char>(stream), {}};

  const Chip &chip = *findChip(options.chip);
  DeviceMemory memory(options.memory);
  std::unique_ptr<Program> program;
  try {
    LoadOptions load;
    load.approx = options.approx;
    program =
        std::make_unique<Program>(parse(std::make_shared<Source>(file, contents)), memory, load);
  } catch (const SourceError &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return LoadError;
  }
  if (entryName.empty()) {
    for (const std::string &name : program->entryNames())
      std::printf("%s\n", name.c_str());
    return Ok;
  }
  const Code *entry = program->entry(entryName);
  if (!entry) {
    std::string known;
    for (const std::string &name : program->entryNames())
      known += (known.empty() ? "" : ", ") + name;
    return fail(UsageError, "unknown entry '" + entryName + "'; entries are " + known);
  }
  if (config.block[0] > 1024 || config.block[1] > 1024 ||
      uint64_t(config.block[0]) * config.block[1] * config.block[2] > 1024)
    return fail(UsageError, "expected at most 1024 threads a block");
  if (argumentTexts.size() != entry->parameters.size())
    return fail(UsageError, "expected " + std::to_string(entry->parameters.size()) +
                                " arguments, got " + std::to_string(argumentTexts.size()));
  std::vector<Argument> arguments(argumentTexts.size());
  config.parameters.resize(entry->parameterBytes);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (std::string error = parseArgument(argumentTexts[i], options.seed + i, arguments[i]);
        !error.empty())
      return fail(UsageError, error);
    const ParameterSlot &slot = entry->parameters[i];
    uint64_t address = 0;
    const void *from = arguments[i].bytes.data();
    uint64_t bytes = arguments[i].bytes.size();
    if (arguments[i].isBuffer) {
      Allocation *allocation =
          memory.allocate(arguments[i].count * sizeOf(arguments[i].type), 256,
                          AllocationKind::Device, "argument " + std::to_string(i));
      if (!allocation)
        return fail(UsageError, "argument " + std::to_string(i) + ": out of device memory");
      if (bytes)
        std::memcpy(allocation->host, from, bytes);
      allocation->written.mark(0, bytes);
      arguments[i].allocation = allocation;
      address = allocation->base;
      from = &address;
      bytes = 8;
    }
    if (bytes != slot.bytes)
      return fail(UsageError, "argument " + std::to_string(i) + ": parameter '" + slot.name +
                                  "' has " + std::to_string(slot.bytes) + " bytes, got " +
                                  std::to_string(bytes));
    std::memcpy(&config.parameters[slot.offset], from, bytes);
  }

  Reporter reporter;
  Stats stats;
  int code = Ok;
  // Of this process: what else the machine does must not change the figure.
  std::clock_t begin = std::clock();
  uint64_t threadInstructions = 0;
  for (uint64_t i = 0; i < repeat && code == Ok; ++i) {
    reporter.start(options.reports);
    Launch launch(*program, *entry, config, options, chip, memory, reporter,
                  printStats ? &stats : nullptr, uint16_t(i + 1));
    auto finding = launch.run();
    threadInstructions += launch.threadInstructions;
    for (const Report &report : reporter.reports())
      std::fputs(toText(report).c_str(), stderr);
    if (finding || !reporter.reports().empty())
      code = FindingsReported;
  }
  double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  for (const std::string &print : prints) {
    char *end = nullptr;
    size_t index = std::strtoul(print.c_str(), &end, 0);
    if (index >= arguments.size() || !arguments[index].allocation)
      return fail(UsageError, "--print " + print + ": no such buffer");
    const Argument &argument = arguments[index];
    uint64_t count = *end == ':' ? std::strtoull(end + 1, nullptr, 0) : argument.count;
    for (uint64_t i = 0; i < std::min(count, argument.count); ++i)
      std::printf("%s%s", i ? " " : "",
                  elementText(argument.type, argument.allocation->host + i * sizeOf(argument.type))
                      .c_str());
    std::printf("\n");
  }
  for (const std::string &save : saves) {
    char *end = nullptr;
    size_t index = std::strtoul(save.c_str(), &end, 0);
    if (*end != '=' || index >= arguments.size() || !arguments[index].allocation)
      return fail(UsageError, "--save " + save + ": expected INDEX=FILE of a buffer");
    std::ofstream(end + 1, std::ios::binary)
        .write(reinterpret_cast<const char *>(arguments[index].allocation->host),
               std::streamsize(arguments[index].allocation->size));
  }
  if (printStats)
    std::fputs(toText(stats).c_str(), stdout);
  if (printTime)
    std::printf("cpu-seconds %.6f\nthread-instructions %llu\nrate %.4g\n", seconds,
                (unsigned long long)threadInstructions, double(threadInstructions) / seconds);
  return code;
}
