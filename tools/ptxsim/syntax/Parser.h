// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recursive-descent parser; private to the syntax room.

#ifndef PTXSIM_SYNTAX_PARSER_H
#define PTXSIM_SYNTAX_PARSER_H

#include "syntax/Ast.h"
#include "syntax/Lexer.h"

namespace ptxsim {

class Parser {
public:
  explicit Parser(std::shared_ptr<const Source> source)
      : source(std::move(source)), tokens(lex(*this->source)) {}
  Module parseModule();

private:
  // Tokens.
  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  const Token &take();
  bool accept(std::string_view punct);
  void expect(std::string_view punct);
  std::string identifier(const char *what);
  std::string dotWord(const char *what);
  uint64_t unsignedInteger(const char *what, uint64_t limit);
  [[noreturn]] void fail(const std::string &message) const { source->fail(peek().line, message); }
  [[noreturn]] void unexpected(const char *wanted) const;
  bool atEnd() const { return peek().kind == Token::End; }

  // Module level.
  void parseHeader();
  void parseTopLevel();
  void skipDebug();
  void parseFunction(bool isEntry, bool isExtern);
  void parseFunctionDirectives(Function &function);
  std::vector<Variable> parseParameters(Space space);

  // Declarations.
  Variable parseVariable(Space space);
  void parseDeclarators(Space space, std::vector<Variable> &into, bool isExtern);
  void parseDimensions(Variable &variable);
  void parseInitialiser(Variable &variable);
  void parseRegisters(Scope &scope);

  // Bodies.
  void parseBody(Function &function, int scope, unsigned depth);
  void parseBodyDirective(Function &function, int scope);
  void parseLabel(Function &function, int scope);
  void parseInstruction(Function &function, int scope);
  void declare(Function &function, int scope, Variable variable);
  Operand parseOperand(unsigned depth = 0);
  Operand parsePrimary(unsigned depth);
  Operand parseAddress();
  uint64_t constantExpression(unsigned depth = 0, unsigned precedence = 0);
  uint64_t constantPrimary(unsigned depth);

  std::shared_ptr<const Source> source;
  std::vector<Token> tokens;
  size_t at = 0;
  Module module;
};

} // namespace ptxsim

#endif
