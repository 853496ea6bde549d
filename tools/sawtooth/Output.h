// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every command says and returns. Results go to stdout, everything else to stderr.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_OUTPUT_H
#define SAWTOOTH_TOOLS_SAWTOOTH_OUTPUT_H

#include "sawtooth/runtime/Status.h"

#include <cstdint>
#include <string>

namespace sawtooth::tool {

enum ExitCode : int {
  Success = 0,
  WrongInput = 1, // a diagnostic says what
  WrongUsage = 2,
  Interrupted = 130, // by SIGINT; 128 + the signal's number in general
};

/// "sawtooth: error: TEXT" on stderr.
void error(const std::string &text);
void warning(const std::string &text);
void note(const std::string &text);
/// A line on stderr as it is.
void progressLine(const std::string &text);
/// A line, or any text, on stdout.
void result(const std::string &text);

/// Says the error and returns WrongInput.
int fail(const runtime::Status &status);

/// "12,345" for people.
std::string grouped(uint64_t number);
/// "1.5 MiB".
std::string byteText(uint64_t bytes);
/// At most `digits` significant digits: "0.9722", "65536", "inf".
std::string numberText(double value, int digits = 5);

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_OUTPUT_H
