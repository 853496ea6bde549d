// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of one instruction: registers, literals, special registers, addresses.

#include "decode/Builder.h"
#include "memory/Memory.h"

#include <algorithm>
#include <bit>

using namespace ptxsim;

Builder::Builder(FunctionBuilder &function, const Instruction &ast, Inst &inst,
                 const ParsedForm &form, std::vector<std::string_view> chosen)
    : function(function), ast(ast), inst(inst), form(form),
      index(size_t(&inst - function.code.insts.data())), chosen(std::move(chosen)) {}

void Builder::fail(const std::string &message) const { function.fail(ast.line, message); }

bool Builder::has(std::string_view word) const {
  return std::find(chosen.begin(), chosen.end(), word) != chosen.end();
}

std::string_view Builder::which(std::string_view list) const {
  while (!list.empty()) {
    size_t end = std::min(list.find('|'), list.size());
    if (has(list.substr(0, end)))
      return list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return {};
}

Type Builder::type(unsigned n) const {
  for (std::string_view word : chosen)
    if (auto type = typeNamed(word))
      if (n-- == 0)
        return *type;
  return Type::None;
}

void Builder::expectCount(size_t least, size_t most) const {
  if (count() >= least && count() <= most)
    return;
  std::string wanted = std::to_string(least);
  if (most != least)
    wanted += " to " + std::to_string(most);
  fail("expected " + wanted + " operands, got " + std::to_string(count()));
}

// PTX ISA, "Operand Type Checking": sizes agree, and bit types go with anything of their size.
static bool compatible(Type have, Type want) {
  if (have == want)
    return true;
  if (have == Type::Pred || want == Type::Pred || sizeOf(have) != sizeOf(want))
    return false;
  if (isBits(have) || isBits(want) || (isInteger(have) && isInteger(want)))
    return true;
  // Halves and packed values have no register type of their own in older code.
  return (want >= Type::F16x2 || want == Type::F16 || want == Type::BF16) && !isFloat(have);
}

int Builder::registerOf(const Operand &operand) {
  if (operand.kind != Operand::Name || !operand.member.empty())
    return -1;
  return function.findRegister(ast.scope, operand.text);
}

static std::string describe(const Operand &operand) {
  switch (operand.kind) {
  case Operand::Name:
    return "'" + operand.text + (operand.member.empty() ? "" : "." + operand.member) + "'";
  case Operand::Integer:
    return "an integer";
  case Operand::Float32:
  case Operand::Float64:
    return "a floating-point literal";
  case Operand::Vector:
    return "a vector";
  case Operand::Address:
    return "an address";
  case Operand::List:
    return "a list";
  case Operand::Pair:
    return "a pair";
  }
  return {};
}

uint32_t Builder::literal(const Operand &operand, Type type) {
  unsigned bytes = sizeOf(type);
  uint64_t bits = operand.bits;
  switch (operand.kind) {
  case Operand::Integer:
    if (isFloat(type) && type != Type::F16 && type != Type::BF16)
      fail("expected a floating-point literal for ." + std::string(nameOf(type)) +
           ", got an integer");
    break;
  case Operand::Float32:
    if (type == Type::F64)
      bits = std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(bits))));
    else if (bytes != 4)
      fail("a 32-bit literal does not fit ." + std::string(nameOf(type)));
    break;
  case Operand::Float64:
    if (type == Type::F32)
      bits = std::bit_cast<uint32_t>(float(std::bit_cast<double>(bits)));
    else if (bytes != 8)
      fail("a 64-bit literal does not fit ." + std::string(nameOf(type)));
    break;
  default:
    fail("expected a register or literal, got " + describe(operand));
  }
  return function.constant(bytes < 8 ? bits & ((uint64_t(1) << (8 * bytes)) - 1) : bits, bytes);
}

// PTX ISA, "Special Registers".
uint32_t Builder::specialRegister(const Operand &operand, Type type) {
  static constexpr struct {
    std::string_view name, member;
    Special::Kind kind;
  } table[] = {
      {"%tid", "x", Special::TidX},
      {"%tid", "y", Special::TidY},
      {"%tid", "z", Special::TidZ},
      {"%ntid", "x", Special::NTidX},
      {"%ntid", "y", Special::NTidY},
      {"%ntid", "z", Special::NTidZ},
      {"%ctaid", "x", Special::CtaX},
      {"%ctaid", "y", Special::CtaY},
      {"%ctaid", "z", Special::CtaZ},
      {"%nctaid", "x", Special::NCtaX},
      {"%nctaid", "y", Special::NCtaY},
      {"%nctaid", "z", Special::NCtaZ},
      {"%laneid", "", Special::LaneId},
      {"%warpid", "", Special::WarpId},
      {"%nwarpid", "", Special::NWarpId},
      {"%smid", "", Special::SmId},
      {"%nsmid", "", Special::NSmId},
      {"%gridid", "", Special::GridId},
      {"%lanemask_eq", "", Special::MaskEq},
      {"%lanemask_le", "", Special::MaskLe},
      {"%lanemask_lt", "", Special::MaskLt},
      {"%lanemask_ge", "", Special::MaskGe},
      {"%lanemask_gt", "", Special::MaskGt},
      {"%dynamic_smem_size", "", Special::DynamicSharedSize},
      {"%total_smem_size", "", Special::TotalSharedSize},
      {"%envreg1", "", Special::GridSyncHigh},
      {"%envreg2", "", Special::GridSyncLow},
  };
  for (const auto &row : table) {
    if (operand.text != row.name || operand.member != row.member)
      continue;
    // %gridid is 64 bits wide since PTX 3.0; reading it narrower truncates.
    if (sizeOf(type) == 8 && row.kind == Special::GridId)
      return function.constant(1, 8);
    if (sizeOf(type) != 4)
      fail("special register " + operand.text + " has 32 bits, the instruction " +
           std::to_string(8 * sizeOf(type)));
    return function.special(row.kind, 0, 4);
  }
  return 0;
}

uint32_t Builder::source(const Operand &operand, Type type) {
  if (operand.kind == Operand::Name) {
    if (operand.negated)
      fail("'!' goes with predicates only");
    int found = registerOf(operand);
    if (found >= 0) {
      const RegisterInfo &info = function.registers[size_t(found)];
      if (operand.offset)
        fail("offsets belong in addresses");
      if (!compatible(info.type, type))
        fail("expected ." + std::string(nameOf(type)) + " for '" + operand.text + "', got ." +
             std::string(nameOf(info.type)));
      function.reads[index].push_back(found);
      return info.offset;
    }
    if (operand.text == "WARP_SZ" && isInteger(type))
      return function.constant(warpSize, sizeOf(type));
    if (uint32_t offset = specialRegister(operand, type))
      return offset;
    fail("unknown register " + describe(operand));
  }
  return literal(operand, type);
}

uint32_t Builder::destination(const Operand &operand, Type type) {
  if (operand.kind == Operand::Name && operand.text == "_")
    return function.scratch(sizeOf(type));
  int found = registerOf(operand);
  if (found < 0 || operand.negated || operand.offset)
    fail("expected a register as destination, got " + describe(operand));
  const RegisterInfo &info = function.registers[size_t(found)];
  if (!compatible(info.type, type))
    fail("expected ." + std::string(nameOf(type)) + " for '" + operand.text + "', got ." +
         std::string(nameOf(info.type)));
  function.writes[index].push_back(found);
  return info.offset;
}

uint32_t Builder::sourcePredicate(const Operand &operand, bool &negated) {
  negated = operand.negated;
  int found = registerOf(operand);
  if (found < 0 || function.registers[size_t(found)].type != Type::Pred)
    fail("expected a predicate, got " + describe(operand));
  function.reads[index].push_back(found);
  return function.registers[size_t(found)].offset;
}

uint32_t Builder::destinationPredicate(const Operand &operand) {
  if (operand.kind == Operand::Name && operand.text == "_")
    return function.scratch(4);
  int found = registerOf(operand);
  if (found < 0 || operand.negated || function.registers[size_t(found)].type != Type::Pred)
    fail("expected a predicate as destination, got " + describe(operand));
  function.writes[index].push_back(found);
  return function.registers[size_t(found)].offset;
}

uint32_t Builder::relaxedSource(const Operand &operand, Type type, unsigned &bytes) {
  bytes = sizeOf(type);
  int found = registerOf(operand);
  if (found < 0) {
    if (operand.kind != Operand::Name && bytes < 2 && operand.kind == Operand::Integer)
      return literal(operand, type);
    return source(operand, type);
  }
  const RegisterInfo &info = function.registers[size_t(found)];
  bytes = sizeOf(info.type);
  bool exact = isFloat(type) || type >= Type::F16x2;
  if (bytes < sizeOf(type) || info.type == Type::Pred ||
      (exact && !compatible(info.type, type) && !(isBits(info.type) && bytes >= sizeOf(type))))
    fail("expected ." + std::string(nameOf(type)) + " or wider for '" + operand.text + "', got ." +
         std::string(nameOf(info.type)));
  function.reads[index].push_back(found);
  return info.offset;
}

uint32_t Builder::relaxedDestination(const Operand &operand, Type type, unsigned &bytes) {
  bytes = sizeOf(type);
  if (operand.kind == Operand::Name && operand.text == "_")
    return function.scratch(bytes);
  int found = registerOf(operand);
  if (found < 0 || operand.negated || operand.offset)
    fail("expected a register as destination, got " + describe(operand));
  const RegisterInfo &info = function.registers[size_t(found)];
  bytes = sizeOf(info.type);
  bool exact = isFloat(type) || type >= Type::F16x2;
  if (bytes < sizeOf(type) || info.type == Type::Pred ||
      (exact && !compatible(info.type, type) && !isBits(info.type)))
    fail("expected ." + std::string(nameOf(type)) + " or wider for '" + operand.text + "', got ." +
         std::string(nameOf(info.type)));
  function.writes[index].push_back(found);
  return info.offset;
}

uint64_t Builder::immediate(const Operand &operand, const char *what) const {
  if (operand.kind != Operand::Integer)
    fail("expected a constant as " + std::string(what) + ", got " + describe(operand));
  return operand.bits;
}

uint32_t Builder::labelTarget(const Operand &operand) const {
  const Label *label =
      operand.kind == Operand::Name ? function.findLabel(ast.scope, operand.text) : nullptr;
  if (!label || !label->targets.empty() || label->isPrototype)
    fail("unknown label " + describe(operand));
  return uint32_t(label->instruction);
}

bool Builder::symbolAddress(const std::string &name, int64_t offset, uint32_t &frameOffset,
                            Space &space) {
  const Function &ast = function.function;
  auto shared = [&](const Variable &variable, uint64_t at) {
    space = Space::Shared;
    frameOffset = variable.unsized
                      ? function.special(Special::DynamicShared,
                                         variable.align | uint64_t(uint32_t(offset)) << 32, 8)
                      : function.constant(at + uint64_t(offset), 8);
    return true;
  };
  if (int local = function.findVariable(this->ast.scope, name); local >= 0) {
    const Variable &variable = ast.variables[size_t(local)];
    uint64_t at = function.variableOffsets[size_t(local)];
    if (variable.space == Space::Shared)
      return shared(variable, at);
    space = variable.space;
    frameOffset = function.special(Special::LocalAddress, at + uint64_t(offset), 8);
    return true;
  }
  for (const auto *slots : {&function.code.parameters, &function.code.returns})
    for (const ParameterSlot &slot : *slots)
      if (slot.name == name) {
        space = Space::Param;
        frameOffset = ast.isEntry ? function.constant(slot.offset + uint64_t(offset), 8)
                                  : function.special(Special::LocalAddress,
                                                     slot.offset + uint64_t(offset), 8);
        return true;
      }
  if (const Program::Symbol *symbol = function.program.symbol(name)) {
    const Variable &variable = *symbol->variable;
    if (variable.space == Space::Shared) {
      auto found = function.sharedOffsets.find(name);
      return shared(variable, found == function.sharedOffsets.end() ? 0 : found->second);
    }
    space = variable.space;
    frameOffset = function.constant(symbol->allocation->base + uint64_t(offset), 8);
    return true;
  }
  if (uint64_t address = function.program.functionAddress(name)) {
    space = Space::None;
    frameOffset = function.constant(address, 8);
    return true;
  }
  return false;
}

void Builder::address(const Operand &operand, Space space) {
  if (operand.kind != Operand::Address)
    fail("expected an address, got " + describe(operand));
  inst.space = space;
  inst.narrowAddress = false;
  inst.imm = 0;
  if (operand.text.empty()) {
    inst.a = function.constant(uint64_t(operand.offset), 8);
    return;
  }
  int found = function.findRegister(ast.scope, operand.text);
  if (found >= 0) {
    const RegisterInfo &info = function.registers[size_t(found)];
    unsigned bytes = sizeOf(info.type);
    bool narrowSpace = space == Space::Shared || space == Space::Local || space == Space::Param ||
                       space == Space::Const;
    if (isFloat(info.type) || (bytes != 8 && !(bytes == 4 && narrowSpace)))
      fail("expected a 64-bit address register, got '" + operand.text + "' of ." +
           std::string(nameOf(info.type)));
    function.reads[index].push_back(found);
    inst.a = info.offset;
    inst.narrowAddress = bytes == 4;
    inst.imm = operand.offset;
    return;
  }
  Space home;
  if (!symbolAddress(operand.text, operand.offset, inst.a, home) || home == Space::None)
    fail("unknown symbol '" + operand.text + "'");
  // A parameter of a function lives with the locals of its frame.
  if (home == Space::Param && !function.function.isEntry && space == Space::Param)
    inst.space = Space::Local;
  else if (home == Space::Param && space == Space::Param &&
           function.findVariable(ast.scope, operand.text) >= 0)
    inst.space = Space::Local;
  else if (space == Space::Generic && (home == Space::Shared || home == Space::Local))
    // An address without cvta is a state-space address: nothing says that this was meant.
    fail("'" + operand.text + "' is a ." + std::string(nameOf(home)) +
         " variable, the access is generic");
  else if (home != space && !(space == Space::Generic))
    fail("'" + operand.text + "' is a ." + std::string(nameOf(home)) + " variable, the access ." +
         std::string(nameOf(space)));
}

uint32_t Builder::hiddenPredicate(const std::string &name, bool reads, bool writes) {
  auto [entry, isNew] =
      function.registerIndex.try_emplace({-1, name}, int(function.registers.size()));
  if (isNew) {
    RegisterInfo info;
    info.name = name;
    info.type = Type::Pred;
    info.offset = function.scratch(4);
    function.registers.push_back(std::move(info));
  }
  if (reads)
    function.reads[index].push_back(entry->second);
  if (writes)
    function.writes[index].push_back(entry->second);
  return function.registers[size_t(entry->second)].offset;
}

void Builder::markMove() { function.moves[index] = true; }
