// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chips.h"
#include "CodeGen.h"

#include "sawtooth/Conversion/PlanBuilder.h"
#include "sawtooth/Target/NVPTX/NVPTX.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace sawtooth;

namespace {

/// Plan and PTX, as a driver loads them.
class Images final : public LoadedObject {
public:
  Images(std::string planBytes, std::string text, const GpuChip &chip)
      : plan((planBytes.size() + sizeof(uint64_t) - 1) / sizeof(uint64_t)), ptx(std::move(text)) {
    std::memcpy(plan.data(), planBytes.data(), planBytes.size());
    image = {.kind = SAWTOOTH_IMAGE_PTX,
             .chip = chip.capability,
             .suffix = uint32_t(chip.suffix),
             .ptx = chip.ptx,
             .bytes = ptx.size() + 1,
             .data = ptx.c_str()};
    artifact = {.abi = SAWTOOTH_ABI_VERSION,
                .functionCount = 0,
                .plan = reinterpret_cast<const SawtoothPlan *>(plan.data()),
                .functions = nullptr,
                .imageCount = 1,
                .images = &image};
  }
  const SawtoothArtifact *getArtifact() const final { return &artifact; }

private:
  std::vector<uint64_t> plan; // aligned as a plan must be
  std::string ptx;
  SawtoothImage image;
  SawtoothArtifact artifact;
};

class NVPTXBackend final : public TargetBackend {
public:
  explicit NVPTXBackend(StringRef ptxas) : ptxas(ptxas) {}

  StringRef getName() const final { return "nvptx"; }

  std::vector<StringRef> getChips() const final {
    std::vector<StringRef> names;
    for (const GpuChip &chip : gpuChips())
      names.push_back(chip.name);
    return names;
  }

  FailureOr<Chip> resolveChip(StringRef name, Location location) const final {
    const GpuChip *chip = findGpuChip(name);
    if (!chip)
      return emitError(location, "expected a chip of target nvptx, got '")
             << name << "'; there are " << llvm::join(getChips(), ", ");
    return Chip{name.str(), name.str(), "+ptx" + std::to_string(chip->ptx), 4u, {}};
  }

  void registerTranslations(DialectRegistry &registry) const final {
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  FailureOr<std::string> emit(ModuleOp module, const Chip &chip, OutputKind kind) const final {
    // The plan is for the host.
    OwningOpRef<ModuleOp> device = module.clone();
    (*device)->removeAttr(kPlanAttr);
    auto llvmContext = std::make_unique<llvm::LLVMContext>();
    std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(*device, *llvmContext);
    if (!llvmModule)
      return failure();
    FailureOr<std::string> text = generatePTX(*llvmModule, chip, kind, module.getLoc());
    if (failed(text) || kind != OutputKind::Object)
      return text;
    if (ptxas.empty())
      return module.emitError("no ptxas was given, and only that makes a cubin; PTX needs none");
    llvm::Expected<Cubin> cubin = assemblePTX(*text, chip.name, ptxas);
    if (!cubin)
      return module.emitError(llvm::toString(cubin.takeError()));
    return std::move(cubin->code);
  }

  std::unique_ptr<LoadedObject> load(ModuleOp module, const Chip &chip) const final {
    auto plan = module->getAttrOfType<StringAttr>(kPlanAttr);
    if (!plan) {
      module.emitError("internal error: no plan at stage llvm");
      return nullptr;
    }
    FailureOr<std::string> ptx = emit(module, chip, OutputKind::Assembly);
    if (failed(ptx))
      return nullptr;
    return std::make_unique<Images>(plan.getValue().str(), std::move(*ptx),
                                    *findGpuChip(chip.name));
  }

private:
  std::string ptxas;
};

} // namespace

std::unique_ptr<TargetBackend> sawtooth::createNVPTXBackend(StringRef ptxas) {
  return std::make_unique<NVPTXBackend>(ptxas);
}
