// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "syntax/Lexer.h"

#include <bit>
#include <cstdlib>

using namespace ptxsim;

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isFollow(char c) { return isLetter(c) || isDigit(c) || c == '_' || c == '$'; }
int hexValue(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

class Lexer {
public:
  explicit Lexer(const Source &source) : source(source), text(source.text()) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (true) {
      bool glued = !skipBlanks();
      Token token;
      token.line = line;
      token.glued = glued;
      if (at >= text.size()) {
        tokens.push_back(token);
        return tokens;
      }
      next(token);
      tokens.push_back(token);
    }
  }

private:
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }

  bool skipBlanks() {
    size_t before = at;
    while (at < text.size()) {
      char c = text[at];
      if (c == '\n') {
        ++line;
        ++at;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at;
      } else if (c == '/' && peek(1) == '/') {
        while (at < text.size() && text[at] != '\n')
          ++at;
      } else if (c == '/' && peek(1) == '*') {
        unsigned first = line;
        for (at += 2; !(peek() == '*' && peek(1) == '/'); ++at) {
          if (at >= text.size())
            source.fail(first, "unterminated comment");
          if (text[at] == '\n')
            ++line;
        }
        at += 2;
      } else {
        break;
      }
    }
    return at != before;
  }

  void next(Token &token) {
    size_t begin = at;
    char c = text[at];
    if (isLetter(c) || ((c == '_' || c == '$' || c == '%') && isFollow(peek(1)))) {
      for (++at; isFollow(peek()); ++at) {
      }
      token.kind = Token::Ident;
    } else if (isDigit(c)) {
      number(token);
    } else if (c == '.' && isFollow(peek(1))) {
      // `::` joins the words of one modifier: .L1::no_allocate, .shared::cta.
      for (begin = ++at;
           isFollow(peek()) || (peek() == ':' && peek(1) == ':' && isFollow(peek(2)));)
        at += peek() == ':' ? 2 : 1;
      token.kind = Token::Dot;
    } else if (c == '"') {
      for (begin = ++at; peek() != '"'; ++at)
        if (at >= text.size() || text[at] == '\n')
          source.fail(line, "unterminated string");
      token.kind = Token::String;
      token.text = text.substr(begin, at - begin);
      ++at;
      return;
    } else {
      static constexpr std::string_view single = "()[]{}<>,;:=+-*/%&|^~!?@_";
      if (single.find(c) == std::string_view::npos)
        source.fail(line,
                    "character that PTX does not use: code " + std::to_string((unsigned char)c));
      ++at;
      if ((c == '@' || c == '<' || c == '>') && peek() == c)
        ++at;
      token.kind = Token::Punct;
    }
    token.text = text.substr(begin, at - begin);
  }

  void number(Token &token) {
    size_t begin = at;
    char second = peek(1);
    token.kind = Token::Integer;
    if (peek() == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
      bool single = second == 'f' || second == 'F';
      unsigned digits = single ? 8 : 16;
      at += 2;
      for (unsigned i = 0; i < digits; ++i, ++at) {
        if (hexValue(peek()) < 0)
          source.fail(line, "floating-point literal: expected " + std::to_string(digits) +
                                " hexadecimal digits, got " + std::to_string(i));
        token.bits = token.bits << 4 | uint64_t(hexValue(peek()));
      }
      token.kind = single ? Token::Float32 : Token::Float64;
      if (isFollow(peek()))
        source.fail(line, "malformed number");
      return;
    }
    unsigned base = 10;
    if (peek() == '0' && (second == 'x' || second == 'X')) {
      base = 16;
      at += 2;
    } else if (peek() == '0' && (second == 'b' || second == 'B')) {
      base = 2;
      at += 2;
    } else if (peek() == '0' && isDigit(second)) {
      base = 8;
    }
    size_t first = at;
    unsigned __int128 value = 0;
    for (int digit; (digit = hexValue(peek())) >= 0 && digit < int(base); ++at) {
      value = value * base + unsigned(digit);
      if (value >> 64)
        source.fail(line, "integer literal does not fit 64 bits");
    }
    if (at == first)
      source.fail(line, "malformed number");
    if ((base == 10 || base == 8) && decimalFloat(begin, token))
      return;
    token.bits = uint64_t(value);
    token.isUnsigned = value >> 63;
    if (peek() == 'U' || peek() == 'u') {
      token.isUnsigned = true;
      ++at;
    }
    if (isFollow(peek()))
      source.fail(line, "malformed number");
  }

  bool decimalFloat(size_t begin, Token &token) {
    bool fraction = peek() == '.' && isDigit(peek(1));
    bool exponent = peek() == 'e' || peek() == 'E';
    if (!fraction && !exponent)
      return false;
    std::string digits(text.substr(begin, std::min<size_t>(text.size() - begin, 128)));
    char *end = nullptr;
    token.bits = std::bit_cast<uint64_t>(std::strtod(digits.c_str(), &end));
    at = begin + size_t(end - digits.c_str());
    token.kind = Token::Float64;
    if (isFollow(peek()))
      source.fail(line, "malformed number");
    return true;
  }

  const Source &source;
  std::string_view text;
  size_t at = 0;
  unsigned line = 1;
};

} // namespace

std::vector<Token> ptxsim::lex(const Source &source) { return Lexer(source).run(); }
