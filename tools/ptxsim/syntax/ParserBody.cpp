// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function bodies: nested scopes, labels, instructions and their operands.

#include "syntax/Parser.h"

#include <bit>

using namespace ptxsim;

// Deeper than any compiler nests blocks; keeps the recursion bounded on hostile input.
static constexpr unsigned maxBlockDepth = 64;

void Parser::parseBody(Function &function, int scope, unsigned depth) {
  if (depth > maxBlockDepth)
    fail("blocks nested too deeply");
  while (!accept("}")) {
    if (atEnd())
      unexpected("'}'");
    if (accept(";"))
      continue;
    if (accept("{")) {
      Scope inner;
      inner.parent = scope;
      function.scopes.push_back(std::move(inner));
      parseBody(function, int(function.scopes.size()) - 1, depth + 1);
      continue;
    }
    const Token &token = peek();
    if (token.is("@@") || token.isDot("loc") || token.isDot("file") || token.isDot("section"))
      skipDebug();
    else if (token.kind == Token::Dot)
      parseBodyDirective(function, scope);
    else if (token.kind == Token::Ident && peek(1).is(":"))
      parseLabel(function, scope);
    else
      parseInstruction(function, scope);
  }
}

void Parser::declare(Function &function, int scope, Variable variable) {
  function.variables.push_back(std::move(variable));
  int index = int(function.variables.size()) - 1;
  const Variable &stored = function.variables.back();
  if (!function.scopes[size_t(scope)].variables.emplace(stored.name, index).second)
    source->fail(stored.line, "variable '" + stored.name + "' is declared twice");
}

void Parser::parseBodyDirective(Function &function, int scope) {
  std::string_view word = peek().text;
  if (word == "reg") {
    take();
    parseRegisters(function.scopes[size_t(scope)]);
    return;
  }
  if (word == "pragma") {
    while (!atEnd() && !peek().is(";"))
      take();
    expect(";");
    return;
  }
  Space space = word == "shared"  ? Space::Shared
                : word == "local" ? Space::Local
                : word == "param" ? Space::Param
                                  : Space::None;
  if (space == Space::None)
    fail("unsupported directive '." + std::string(word) + "' in a function body");
  take();
  std::vector<Variable> list;
  parseDeclarators(space, list, false);
  for (Variable &variable : list)
    declare(function, scope, std::move(variable));
}

void Parser::parseLabel(Function &function, int scope) {
  Label label;
  unsigned line = peek().line;
  label.name = identifier("a label");
  label.instruction = function.body.size();
  label.scope = scope;
  expect(":");
  if (peek().isDot("branchtargets") || peek().isDot("calltargets")) {
    take();
    do
      label.targets.push_back(identifier("a label"));
    while (accept(","));
    expect(";");
  } else if (peek().isDot("callprototype")) {
    take();
    label.isPrototype = true;
    if (peek().is("("))
      label.returns = parseParameters(Space::Param);
    if (peek().is("_") || (peek().kind == Token::Ident && peek().text == "_"))
      take();
    label.parameters = parseParameters(Space::Param);
    if (peek().isDot("noreturn"))
      take();
    expect(";");
  }
  function.labels.push_back(std::move(label));
  int index = int(function.labels.size()) - 1;
  const std::string &name = function.labels.back().name;
  if (!function.scopes[size_t(scope)].labels.emplace(name, index).second)
    source->fail(line, "label '" + name + "' is defined twice");
}

void Parser::parseInstruction(Function &function, int scope) {
  Instruction instruction;
  instruction.line = peek().line;
  instruction.scope = scope;
  if (accept("@")) {
    instruction.guardNegated = accept("!");
    instruction.guard = identifier("a predicate");
  }
  instruction.opcode = identifier("an instruction");
  while (peek().kind == Token::Dot)
    instruction.modifiers.emplace_back(take().text);
  if (!peek().is(";")) {
    do
      instruction.operands.push_back(parseOperand());
    while (accept(","));
  }
  expect(";");
  function.body.push_back(std::move(instruction));
}

Operand Parser::parseOperand(unsigned depth) {
  if (depth > 4)
    fail("operand nested too deeply");
  if (accept("[")) {
    Operand operand = parseAddress();
    expect("]");
    return operand;
  }
  if (peek().is("{") || peek().is("(")) {
    Operand operand;
    operand.kind = peek().is("{") ? Operand::Vector : Operand::List;
    const char *close = operand.kind == Operand::Vector ? "}" : ")";
    take();
    if (accept(close))
      return operand;
    do
      operand.parts.push_back(parseOperand(depth + 1));
    while (accept(","));
    expect(close);
    return operand;
  }
  Operand operand = parsePrimary(depth);
  if (accept("|")) {
    Operand pair;
    pair.kind = Operand::Pair;
    pair.parts.push_back(std::move(operand));
    pair.parts.push_back(parsePrimary(depth));
    return pair;
  }
  return operand;
}

Operand Parser::parsePrimary(unsigned depth) {
  Operand operand;
  if (accept("!")) {
    if (depth > 4)
      fail("operand nested too deeply");
    operand = parsePrimary(depth + 1);
    if (operand.kind != Operand::Name || operand.negated)
      fail("expected a predicate after '!'");
    operand.negated = true;
    return operand;
  }
  if (accept("_")) {
    operand.text = "_";
    return operand;
  }
  if (peek().kind == Token::Ident) {
    operand.text = identifier("an operand");
    if (peek().kind == Token::Dot && peek().glued)
      operand.member = dotWord("a component");
    if (peek().is("+") || peek().is("-"))
      operand.offset = int64_t(constantExpression());
    return operand;
  }
  bool minus = peek().is("-") && (peek(1).kind == Token::Float64 || peek(1).kind == Token::Float32);
  if (minus)
    take();
  if (peek().kind == Token::Float32 || peek().kind == Token::Float64) {
    bool single = peek().kind == Token::Float32;
    operand.kind = single ? Operand::Float32 : Operand::Float64;
    operand.bits = take().bits ^ (minus ? uint64_t(1) << (single ? 31 : 63) : 0);
    return operand;
  }
  if (peek().kind != Token::Integer && !peek().is("-") && !peek().is("~") && !peek().is("("))
    unexpected("an operand");
  operand.kind = Operand::Integer;
  operand.bits = constantExpression();
  return operand;
}

// PTX ISA, "Addresses as Operands": [var], [reg], [reg+imm], [var+imm], [imm].
Operand Parser::parseAddress() {
  Operand operand;
  if (peek().kind == Token::Ident) {
    operand.text = identifier("an address");
    // `[x+-4]` is what compilers print for negative offsets.
    if (peek().is("+") || peek().is("-"))
      operand.offset = int64_t(constantExpression());
  } else {
    operand.offset = int64_t(constantExpression());
  }
  operand.kind = Operand::Address;
  return operand;
}
