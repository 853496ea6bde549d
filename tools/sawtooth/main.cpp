// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Crashes.h"
#include "Output.h"
#include "sawtooth/runtime/Names.h"

#include <new>
#include <string>
#include <vector>

using namespace sawtooth;

static const char *const help = R"(usage: sawtooth COMMAND [OPTION...]

Compiles and runs mixed-precision training steps written in MLIR.

  run       run a step or program on tensors from files, or train on a data set
  explain   say how often a step reads and writes memory, and why
  bench     time a step against a plain streaming loop over the same memory
  compile   make an artifact, which needs no compiler to run, or print what a step
            becomes at some stage
  rules     list the built-in optimizers, scaler policies and layers

'sawtooth COMMAND --help' says more. Results go to stdout, progress and
diagnostics to stderr. Exit code 0: success, 1: the input was wrong, 2: wrong
usage, 130: interrupted.

example:
  sawtooth run examples/digits/train.mlir --data examples/digits/digits.safetensors
)";

struct Command {
  const char *name;
  int (*run)(int argc, char **argv);
};
static constexpr Command commands[] = {{"run", tool::runCommand},
                                       {"explain", tool::explainCommand},
                                       {"bench", tool::benchCommand},
                                       {"compile", tool::compileCommand},
                                       {"rules", tool::rulesCommand}};

static int dispatch(int argc, char **argv) {
  std::string name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h") {
    tool::result(help);
    return tool::Success;
  }
  if (name == "--version") {
    tool::result("sawtooth " SAWTOOTH_VERSION "\n");
    return tool::Success;
  }
  std::vector<std::string> known;
  for (const Command &command : commands) {
    if (name == command.name)
      return command.run(argc - 1, argv + 1);
    known.push_back(command.name);
  }
  if (name.empty())
    tool::progressLine(help);
  else
    tool::error(runtime::unknownName("command", name, known));
  return tool::WrongUsage;
}

int main(int argc, char **argv) {
  tool::reportCrashes();
  // Nothing below throws on purpose, but the C++ library does when memory runs out.
  try {
    return dispatch(argc, argv);
  } catch (const std::bad_alloc &) {
    tool::error("out of memory");
  } catch (const std::exception &problem) {
    tool::error(problem.what());
  }
  return tool::WrongInput;
}
