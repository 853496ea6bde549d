// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source text and the one exception that every stage before execution throws.

#ifndef PTXSIM_SYNTAX_SOURCE_H
#define PTXSIM_SYNTAX_SOURCE_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptxsim {

/// A refusal of the input: lexical, syntactic, or a form that the decoder does not know. `what()`
/// reads `file:line: error: message` followed by the source line, so it can go to a JIT log as is.
class SourceError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// PTX text with a name and an index of its lines. Lines count from 1.
class Source {
public:
  Source(std::string name, std::string text);

  const std::string &name() const { return fileName; }
  std::string_view text() const { return contents; }
  /// The text of one line without surrounding blanks; empty for a line that does not exist.
  std::string_view line(unsigned number) const;
  [[noreturn]] void fail(unsigned number, const std::string &message) const;

private:
  std::string fileName, contents;
  std::vector<size_t> starts;
};

/// The candidate nearest to `word` by edit distance, or "" when none is near enough to help.
std::string nearest(std::string_view word, const std::vector<std::string> &candidates);

} // namespace ptxsim

#endif
