// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decoding of one function: names, layout of its variables and frame, matching of forms.

#include "decode/Builder.h"
#include "exec/Chips.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>

using namespace ptxsim;

// Far beyond what any compiler emits, small enough to allocate.
static constexpr uint64_t maxFrameBytes = 64u << 20;
static constexpr uint64_t maxLocalBytes = 1u << 20;
static constexpr uint64_t maxSharedBytes = 256u << 10;

FunctionBuilder::FunctionBuilder(const Program &program, const Function &function, Code &code,
                                 bool approx)
    : program(program), function(function), code(code), approx(approx) {}

void FunctionBuilder::fail(unsigned line, const std::string &message) const {
  program.source().fail(line, message);
}

uint32_t FunctionBuilder::allocate(unsigned bytes) {
  uint64_t size = uint64_t(bytes) * warpSize;
  uint64_t align = std::min<uint64_t>(size, 64);
  uint64_t at = (nextOffset + align - 1) / align * align;
  if (at + size > maxFrameBytes)
    fail(function.line, "function '" + function.name + "' uses too many registers");
  nextOffset = uint32_t(at + size);
  return uint32_t(at);
}

uint32_t FunctionBuilder::scratch(unsigned bytes) { return allocate(std::max(bytes, 4u)); }

int FunctionBuilder::findRegister(int scope, const std::string &name) {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  // `%r0` … `%r<n-1>`, without leading zeros.
  uint32_t number = 0;
  bool numbered =
      digits < name.size() && (name[digits] != '0' || digits + 1 == name.size()) &&
      std::from_chars(name.data() + digits, name.data() + name.size(), number).ec == std::errc();
  std::string range = numbered ? name.substr(0, digits) + "<" : std::string();
  for (int at = scope; at >= 0; at = function.scopes[size_t(at)].parent) {
    const auto &declared = function.scopes[size_t(at)].registers;
    auto found = declared.find(name);
    if (found == declared.end() && numbered) {
      found = declared.find(range);
      if (found != declared.end() && number >= found->second.count)
        found = declared.end();
    }
    if (found == declared.end())
      continue;
    auto [entry, isNew] = registerIndex.try_emplace({at, name}, int(registers.size()));
    if (isNew) {
      RegisterInfo info;
      info.name = name;
      info.type = found->second.type;
      // A predicate is one mask, not 32 lanes.
      if (info.type == Type::Pred) {
        nextOffset = (nextOffset + 3) / 4 * 4;
        info.offset = nextOffset;
        nextOffset += 4;
      } else {
        info.offset = allocate(sizeOf(info.type));
      }
      registers.push_back(std::move(info));
    }
    return entry->second;
  }
  return -1;
}

int FunctionBuilder::findVariable(int scope, const std::string &name) const {
  for (int at = scope; at >= 0; at = function.scopes[size_t(at)].parent) {
    const auto &declared = function.scopes[size_t(at)].variables;
    if (auto found = declared.find(name); found != declared.end())
      return found->second;
  }
  return -1;
}

const Label *FunctionBuilder::findLabel(int scope, const std::string &name) const {
  for (int at = scope; at >= 0; at = function.scopes[size_t(at)].parent) {
    const auto &declared = function.scopes[size_t(at)].labels;
    if (auto found = declared.find(name); found != declared.end())
      return &function.labels[size_t(found->second)];
  }
  return nullptr;
}

uint32_t FunctionBuilder::constant(uint64_t bits, unsigned bytes) {
  auto [entry, isNew] = constantIndex.try_emplace({bits, bytes}, 0);
  if (isNew) {
    size_t at = (constantBytes.size() + 63) / 64 * 64;
    constantBytes.resize(at + size_t(bytes) * warpSize);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(&constantBytes[at + lane * bytes], &bits, std::min(bytes, 8u));
    entry->second = constantTag | uint32_t(at);
  }
  return entry->second;
}

uint32_t FunctionBuilder::special(Special::Kind kind, uint64_t addend, unsigned bytes) {
  auto [entry, isNew] = specialIndex.try_emplace({kind, addend, bytes}, 0);
  if (isNew) {
    size_t at = (constantBytes.size() + 63) / 64 * 64;
    constantBytes.resize(at + size_t(bytes) * warpSize);
    entry->second = constantTag | uint32_t(at);
    code.specials.push_back({kind, entry->second, addend});
  }
  return entry->second;
}

static uint64_t place(uint64_t &next, const Variable &variable) {
  next = (next + variable.align - 1) / variable.align * variable.align;
  uint64_t at = next;
  next += variable.bytes();
  return at;
}

void FunctionBuilder::layOutVariables() {
  uint64_t local = 0, shared = 0, parameter = 0;
  auto slots = [&](const std::vector<Variable> &list, std::vector<ParameterSlot> &into,
                   uint64_t &next) {
    for (const Variable &variable : list) {
      if (variable.space == Space::Reg)
        fail(variable.line, "parameters in .reg space are not supported, use .param");
      into.push_back({variable.name, place(next, variable), variable.bytes(), variable.align});
      if (next > maxLocalBytes)
        fail(variable.line, "parameters are too large");
    }
  };
  slots(function.parameters, code.parameters, function.isEntry ? parameter : local);
  slots(function.returns, code.returns, local);
  code.parameterBytes = parameter;
  // PTX ISA, "Kernel Function Parameters": 4352 bytes, from PTX 8.1 on sm_70 and above 32764.
  uint64_t most = program.module().version >= 81 ? 32764 : 4352;
  if (parameter > most)
    fail(function.line, "kernel parameters: expected at most " + std::to_string(most) +
                            " bytes, got " + std::to_string(parameter));

  const Program::DeviceShared &device = program.deviceShared();
  bool calls = std::any_of(function.body.begin(), function.body.end(),
                           [](const Instruction &i) { return i.opcode == "call"; });
  shared = calls ? device.bytes : 0;
  variableOffsets.resize(function.variables.size());
  for (size_t i = 0; i < function.variables.size(); ++i) {
    const Variable &variable = function.variables[i];
    if (variable.space != Space::Shared)
      variableOffsets[i] = place(local, variable);
    else if (!function.isEntry)
      variableOffsets[i] = device.function.at({function.name, i});
    else if (!variable.unsized)
      variableOffsets[i] = place(shared, variable);
    if (local > maxLocalBytes || shared > maxSharedBytes)
      fail(variable.line, "variable '" + variable.name + "' is too large for its space");
  }
  // Module-scope shared variables take room only in the kernels that name them.
  std::set<std::string> named;
  auto visit = [&](auto &self, const Operand &operand) -> void {
    if (!operand.text.empty())
      named.insert(operand.text);
    for (const Operand &part : operand.parts)
      self(self, part);
  };
  for (const Instruction &instruction : function.body)
    for (const Operand &operand : instruction.operands)
      visit(visit, operand);
  for (const std::string &name : named) {
    const Program::Symbol *symbol = program.symbol(name);
    if (!symbol || symbol->variable->space != Space::Shared || symbol->variable->unsized)
      continue;
    if (auto found = device.module.find(name); found != device.module.end()) {
      sharedOffsets[name] = found->second;
      shared = std::max(shared, device.bytes);
      continue;
    }
    sharedOffsets[name] = place(shared, *symbol->variable);
    if (shared > maxSharedBytes)
      fail(symbol->variable->line, "variable '" + name + "' is too large for its space");
  }
  code.localBytes = uint32_t(local);
  code.sharedBytes = function.isEntry ? uint32_t(shared) : 0;
}

static std::string opcodeText(const Instruction &instruction) {
  std::string text = instruction.opcode;
  for (const std::string &modifier : instruction.modifiers)
    text += "." + modifier;
  return text;
}

void FunctionBuilder::decodeAll() {
  size_t count = function.body.size();
  code.insts.resize(count + 1);
  reads.resize(count + 1);
  writes.resize(count + 1);
  moves.resize(count + 1);
  unsigned target = targetNumber(program.module().target), version = program.module().version;
  std::vector<std::string_view> chosen;
  for (size_t i = 0; i < count; ++i) {
    const Instruction &instruction = function.body[i];
    Inst &inst = code.insts[i];
    inst.line = instruction.line;
    const ParsedForm *match = nullptr, *best = nullptr;
    std::vector<const ParsedForm *> rows = formsOf(instruction.opcode);
    if (rows.empty()) {
      std::string near = nearest(instruction.opcode, allBases());
      fail(instruction.line, "unknown instruction '" + instruction.opcode.substr(0, 60) + "'" +
                                 (near.empty() ? "" : "; did you mean '" + near + "'"));
    }
    size_t furthest = 0;
    for (const ParsedForm *row : rows) {
      if (matchForm(*row, instruction.modifiers, chosen)) {
        match = row;
        break;
      }
      size_t length = matchLength(*row, instruction.modifiers);
      if (!best || length > furthest) {
        best = row;
        furthest = length;
      }
    }
    if (!match) {
      std::string message = "unsupported form '" + opcodeText(instruction).substr(0, 120) + "'";
      if (furthest < instruction.modifiers.size())
        message += ": unexpected '." + instruction.modifiers[furthest].substr(0, 40) + "'";
      fail(instruction.line, message + "; the nearest form is " + best->form->pattern);
    }
    const Form &form = *match->form;
    if (target < form.sm)
      fail(instruction.line, "'" + opcodeText(instruction) + "' needs sm_" +
                                 std::to_string(form.sm) + ", the target is " +
                                 program.module().target);
    if (version < form.ptx)
      fail(instruction.line, "'" + opcodeText(instruction) + "' needs PTX " +
                                 std::to_string(form.ptx / 10) + "." +
                                 std::to_string(form.ptx % 10) + ", the module is " +
                                 std::to_string(version / 10) + "." + std::to_string(version % 10));
    if (form.approx && !approx)
      fail(instruction.line,
           "'" + opcodeText(instruction) + "' is not defined to the bit; allow it with approx=1");
    Builder builder(*this, instruction, inst, *match, chosen);
    if (!instruction.guard.empty()) {
      Operand guard;
      guard.text = instruction.guard;
      bool negated;
      inst.guard = builder.sourcePredicate(guard, negated);
      // Last in the list of reads: the guard is judged for all lanes of the group.
      inst.hasGuard = true;
      inst.guardNegated = instruction.guardNegated;
    }
    form.build(builder);
    if (inst.flow == Flow::Plain && !inst.run)
      fail(instruction.line, "unsupported form '" + opcodeText(instruction) + "'");
  }
  Inst &last = code.insts[count];
  last.flow = Flow::Return;
  last.line = count ? function.body[count - 1].line : function.line;
}

/// Moves the constants behind the registers, now that their place is known.
void FunctionBuilder::finishFrame() {
  uint32_t base = (nextOffset + 63) / 64 * 64;
  if (constantBytes.size() > maxFrameBytes)
    fail(function.line, "function '" + function.name + "' uses too many constants");
  auto fix = [&](uint32_t &offset) {
    if (offset & constantTag)
      offset = base + (offset & ~constantTag);
  };
  for (Inst &inst : code.insts) {
    for (uint32_t *field : {&inst.d, &inst.p, &inst.a, &inst.b, &inst.c, &inst.e, &inst.guard})
      fix(*field);
    for (uint32_t &field : inst.v)
      fix(field);
  }
  for (Special &special : code.specials)
    fix(special.offset);
  for (CallSite &site : code.calls)
    for (Transfer &transfer : site.arguments)
      if (transfer.fromRegister)
        fix(transfer.from);
  code.constantOffset = base;
  code.constants = std::move(constantBytes);
  code.frameBytes = base + uint32_t(code.constants.size());
}

void FunctionBuilder::build() {
  code.name = function.name;
  code.isEntry = function.isEntry;
  code.ast = &function;
  layOutVariables();
  decodeAll();
  findBlocks();
  findJoins();
  trackDefinitions();
  finishFrame();
}
