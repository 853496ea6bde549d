// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeGen.h"

#include "../Optimize.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace mlir;
using namespace sawtooth;

static std::unique_ptr<llvm::TargetMachine> createMachine(const Chip &chip, Location location) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    emitError(location, "no code generator for ") << triple.str() << ": " << error;
    return nullptr;
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, chip.cpu, chip.features, options, llvm::Reloc::PIC_,
                                  std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    emitError(location, "no code generator for ") << triple.str() << " " << chip.cpu;
  return machine;
}

/// Code must bring everything along: a call of libm or libgcc would round in its own way, and is
/// not there in every process.
static LogicalResult checkComplete(StringRef object, Location location) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "sawtooth"));
  if (!file)
    return emitError(location, "internal error: unreadable object: ")
           << llvm::toString(file.takeError());
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return emitError(location, "internal error: unreadable symbol in the object");
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty())
      return emitError(location, "internal error: generated code calls '")
             << *name << "', which it does not define";
  }
  return success();
}

FailureOr<std::string> sawtooth::generateCode(llvm::Module &module, const Chip &chip,
                                              OutputKind kind, Location location) {
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(chip, location);
  if (!machine)
    return failure();
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  std::string bits = std::to_string(32 * chip.width);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    // Full vectors also where LLVM would rather halve them, no calls of memset and the like, no
    // unwind tables.
    function.addFnAttr("prefer-vector-width", bits);
    function.addFnAttr("min-legal-vector-width", bits);
    function.addFnAttr("no-builtins");
    function.setDoesNotThrow();
  }
  std::string errors;
  collectErrors(module, errors);
  optimizeModule(module, *machine, /*scalars=*/false);

  llvm::SmallString<0> output;
  llvm::raw_svector_ostream stream(output);
  if (kind == OutputKind::LLVM) {
    module.print(stream, nullptr);
    return output.str().str();
  }
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr,
                                   kind == OutputKind::Object ? llvm::CodeGenFileType::ObjectFile
                                                              : llvm::CodeGenFileType::AssemblyFile,
                                   /*DisableVerify=*/true))
    return emitError(location, "internal error: no emitter of objects for this target");
  codegen.run(module);
  if (!errors.empty())
    return emitError(location, "internal error: code generation failed: ") << errors;
  if (kind == OutputKind::Object && failed(checkComplete(output, location)))
    return failure();
  return output.str().str();
}
