// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exec/Program.h"
#include "decode/Builder.h"
#include "exec/Chips.h"
#include "memory/Memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

using namespace ptxsim;

static constexpr uint64_t maxConstantBytes = 64u << 10; // PTX ISA, "Constant State Space"

Program::Program(Module module, DeviceMemory &memory, const LoadOptions &options)
    : ast(std::move(module)), memory(memory), options(options) {
  if (!targetNumber(ast.target))
    ast.source->fail(1, "unknown target '" + ast.target + "'");
  if (targetNumber(ast.target) < 70)
    ast.source->fail(1, "expected target sm_70 or above, got " + ast.target);
  for (size_t i = 0; i < ast.functions.size(); ++i)
    byName.emplace(ast.functions[i].name, i);
  try {
    placeVariables();
    placeDeviceShared();
    decode();
    computeStacks();
  } catch (...) {
    for (auto &[name, symbol] : symbols)
      if (symbol.allocation)
        memory.release(symbol.allocation->base);
    throw;
  }
}

Program::~Program() {
  for (auto &[name, symbol] : symbols)
    if (symbol.allocation)
      memory.release(symbol.allocation->base);
}

void Program::placeVariables() {
  uint64_t constants = 0;
  for (const Variable &variable : ast.variables) {
    Symbol symbol;
    symbol.variable = &variable;
    auto [entry, isNew] = symbols.emplace(variable.name, symbol);
    if (!isNew) {
      // An extern declaration may come before its definition.
      if (!variable.isExtern && !entry->second.variable->isExtern)
        ast.source->fail(variable.line, "variable '" + variable.name + "' is defined twice");
      if (!variable.isExtern)
        entry->second.variable = &variable;
    }
  }
  for (auto &[name, symbol] : symbols) {
    const Variable &variable = *symbol.variable;
    if (variable.space == Space::Shared)
      continue;
    if (variable.isExtern)
      ast.source->fail(variable.line, "unresolved extern variable '" + name + "'");
    bool isConstant = variable.space == Space::Const;
    if (isConstant && (constants += variable.bytes()) > maxConstantBytes)
      ast.source->fail(variable.line, "constant variables: expected at most 65536 bytes");
    symbol.allocation = memory.allocate(
        variable.bytes(), variable.align,
        isConstant ? AllocationKind::Constant : AllocationKind::Global, "variable '" + name + "'");
    if (!symbol.allocation)
      ast.source->fail(variable.line, "out of device memory for variable '" + name + "'");
  }
  for (auto &[name, symbol] : symbols)
    if (symbol.allocation)
      initialise(*symbol.variable, *symbol.allocation);
}

/// PTX ISA, "Initializers": variables without one are zero.
void Program::initialise(const Variable &variable, Allocation &allocation) {
  std::memset(allocation.host, 0, allocation.size);
  allocation.written.mark(0, allocation.size);
  allocation.readOnly = variable.space == Space::Const;
  unsigned bytes = sizeOf(variable.type);
  for (size_t i = 0; i < variable.initial.size(); ++i) {
    const Initial &item = variable.initial[i];
    uint64_t bits = item.value.bits;
    if (item.value.kind == Operand::Name) {
      if (uint64_t address = functionAddress(item.value.text)) {
        bits = address;
      } else {
        const Symbol *other = symbol(item.value.text);
        if (!other || !other->allocation)
          ast.source->fail(variable.line,
                           "unknown symbol '" + item.value.text + "' in initialiser");
        bits = other->allocation->base + uint64_t(item.value.offset);
      }
      if (bytes != 8)
        ast.source->fail(variable.line, "an address needs a 64-bit element");
    } else if (item.value.kind == Operand::Float64 && bytes == 4) {
      bits = std::bit_cast<uint32_t>(float(std::bit_cast<double>(bits)));
    } else if (item.value.kind == Operand::Float32 && bytes == 8) {
      bits = std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(bits))));
    } else if (item.value.kind == Operand::Integer && isFloat(variable.type) && bytes >= 4) {
      bits = bytes == 4 ? std::bit_cast<uint32_t>(float(int64_t(bits)))
                        : std::bit_cast<uint64_t>(double(int64_t(bits)));
    }
    std::memcpy(allocation.host + i * bytes, &bits, std::min(bytes, 8u));
  }
}

void Program::placeDeviceShared() {
  auto place = [this](const Variable &variable) {
    placed.bytes = (placed.bytes + variable.align - 1) / variable.align * variable.align;
    uint64_t at = placed.bytes;
    placed.bytes += variable.bytes();
    if (placed.bytes > (256u << 10))
      ast.source->fail(variable.line,
                       "variable '" + variable.name + "' is too large for its space");
    return at;
  };
  for (const Function &function : ast.functions) {
    if (function.isEntry)
      continue;
    for (size_t i = 0; i < function.variables.size(); ++i)
      if (function.variables[i].space == Space::Shared)
        placed.function[{function.name, i}] = place(function.variables[i]);
    std::function<void(const Operand &)> visit = [&](const Operand &operand) {
      if (const Symbol *named = operand.text.empty() ? nullptr : symbol(operand.text);
          named && named->variable->space == Space::Shared && !named->variable->unsized &&
          !placed.module.count(operand.text))
        placed.module[operand.text] = place(*named->variable);
      for (const Operand &part : operand.parts)
        visit(part);
    };
    for (const Instruction &instruction : function.body)
      for (const Operand &operand : instruction.operands)
        visit(operand);
  }
}

void Program::decode() {
  for (const Function &function : ast.functions) {
    codes.push_back(std::make_unique<Code>());
    codes.back()->name = function.name;
    codes.back()->isEntry = function.isEntry;
    codes.back()->ast = &function;
  }
  for (size_t i = 0; i < ast.functions.size(); ++i)
    if (ast.functions[i].hasBody)
      FunctionBuilder(*this, ast.functions[i], *codes[i], options.approx).build();
  for (size_t i = 0; i < codes.size(); ++i)
    for (CallSite &site : codes[i]->calls) {
      if (site.calleeName.empty())
        continue;
      const Code *callee = function(site.calleeName);
      if (callee && callee->ast->hasBody) {
        site.callee = callee;
        bool match = callee->parameters.size() == site.argumentBytes.size() &&
                     callee->returns.size() == site.resultBytes.size();
        for (size_t j = 0; match && j < callee->parameters.size(); ++j)
          match = callee->parameters[j].bytes == site.argumentBytes[j];
        for (size_t j = 0; match && j < callee->returns.size(); ++j)
          match = callee->returns[j].bytes == site.resultBytes[j];
        if (!match)
          ast.source->fail(callee->ast->line, "function '" + callee->name +
                                                  "' is called with other parameters than it has");
      } else if (site.calleeName != "vprintf" && site.calleeName != "__assertfail") {
        ast.source->fail(
            codes[i]->ast->line,
            "function '" + codes[i]->name + "' calls '" + site.calleeName +
                "', which has no body; of extern functions vprintf and __assertfail exist");
      }
    }
}

/// Local memory of a call chain; recursion and indirect calls get the stack limit on top.
void Program::computeStacks() {
  enum State : uint8_t { Fresh, Open, Done };
  std::map<const Code *, State> states;
  // An explicit stack: the call graph of a hostile module may be a long chain.
  for (auto &root : codes) {
    std::vector<std::pair<Code *, size_t>> stack{{root.get(), 0}};
    while (!stack.empty()) {
      Code *code = stack.back().first;
      size_t &next = stack.back().second;
      State &state = states[code];
      if (state == Done) {
        stack.pop_back();
        continue;
      }
      if (state == Fresh) {
        state = Open;
        code->stackBytes = code->localBytes;
      }
      if (next < code->calls.size()) {
        const CallSite &site = code->calls[next++];
        if (!site.callee) {
          code->hasIndirectCalls |= site.calleeName.empty();
          continue;
        }
        auto *callee = const_cast<Code *>(site.callee);
        State other = states[callee];
        if (other == Fresh)
          stack.push_back({callee, 0});
        else if (other == Open)
          code->recursive = true;
        continue;
      }
      uint32_t own = (code->localBytes + 31) / 32 * 32;
      for (const CallSite &site : code->calls)
        if (site.callee) {
          code->stackBytes = std::max(code->stackBytes, own + site.callee->stackBytes);
          code->recursive |= site.callee->recursive;
          code->hasIndirectCalls |= site.callee->hasIndirectCalls;
        }
      code->stackBytes = std::min<uint32_t>(code->stackBytes, 8u << 20);
      states[code] = Done;
      stack.pop_back();
    }
  }
}

const Code *Program::function(const std::string &name) const {
  auto found = byName.find(name);
  return found == byName.end() || found->second >= codes.size() ? nullptr
                                                                : codes[found->second].get();
}

const Code *Program::entry(const std::string &name) const {
  const Code *code = function(name);
  return code && code->isEntry && code->ast->hasBody ? code : nullptr;
}

std::vector<std::string> Program::entryNames() const {
  std::vector<std::string> names;
  for (const auto &code : codes)
    if (code->isEntry && code->ast->hasBody)
      names.push_back(code->name);
  return names;
}

uint64_t Program::functionAddress(const std::string &name) const {
  auto found = byName.find(name);
  return found == byName.end() ? 0 : codeBase + 16 * (found->second + 1);
}

const Code *Program::functionAt(uint64_t address) const {
  uint64_t number = (address - codeBase) / 16;
  if (address <= codeBase || (address - codeBase) % 16 || number > codes.size())
    return nullptr;
  const Code *code = codes[number - 1].get();
  return code->ast->hasBody ? code : nullptr;
}

const Program::Symbol *Program::symbol(const std::string &name) const {
  auto found = symbols.find(name);
  return found == symbols.end() ? nullptr : &found->second;
}
