// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a target is to the compiler: a class that knows chips and turns a module in the llvm dialect
// into code. A registry, owned by whoever compiles, finds it by name.
#ifndef SAWTOOTH_TARGET_TARGETBACKEND_H
#define SAWTOOTH_TARGET_TARGETBACKEND_H

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>
#include <vector>

struct SawtoothArtifact;

namespace sawtooth {

/// Code in this process: functions that are linked into it, or images for a driver.
class LoadedObject {
public:
  virtual ~LoadedObject();
  /// Lives as long as this does.
  virtual const SawtoothArtifact *getArtifact() const = 0;
};

/// A chip that a backend has understood.
struct Chip {
  std::string name;     // as the user wrote it
  std::string cpu;      // LLVM's processor
  std::string features; // LLVM's feature string
  unsigned width = 0;   // f32 lanes of a vector
  /// Features that a machine must have to run the code, beyond those that every machine of the
  /// target has.
  std::vector<std::string> required;
};

enum class OutputKind { LLVM, Assembly, Object };

class TargetBackend {
public:
  virtual ~TargetBackend();
  virtual llvm::StringRef getName() const = 0;
  /// Names that resolveChip takes.
  virtual std::vector<llvm::StringRef> getChips() const = 0;
  /// Says at `location` why not, and fails, if there is no such chip.
  virtual mlir::FailureOr<Chip> resolveChip(llvm::StringRef name,
                                            mlir::Location location) const = 0;
  /// Adds what emit() needs to translate from MLIR.
  virtual void registerTranslations(mlir::DialectRegistry &registry) const = 0;
  /// Text or an object file for a module in the llvm dialect.
  virtual mlir::FailureOr<std::string> emit(mlir::ModuleOp module, const Chip &chip,
                                            OutputKind kind) const = 0;
  /// The code of such a module in this process. Says at the module what is wrong, and returns null,
  /// also when this machine lacks what `chip` has.
  virtual std::unique_ptr<LoadedObject> load(mlir::ModuleOp module, const Chip &chip) const = 0;
};

class TargetRegistry {
public:
  void add(std::unique_ptr<TargetBackend> backend) { backends.push_back(std::move(backend)); }
  /// Says at `location` which targets there are, and returns null, if `name` is none.
  const TargetBackend *find(llvm::StringRef name, mlir::Location location) const;
  void registerTranslations(mlir::DialectRegistry &registry) const;
  llvm::ArrayRef<std::unique_ptr<TargetBackend>> all() const { return backends; }

private:
  std::vector<std::unique_ptr<TargetBackend>> backends;
};

} // namespace sawtooth

#endif // SAWTOOTH_TARGET_TARGETBACKEND_H
