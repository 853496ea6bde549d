// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens of PTX (PTX ISA, "Syntax": identifiers, literals, comments).

#ifndef PTXSIM_SYNTAX_LEXER_H
#define PTXSIM_SYNTAX_LEXER_H

#include "syntax/Source.h"

namespace ptxsim {

struct Token {
  enum Kind : uint8_t {
    End,
    Ident,   ///< `add`, `%r1`, `$L__BB0_2`
    Dot,     ///< `.f32`, `.L1::no_allocate`: text without the dot
    Integer, ///< value in `bits`; `isUnsigned` after a U suffix or when it does not fit an s64
    Float32, ///< 0f…: `bits` holds the 32-bit pattern
    Float64, ///< 0d… and decimal: `bits` holds the 64-bit pattern
    String,
    Punct ///< one character, or `@@`, `<<`, `>>`
  };
  Kind kind = End;
  bool isUnsigned = false;
  bool glued = false; ///< no blank between the previous token and this one
  unsigned line = 0;
  std::string_view text;
  uint64_t bits = 0;

  bool is(std::string_view punct) const { return kind == Punct && text == punct; }
  bool isDot(std::string_view word) const { return kind == Dot && text == word; }
};

/// All tokens of `source`, the last of kind End. Throws SourceError on anything that is no token.
std::vector<Token> lex(const Source &source);

} // namespace ptxsim

#endif
