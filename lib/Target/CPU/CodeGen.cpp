// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeGen.h"

#include "../Machine.h"

#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace mlir;
using namespace sawtooth;

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
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  std::unique_ptr<llvm::TargetMachine> machine =
      createMachine(llvm::Triple(llvm::sys::getProcessTriple()), chip, llvm::Reloc::PIC_, location);
  if (!machine)
    return failure();
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
  FailureOr<std::string> output = emitModule(module, *machine, /*scalars=*/false, kind, location);
  if (succeeded(output) && kind == OutputKind::Object && failed(checkComplete(*output, location)))
    return failure();
  return output;
}
