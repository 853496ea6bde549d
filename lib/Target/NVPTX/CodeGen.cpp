// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeGen.h"

#include "../Optimize.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace mlir;
using namespace sawtooth;

static std::unique_ptr<llvm::TargetMachine> createMachine(const Chip &chip, Location location) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    emitError(location, "no code generator for ") << triple.str() << ": " << error;
    return nullptr;
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, chip.cpu, chip.features, options, std::nullopt,
                                  std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    emitError(location, "no code generator for ") << triple.str() << " " << chip.cpu;
  return machine;
}

/// A call of a function that is not here could only be one of a library.
static LogicalResult checkComplete(llvm::Module &module, Location location) {
  for (llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic())
      return emitError(location, "internal error: generated code calls '")
             << function.getName() << "', which it does not define";
  return success();
}

FailureOr<std::string> sawtooth::generatePTX(llvm::Module &module, const Chip &chip,
                                             OutputKind kind, Location location) {
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(chip, location);
  if (!machine || failed(checkComplete(module, location)))
    return failure();
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr("no-builtins"); // no calls of memset and the like
      function.setDoesNotThrow();
    }
  std::string errors;
  collectErrors(module, errors);
  // A thread's vectors are for accesses. On newer chips LLVM would compute with pairs, which must
  // lie in neighbouring registers, and so costs more of them.
  optimizeModule(module, *machine, /*scalars=*/true);

  llvm::SmallString<0> output;
  llvm::raw_svector_ostream stream(output);
  if (kind == OutputKind::LLVM) {
    module.print(stream, nullptr);
    return output.str().str();
  }
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr, llvm::CodeGenFileType::AssemblyFile,
                                   /*DisableVerify=*/true))
    return emitError(location, "internal error: no emitter of PTX");
  codegen.run(module);
  if (!errors.empty())
    return emitError(location, "internal error: code generation failed: ") << errors;
  return output.str().str();
}
