// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parser hands to the decoder: modules, functions, variables, and instructions whose
// opcode words and operands are still text. Nothing here knows which opcodes exist.

#ifndef PTXSIM_SYNTAX_AST_H
#define PTXSIM_SYNTAX_AST_H

#include "syntax/Source.h"
#include "syntax/Type.h"

#include <memory>
#include <optional>
#include <unordered_map>

namespace ptxsim {

struct Operand {
  enum Kind : uint8_t {
    Name,    ///< register, symbol, label, `_`; `text`, optional `.x` in `member`, `+offset`
    Integer, ///< `bits` as an s64 pattern
    Float32, ///< 32-bit pattern in `bits`
    Float64, ///< 64-bit pattern in `bits`
    Vector,  ///< `{a, b}`
    Address, ///< `[name+offset]`, `[integer]`
    List,    ///< `(a, b)` of a call
    Pair     ///< `d|p`
  };
  Kind kind = Name;
  bool negated = false; ///< `!p`
  bool minus = false;   ///< `-name` (no PTX form takes it; kept for the message)
  std::string text, member;
  uint64_t bits = 0;
  int64_t offset = 0;
  std::vector<Operand> parts;
};

/// A piece of an initialiser: a number of the variable's element type, or a symbol's address.
struct Initial {
  Operand value;
  bool generic = false; ///< `generic(symbol)`
};

struct Variable {
  std::string name;
  Space space = Space::None;
  Type type = Type::None;
  unsigned vector = 1;
  uint64_t align = 1; ///< bytes
  uint64_t count = 1; ///< elements, over all dimensions
  bool isArray = false;
  bool isExtern = false;
  bool unsized = false; ///< `x[]`: takes its extent from the initialiser or the launch
  std::vector<Initial> initial;
  unsigned line = 0;

  uint64_t elementBytes() const { return uint64_t(sizeOf(type)) * vector; }
  uint64_t bytes() const { return elementBytes() * count; }
};

/// `.reg .b32 %r<5>` (count 5) or `.reg .b32 x` (count 0); vector registers keep their width.
struct RegisterRange {
  std::string prefix;
  uint32_t count = 0;
  Type type = Type::None;
  unsigned vector = 1;
};

/// A `{ … }` of a body. Names are looked up from the innermost scope outwards.
struct Scope {
  int parent = -1;
  std::unordered_map<std::string, RegisterRange> registers;
  std::unordered_map<std::string, int> variables; ///< index into Function::variables
  std::unordered_map<std::string, int> labels;    ///< index into Function::labels
};

struct Instruction {
  unsigned line = 0;
  int scope = 0;
  std::string guard; ///< predicate name or empty
  bool guardNegated = false;
  std::string opcode;
  std::vector<std::string> modifiers;
  std::vector<Operand> operands;
};

/// A label and where it stands; tables of labels and prototypes hang on their label.
struct Label {
  std::string name;
  size_t instruction = 0; ///< index of the instruction that follows
  int scope = 0;
  bool isPrototype = false;
  std::vector<std::string> targets; ///< of .branchtargets and .calltargets
  std::vector<Variable> returns, parameters;
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool hasBody = false;
  bool noReturn = false;
  unsigned line = 0;
  std::vector<Variable> returns, parameters;
  std::vector<Variable> variables; ///< shared, local and param variables of the body
  std::vector<Scope> scopes;       ///< scopes[0] is the body itself
  std::vector<Label> labels;
  std::vector<Instruction> body;
  uint32_t maxThreads[3] = {0, 0, 0};      ///< .maxntid; 0 when absent
  uint32_t requiredThreads[3] = {0, 0, 0}; ///< .reqntid; 0 when absent
  uint32_t maxRegisters = 0, minBlocks = 0;
};

struct Module {
  std::shared_ptr<const Source> source;
  unsigned version = 0; ///< 8.7 is 87
  std::string target;   ///< `sm_90a`
  unsigned addressSize = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

/// Parses a whole module. Throws SourceError.
Module parse(std::shared_ptr<const Source> source);

} // namespace ptxsim

#endif
