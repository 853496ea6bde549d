// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "syntax/Source.h"

#include <algorithm>
#include <numeric>

using namespace ptxsim;

Source::Source(std::string name, std::string text)
    : fileName(std::move(name)), contents(std::move(text)) {
  // Drivers hand over C strings; text after an embedded NUL was never part of the module.
  if (size_t nul = contents.find('\0'); nul != std::string::npos)
    contents.resize(nul);
  starts.push_back(0);
  for (size_t i = 0; i < contents.size(); ++i)
    if (contents[i] == '\n')
      starts.push_back(i + 1);
}

std::string_view Source::line(unsigned number) const {
  if (number == 0 || number > starts.size())
    return {};
  size_t begin = starts[number - 1];
  size_t end = number < starts.size() ? starts[number] - 1 : contents.size();
  std::string_view text(contents.data() + begin, end - begin);
  const char *blanks = " \t\r";
  size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

void Source::fail(unsigned number, const std::string &message) const {
  std::string shown(line(number).substr(0, 400));
  throw SourceError(fileName + ":" + std::to_string(number) + ": error: " + message + "\n  " +
                    shown);
}

std::string ptxsim::nearest(std::string_view word, const std::vector<std::string> &candidates) {
  // Long words come from fuzzers and not from typing errors.
  if (word.size() > 64)
    return {};
  std::string best;
  size_t bestDistance = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string &candidate : candidates) {
    std::vector<size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (size_t i = 0; i < word.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i + 1;
      for (size_t j = 0; j < candidate.size(); ++j) {
        size_t replaced = diagonal + (word[i] != candidate[j]);
        diagonal = row[j + 1];
        row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
      }
    }
    if (row.back() < bestDistance) {
      bestDistance = row.back();
      best = candidate;
    }
  }
  return best;
}
