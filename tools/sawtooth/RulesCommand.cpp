// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "CompilerLibrary.h"
#include "Output.h"

using namespace sawtooth::runtime;

namespace sawtooth::tool {

static const char *const help = R"(usage: sawtooth rules [--kind KIND] [NAME]

Lists the built-in rules with their parameters and state, read from the rule
files themselves; with NAME, shows that one in full.

  NAME           a rule or layer: adamw, pytorch, linear, ...
  --kind KIND    only these: optimizer, policy, schedule or layer

example:
  sawtooth rules --kind optimizer
  sawtooth rules adamw
)";

int rulesCommand(int argc, char **argv) {
  std::string kind, name;
  CLI::App app("", "rules");
  app.add_option("--kind", kind)
      ->check(CLI::IsMember({"optimizer", "policy", "schedule", "layer"}));
  app.add_option("NAME", name);
  if (std::optional<int> code = parse(app, argc, argv, help))
    return *code;
  Result<CompilerLibrary> library = CompilerLibrary::load();
  if (!library.ok())
    return fail(library.status());
  TargetOptions defaults;
  SawtoothCompileOptions options = compileOptions(defaults);
  auto print = [](const char *text, size_t size, void *) { result({text, size}); };
  return library->printRules(kind.empty() ? nullptr : kind.c_str(),
                             name.empty() ? nullptr : name.c_str(), &options, print, nullptr)
             ? WrongInput
             : Success;
}

} // namespace sawtooth::tool
