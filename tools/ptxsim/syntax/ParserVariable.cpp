// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables, registers, initialisers and constant expressions (PTX ISA, "Variables",
// "Constant Expressions").

#include "syntax/Parser.h"

using namespace ptxsim;

// No device has more memory than this; it keeps sizes far from overflow.
static constexpr uint64_t maxVariableBytes = uint64_t(1) << 36;

/// The part before the name: alignment, vector width, type, and for parameters the attributes that
/// describe what a pointer points to (`.ptr .global .align 16` says nothing of the parameter).
Variable Parser::parseVariable(Space space) {
  Variable variable;
  variable.space = space;
  variable.line = peek().line;
  bool pointee = false, aligned = false;
  while (peek().kind == Token::Dot) {
    std::string_view word = peek().text;
    if (word == "align") {
      take();
      uint64_t value = unsignedInteger("alignment", 1 << 16);
      if (value == 0 || (value & (value - 1)) != 0)
        fail("expected a power of two as alignment, got " + std::to_string(value));
      if (!pointee) {
        variable.align = value;
        aligned = true;
      }
      continue;
    }
    if (word == "attribute") {
      take();
      expect("(");
      if (!peek().isDot("managed"))
        fail("unsupported attribute");
      take();
      expect(")");
      continue;
    }
    if (word == "v2" || word == "v4") {
      variable.vector = word == "v2" ? 2 : 4;
    } else if (word == "ptr" && space == Space::Param) {
      pointee = true;
    } else if (pointee && (word == "global" || word == "shared" || word == "const" ||
                           word == "local" || word == "param")) {
    } else if (auto type = typeNamed(word); type && variable.type == Type::None) {
      variable.type = *type;
    } else {
      fail("unsupported directive or type '." + std::string(word) + "' in a declaration");
    }
    take();
  }
  if (variable.type == Type::None)
    unexpected("a type");
  if (space != Space::Reg && variable.type == Type::Pred)
    fail("predicates live in registers only");
  if (!aligned)
    variable.align = std::max<uint64_t>(1, variable.elementBytes());
  // Parameters of a prototype have no name of their own.
  variable.name = space == Space::Param && accept("_") ? "_" : identifier("a variable name");
  return variable;
}

void Parser::parseDimensions(Variable &variable) {
  while (accept("[")) {
    variable.isArray = true;
    if (accept("]")) {
      if (variable.unsized || variable.count != 1)
        fail("only the first dimension may be left out");
      variable.unsized = true;
      continue;
    }
    uint64_t extent = constantExpression();
    if (extent > maxVariableBytes || variable.count * extent > maxVariableBytes / 16)
      fail("variable '" + variable.name + "' is larger than any device's memory");
    variable.count *= extent;
    expect("]");
  }
}

void Parser::parseInitialiser(Variable &variable) {
  if (!accept("="))
    return;
  if (variable.space != Space::Global && variable.space != Space::Const)
    fail("only .global and .const variables have initialisers");
  unsigned depth = 0;
  do {
    while (accept("{"))
      if (++depth > 8)
        fail("initialiser nested too deeply");
    if (depth == 0 || !peek().is("}")) {
      Initial item;
      unsigned line = peek().line;
      if (peek().kind == Token::Ident) {
        std::string name = identifier("a symbol");
        if (name == "generic" && accept("(")) {
          item.generic = true;
          name = identifier("a symbol");
          expect(")");
        }
        item.value.kind = Operand::Name;
        item.value.text = name;
        if (peek().is("+") || peek().is("-"))
          item.value.offset = int64_t(constantExpression());
      } else {
        item.value = parsePrimary(0);
        if (item.value.kind == Operand::Name || item.value.kind >= Operand::Vector)
          source->fail(line, "malformed initialiser");
      }
      variable.initial.push_back(std::move(item));
    }
    while (depth != 0 && accept("}"))
      --depth;
  } while (accept(","));
  if (depth != 0)
    unexpected("'}'");
  uint64_t scalars = variable.initial.size();
  if (variable.unsized) {
    variable.count *= (scalars + variable.vector - 1) / variable.vector;
    variable.unsized = false;
  }
  if (scalars > variable.count * variable.vector)
    fail("expected at most " + std::to_string(variable.count * variable.vector) +
         " initial values, got " + std::to_string(scalars));
}

void Parser::parseDeclarators(Space space, std::vector<Variable> &into, bool isExtern) {
  Variable first = parseVariable(space);
  while (true) {
    Variable variable = first;
    variable.isExtern = isExtern;
    parseDimensions(variable);
    parseInitialiser(variable);
    if (variable.unsized && !(space == Space::Shared && isExtern))
      fail("unsized array '" + variable.name + "' needs an initialiser, or .extern .shared");
    into.push_back(std::move(variable));
    if (!accept(","))
      break;
    first.name = identifier("a variable name");
  }
  expect(";");
}

// PTX ISA, "Parameterized Variable Names": `%r<100>` declares %r0 … %r99.
void Parser::parseRegisters(Scope &scope) {
  RegisterRange range;
  while (peek().kind == Token::Dot) {
    std::string_view word = peek().text;
    if (word == "v2" || word == "v4")
      range.vector = word == "v2" ? 2 : 4;
    else if (auto type = typeNamed(word); type && range.type == Type::None)
      range.type = *type;
    else
      fail("unsupported register type '." + std::string(word) + "'");
    take();
  }
  if (range.type == Type::None)
    unexpected("a register type");
  if (range.vector != 1)
    fail("vector registers are not supported");
  do {
    range.prefix = identifier("a register name");
    range.count = 0;
    if (accept("<")) {
      range.count = uint32_t(unsignedInteger("register count", UINT32_MAX));
      if (range.count == 0)
        fail("expected a positive register count, got 0");
      expect(">");
    }
    // Ranges and single registers do not collide: `%r<3>` and `%r` may both exist.
    std::string key = range.count ? range.prefix + "<" : range.prefix;
    if (!scope.registers.emplace(key, range).second)
      fail("register '" + range.prefix + "' is declared twice");
  } while (accept(","));
  expect(";");
}

uint64_t Parser::constantPrimary(unsigned depth) {
  if (depth > 32)
    fail("constant expression nested too deeply");
  if (accept("-"))
    return 0 - constantPrimary(depth + 1);
  if (accept("+"))
    return constantPrimary(depth + 1);
  if (accept("~"))
    return ~constantPrimary(depth + 1);
  if (accept("!"))
    return constantPrimary(depth + 1) == 0;
  if (accept("(")) {
    uint64_t value = constantExpression(depth + 1);
    expect(")");
    return value;
  }
  if (peek().kind != Token::Integer)
    unexpected("an integer constant");
  return take().bits;
}

uint64_t Parser::constantExpression(unsigned depth, unsigned precedence) {
  static constexpr struct {
    std::string_view text;
    unsigned level;
  } operators[] = {{"|", 1}, {"^", 2}, {"&", 3}, {"<<", 4}, {">>", 4},
                   {"+", 5}, {"-", 5}, {"*", 6}, {"/", 6},  {"%", 6}};
  // `[x+4]` and `x-4` start with their sign: an empty left side counts as zero.
  uint64_t left = peek().is("+") || peek().is("-") ? 0 : constantPrimary(depth);
  if (depth > 32)
    fail("constant expression nested too deeply");
  while (true) {
    unsigned level = 0;
    for (const auto &candidate : operators)
      if (peek().is(candidate.text))
        level = candidate.level;
    if (level == 0 || level <= precedence)
      return left;
    char op = take().text[0];
    uint64_t right = constantExpression(depth + 1, level);
    switch (op) {
    case '|':
      left |= right;
      break;
    case '^':
      left ^= right;
      break;
    case '&':
      left &= right;
      break;
    case '<':
      left = right < 64 ? left << right : 0;
      break;
    case '>':
      left = right < 64 ? uint64_t(int64_t(left) >> right) : 0;
      break;
    case '+':
      left += right;
      break;
    case '-':
      left -= right;
      break;
    case '*':
      left *= right;
      break;
    default:
      if (right == 0)
        fail("division by zero in a constant expression");
      left = op == '/' ? left / right : left % right;
    }
  }
}
