// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loaded module: decoded functions and the device addresses of its variables.

#ifndef PTXSIM_EXEC_PROGRAM_H
#define PTXSIM_EXEC_PROGRAM_H

#include "exec/Inst.h"

#include <map>

namespace ptxsim {

class DeviceMemory;

struct LoadOptions {
  bool approx = false;
};

class Program {
public:
  /// Places variables in `memory` and decodes every function. Throws SourceError.
  Program(Module module, DeviceMemory &memory, const LoadOptions &options);
  ~Program();
  Program(const Program &) = delete;

  const Code *entry(const std::string &name) const;
  const Code *function(const std::string &name) const;
  std::vector<std::string> entryNames() const;
  /// Function whose address a register holds; null when the number is no function.
  const Code *functionAt(uint64_t address) const;
  uint64_t functionAddress(const std::string &name) const; ///< 0 when there is none

  struct Symbol {
    const Variable *variable = nullptr;
    Allocation *allocation = nullptr; ///< of global and const variables
  };
  const Symbol *symbol(const std::string &name) const;

  /// Shared variables that device functions name have one place in every kernel that calls any.
  struct DeviceShared {
    std::map<std::string, uint64_t> module;                      ///< by name
    std::map<std::pair<std::string, size_t>, uint64_t> function; ///< by function and index
    uint64_t bytes = 0;
  };
  const DeviceShared &deviceShared() const { return placed; }

  const Module &module() const { return ast; }
  const Source &source() const { return *ast.source; }

private:
  void placeVariables();
  void initialise(const Variable &variable, Allocation &allocation);
  void computeStacks();

  void placeDeviceShared();
  void decode();

  DeviceShared placed;
  Module ast;
  DeviceMemory &memory;
  LoadOptions options;
  std::map<std::string, Symbol> symbols;
  std::vector<std::unique_ptr<Code>> codes; ///< in the order of the module
  std::map<std::string, size_t> byName;
};

} // namespace ptxsim

#endif
