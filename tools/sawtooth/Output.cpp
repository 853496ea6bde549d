// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Output.h"

#include <cmath>
#include <cstdio>

namespace sawtooth::tool {

static void say(const char *kind, const std::string &text) {
  std::fprintf(stderr, "sawtooth: %s: %s\n", kind, text.c_str());
}

void error(const std::string &text) { say("error", text); }
void warning(const std::string &text) { say("warning", text); }
void note(const std::string &text) { say("note", text); }
void progressLine(const std::string &text) { std::fprintf(stderr, "%s\n", text.c_str()); }

void result(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int fail(const runtime::Status &status) {
  if (!status.message().empty()) // else the compiler has said it
    error(status.message());
  return WrongInput;
}

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;)
    digits.insert(at -= 3, ",");
  return digits;
}

std::string byteText(uint64_t bytes) {
  const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof(text), unit && value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return text;
}

std::string numberText(double value, int digits) {
  char text[40];
  // Scales are powers of two: print them in full as long as they are short.
  bool whole = std::isfinite(value) && value == std::trunc(value) && std::fabs(value) < 1e9;
  if (whole)
    std::snprintf(text, sizeof(text), "%.0f", value);
  else
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
  return text;
}

} // namespace sawtooth::tool
