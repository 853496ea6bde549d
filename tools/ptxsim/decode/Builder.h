// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a row of the form table uses to turn operands into frame offsets.

#ifndef PTXSIM_DECODE_BUILDER_H
#define PTXSIM_DECODE_BUILDER_H

#include "decode/Forms.h"
#include "exec/Program.h"

#include <set>

namespace ptxsim {

struct RegisterInfo {
  std::string name;
  Type type = Type::None;
  uint32_t offset = 0;
  uint32_t defined = 0; ///< frame offset of the mask of written lanes, when tracked
};

/// State of one function while it is decoded.
class FunctionBuilder {
public:
  FunctionBuilder(const Program &program, const Function &function, Code &code, bool approx);
  void build();

  [[noreturn]] void fail(unsigned line, const std::string &message) const;
  /// Index of a register by name, innermost scope first; -1 when the name is no register.
  int findRegister(int scope, const std::string &name);
  int findVariable(int scope, const std::string &name) const;
  const Label *findLabel(int scope, const std::string &name) const;
  uint32_t constant(uint64_t bits, unsigned bytes);
  uint32_t special(Special::Kind kind, uint64_t addend, unsigned bytes);
  uint32_t scratch(unsigned bytes);

  const Program &program;
  const Function &function;
  Code &code;
  bool approx;
  std::vector<RegisterInfo> registers;
  std::vector<std::vector<int>> reads, writes; ///< register indices, by instruction
  std::vector<bool> moves;
  std::vector<uint64_t> variableOffsets;         ///< of function variables; shared or local
  std::map<std::string, uint64_t> sharedOffsets; ///< of module-scope shared variables

private:
  void layOutVariables();
  void decodeAll();
  void findBlocks();
  void findJoins();
  void trackDefinitions();
  void finishFrame();
  uint32_t allocate(unsigned bytes);

  std::map<std::pair<int, std::string>, int> registerIndex; ///< by scope and name; -1: hidden
  std::map<std::pair<uint64_t, unsigned>, uint32_t> constantIndex;
  std::map<std::tuple<int, uint64_t, unsigned>, uint32_t> specialIndex;
  std::vector<uint32_t> blockStarts;
  uint32_t nextOffset = 64; ///< offset 0 means "no operand"
  // Constants are numbered from `constantTag` and moved behind the registers at the end.
  std::vector<uint8_t> constantBytes;
  friend class Builder;
};

/// Offsets with this bit are into the constants until the frame is laid out.
constexpr uint32_t constantTag = uint32_t(1) << 31;

/// One instruction.
class Builder {
public:
  Builder(FunctionBuilder &function, const Instruction &ast, Inst &inst, const ParsedForm &form,
          std::vector<std::string_view> chosen);

  // The match.
  bool has(std::string_view word) const;
  /// First of the chosen words that is in `list` (as `a|b|c`), or "".
  std::string_view which(std::string_view list) const;
  /// The n-th chosen word that names a type.
  Type type(unsigned n = 0) const;

  // Operands. All of them check kinds and types and fail with the line.
  size_t count() const { return ast.operands.size(); }
  void expectCount(size_t least, size_t most) const;
  void expectCount(size_t exact) const { expectCount(exact, exact); }
  const Operand &operand(size_t index) const { return ast.operands[index]; }
  uint32_t source(size_t index, Type type) { return source(ast.operands[index], type); }
  uint32_t source(const Operand &operand, Type type);
  uint32_t destination(size_t index, Type type) { return destination(ast.operands[index], type); }
  uint32_t destination(const Operand &operand, Type type);
  uint32_t sourcePredicate(const Operand &operand, bool &negated);
  uint32_t destinationPredicate(const Operand &operand);
  /// A source or result that may be wider than its type (PTX ISA, "Operand Size Exceeding
  /// Instruction-Type Size"); gives the register's bytes.
  uint32_t relaxedSource(const Operand &operand, Type type, unsigned &bytes);
  uint32_t relaxedDestination(const Operand &operand, Type type, unsigned &bytes);
  uint64_t immediate(const Operand &operand, const char *what) const;
  /// `[address]` in a space: fills a, imm and narrowAddress.
  void address(const Operand &operand, Space space);
  uint32_t labelTarget(const Operand &operand) const;
  /// Address of a variable or function as a constant; state-space address, not generic.
  bool symbolAddress(const std::string &name, int64_t offset, uint32_t &frameOffset, Space &space);
  /// State that no operand names, such as the carry flag; one of its name a function.
  uint32_t hiddenPredicate(const std::string &name, bool reads, bool writes);
  void markMove();
  [[noreturn]] void fail(const std::string &message) const;

  FunctionBuilder &function;
  const Instruction &ast;
  Inst &inst;
  const ParsedForm &form;
  size_t index; ///< of the instruction

private:
  int registerOf(const Operand &operand);
  uint32_t specialRegister(const Operand &operand, Type type);
  uint32_t literal(const Operand &operand, Type type);
  std::vector<std::string_view> chosen;
};

} // namespace ptxsim

#endif
