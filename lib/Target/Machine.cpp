// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"

#include "Optimize.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace sawtooth;

std::unique_ptr<llvm::TargetMachine>
sawtooth::createMachine(const llvm::Triple &triple, const Chip &chip,
                        std::optional<llvm::Reloc::Model> relocations, Location location) {
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    emitError(location, "no code generator for ") << triple.str() << ": " << error;
    return nullptr;
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, chip.cpu, chip.features, options, relocations,
                                  std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    emitError(location, "no code generator for ") << triple.str() << " " << chip.cpu;
  return machine;
}

FailureOr<std::string> sawtooth::emitModule(llvm::Module &module, llvm::TargetMachine &machine,
                                            bool scalars, OutputKind kind, Location location) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  std::string errors;
  collectErrors(module, errors);
  optimizeModule(module, machine, scalars);

  llvm::SmallString<0> output;
  llvm::raw_svector_ostream stream(output);
  if (kind == OutputKind::LLVM) {
    module.print(stream, nullptr);
    return output.str().str();
  }
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, stream, nullptr,
                                  kind == OutputKind::Object ? llvm::CodeGenFileType::ObjectFile
                                                             : llvm::CodeGenFileType::AssemblyFile,
                                  /*DisableVerify=*/true))
    return emitError(location, "internal error: no emitter for this target");
  codegen.run(module);
  if (!errors.empty())
    return emitError(location, "internal error: code generation failed: ") << errors;
  return output.str().str();
}
