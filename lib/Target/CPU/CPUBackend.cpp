// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chips.h"
#include "CodeGen.h"

#include "sawtooth/Target/CPU/CPU.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace sawtooth;

namespace {

class CPUBackend final : public TargetBackend {
public:
  StringRef getName() const final { return "cpu"; }
  std::vector<StringRef> getChips() const final {
    return {std::begin(chipNames), std::end(chipNames)};
  }

  FailureOr<Chip> resolveChip(StringRef name, Location location) const final {
    llvm::Triple triple(llvm::sys::getProcessTriple());
    if (triple.getArch() != llvm::Triple::x86_64)
      return emitError(location, "expected an x86-64 processor, got ") << triple.getArchName();
    return sawtooth::resolveChip(name, inspectHost(), location);
  }

  void registerTranslations(DialectRegistry &registry) const final {
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
  }

  FailureOr<std::string> emit(ModuleOp module, const Chip &chip, OutputKind kind) const final {
    auto llvmContext = std::make_unique<llvm::LLVMContext>();
    std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(module, *llvmContext);
    if (!llvmModule)
      return failure();
    return generateCode(*llvmModule, chip, kind, module.getLoc());
  }

  std::unique_ptr<LoadedObject> load(ModuleOp module, const Chip &chip) const final {
    FailureOr<std::string> object = emit(module, chip, OutputKind::Object);
    return succeeded(object) ? loadObject(*object, chip, module.getLoc()) : nullptr;
  }
};

} // namespace

std::unique_ptr<TargetBackend> sawtooth::createCPUBackend() {
  return std::make_unique<CPUBackend>();
}
