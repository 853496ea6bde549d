// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Module level: header, linking directives, function signatures (PTX ISA, "Directives").

#include "syntax/Parser.h"

#include <algorithm>

using namespace ptxsim;

Module ptxsim::parse(std::shared_ptr<const Source> source) {
  return Parser(std::move(source)).parseModule();
}

const Token &Parser::take() {
  const Token &token = peek();
  if (at + 1 < tokens.size())
    ++at;
  return token;
}

bool Parser::accept(std::string_view punct) {
  if (!peek().is(punct))
    return false;
  take();
  return true;
}

void Parser::expect(std::string_view punct) {
  if (!accept(punct))
    unexpected(("'" + std::string(punct) + "'").c_str());
}

void Parser::unexpected(const char *wanted) const {
  const Token &token = peek();
  std::string got = token.kind == Token::End ? "the end of the file"
                                             : (token.kind == Token::Dot ? "'." : "'") +
                                                   std::string(token.text.substr(0, 60)) + "'";
  fail("expected " + std::string(wanted) + ", got " + got);
}

std::string Parser::identifier(const char *what) {
  if (peek().kind != Token::Ident)
    unexpected(what);
  return std::string(take().text);
}

std::string Parser::dotWord(const char *what) {
  if (peek().kind != Token::Dot)
    unexpected(what);
  return std::string(take().text);
}

uint64_t Parser::unsignedInteger(const char *what, uint64_t limit) {
  if (peek().kind != Token::Integer)
    unexpected(what);
  uint64_t value = peek().bits;
  if (value > limit)
    fail(std::string(what) + ": expected at most " + std::to_string(limit) + ", got " +
         std::to_string(value));
  take();
  return value;
}

Module Parser::parseModule() {
  module.source = source;
  parseHeader();
  while (!atEnd())
    parseTopLevel();
  return std::move(module);
}

// PTX ISA, "PTX Module Directives": .version first, then .target, then .address_size.
void Parser::parseHeader() {
  if (!peek().isDot("version"))
    unexpected("'.version'");
  take();
  if (peek().kind != Token::Float64)
    unexpected("a version such as 8.7");
  std::string_view text = peek().text;
  size_t point = text.find('.');
  if (text.size() < 3 || point == std::string_view::npos || text.size() - point > 2 || point > 1 ||
      text[0] < '0' || text[0] > '9' || text[point + 1] < '0' || text[point + 1] > '9')
    fail("malformed .version");
  module.version = unsigned(text[0] - '0') * 10 + unsigned(text[point + 1] - '0');
  if (module.version < 63 || module.version > 90)
    fail("expected .version 6.3 to 9.0, got " + std::string(text));
  take();
  if (!peek().isDot("target"))
    unexpected("'.target'");
  take();
  module.target = identifier("a target such as sm_80");
  while (accept(",")) {
    std::string option = identifier("a target option");
    if (option != "debug" && option != "texmode_independent" && option != "texmode_unified")
      fail("unknown target option '" + option + "'");
  }
  if (peek().isDot("address_size")) {
    take();
    module.addressSize = unsigned(unsignedInteger("address size", 64));
  }
  if (module.addressSize != 64)
    fail("expected .address_size 64, got " + std::to_string(module.addressSize));
}

// `@@dwarf` lines, `.file`, `.loc` and `.section` describe the source program, not its behaviour.
void Parser::skipDebug() {
  unsigned line = peek().line;
  bool section = peek().isDot("section");
  take();
  if (!section) {
    while (!atEnd() && peek().line == line)
      take();
    return;
  }
  if (peek().kind == Token::Dot || peek().kind == Token::Ident)
    take();
  expect("{");
  for (unsigned depth = 1; depth != 0; take()) {
    if (atEnd())
      unexpected("'}'");
    if (peek().is("{"))
      ++depth;
    if (peek().is("}"))
      --depth;
  }
}

void Parser::parseTopLevel() {
  bool isExtern = false;
  if (peek().is("@@") || peek().isDot("file") || peek().isDot("loc") || peek().isDot("section")) {
    skipDebug();
    return;
  }
  if (peek().isDot("pragma")) {
    while (!atEnd() && !peek().is(";"))
      take();
    expect(";");
    return;
  }
  if (accept(";"))
    return;
  while (peek().isDot("visible") || peek().isDot("extern") || peek().isDot("weak") ||
         peek().isDot("common"))
    isExtern |= take().text == "extern";
  if (peek().kind != Token::Dot)
    unexpected("a directive");
  std::string_view word = peek().text;
  if (word == "entry" || word == "func") {
    take();
    parseFunction(word == "entry", isExtern);
    return;
  }
  Space space = word == "global"   ? Space::Global
                : word == "const"  ? Space::Const
                : word == "shared" ? Space::Shared
                                   : Space::None;
  if (space == Space::None)
    fail("unsupported directive '." + std::string(word) + "' at module level");
  take();
  parseDeclarators(space, module.variables, isExtern);
}

std::vector<Variable> Parser::parseParameters(Space space) {
  std::vector<Variable> list;
  expect("(");
  if (accept(")"))
    return list;
  do {
    Space declared = space;
    std::string word = dotWord("'.param' or '.reg'");
    if (word == "reg")
      declared = Space::Reg;
    else if (word != "param")
      fail("expected '.param' or '.reg', got '." + word + "'");
    list.push_back(parseVariable(declared));
    parseDimensions(list.back());
    if (list.back().unsized)
      fail("unsized parameters are not supported");
  } while (accept(","));
  expect(")");
  return list;
}

void Parser::parseFunctionDirectives(Function &function) {
  while (peek().kind == Token::Dot) {
    std::string_view word = peek().text;
    auto dimensions = [&](uint32_t *into) {
      take();
      into[1] = into[2] = 1;
      for (unsigned i = 0; i < 3; ++i) {
        into[i] = uint32_t(unsignedInteger("block dimension", 1u << 20));
        if (into[i] == 0)
          fail("expected a positive block dimension, got 0");
        if (!accept(","))
          break;
      }
    };
    if (word == "maxntid") {
      dimensions(function.maxThreads);
    } else if (word == "reqntid") {
      dimensions(function.requiredThreads);
    } else if (word == "maxnreg") {
      take();
      function.maxRegisters = uint32_t(unsignedInteger("register count", 1 << 20));
    } else if (word == "minnctapersm" || word == "maxnctapersm") {
      take();
      function.minBlocks = uint32_t(unsignedInteger("block count", 1 << 20));
    } else if (word == "noreturn") {
      take();
      function.noReturn = true;
    } else if (word == "pragma") {
      while (!atEnd() && !peek().is(";"))
        take();
      expect(";");
    } else {
      fail("unsupported directive '." + std::string(word) + "' on a function");
    }
  }
}

void Parser::parseFunction(bool isEntry, bool isExtern) {
  Function function;
  function.line = peek().line;
  function.isEntry = isEntry;
  if (!isEntry && peek().is("("))
    function.returns = parseParameters(Space::Param);
  function.name = identifier(isEntry ? "a kernel name" : "a function name");
  if (peek().is("("))
    function.parameters = parseParameters(Space::Param);
  if (isEntry)
    for (const Variable &parameter : function.parameters)
      if (parameter.space != Space::Param)
        source->fail(parameter.line, "parameters of a kernel are .param variables");
  parseFunctionDirectives(function);
  if (accept("{")) {
    function.hasBody = true;
    function.scopes.emplace_back();
    parseBody(function, 0, 0);
  } else if (isExtern || peek().is(";")) {
    expect(";");
  } else {
    unexpected("'{' or ';'");
  }
  // A forward declaration and its definition are one function.
  auto same = std::find_if(module.functions.begin(), module.functions.end(),
                           [&](const Function &f) { return f.name == function.name; });
  if (same == module.functions.end())
    module.functions.push_back(std::move(function));
  else if (!same->hasBody)
    *same = std::move(function);
  else if (function.hasBody)
    source->fail(function.line, "function '" + function.name + "' is defined twice");
}
