// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_COMMANDS_H
#define SAWTOOTH_TOOLS_SAWTOOTH_COMMANDS_H

namespace sawtooth::tool {

/// Each takes the arguments from its own name on and returns the exit code.
int benchCommand(int argc, char **argv);
int compileCommand(int argc, char **argv);
int explainCommand(int argc, char **argv);
int rulesCommand(int argc, char **argv);
int runCommand(int argc, char **argv);

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_COMMANDS_H
