// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chips.h"
#include "CodeGen.h"

#include "sawtooth/Target/CPU/CPU.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
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
  std::vector<StringRef> getChips() const final { return {"native", "x86-64-v3", "x86-64-v4"}; }

  FailureOr<Chip> resolveChip(StringRef name, Location location) const final {
    llvm::Triple triple(llvm::sys::getProcessTriple());
    if (triple.getArch() != llvm::Triple::x86_64)
      return emitError(location, "expected an x86-64 processor, got ") << triple.getArchName();
    if (!llvm::is_contained(getChips(), name))
      return emitError(location, "expected a chip of target cpu, got '")
             << name << "'; there are " << llvm::join(getChips(), ", ");
    if (name != "native") {
      unsigned level = levelOfChip(name);
      return Chip{name.str(), name.str(), "", level == 4 ? 16u : 8u, featuresOfLevel(level)};
    }
    HostProcessor host = inspectHost();
    if (host.level == 0)
      return emitError(location,
                       "expected a processor of at least x86-64-v3 (AVX2, FMA, F16C), got ")
             << host.cpu;
    return Chip{name.str(), host.cpu, host.features, host.level == 4 ? 16u : 8u, host.required};
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
};

} // namespace

std::unique_ptr<TargetBackend> sawtooth::createCPUBackend() {
  return std::make_unique<CPUBackend>();
}
