// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeGen.h"

#include "../Machine.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace mlir;
using namespace sawtooth;

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
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::unique_ptr<llvm::TargetMachine> machine =
      createMachine(llvm::Triple("nvptx64-nvidia-cuda"), chip, std::nullopt, location);
  if (!machine || failed(checkComplete(module, location)))
    return failure();
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr("no-builtins"); // no calls of memset and the like
      function.setDoesNotThrow();
    }
  // An object is made of the text, by ptxas. A thread's vectors are for accesses: on newer chips
  // LLVM would compute with pairs, which must lie in neighbouring registers, and so costs more of
  // them.
  return emitModule(module, *machine, /*scalars=*/true,
                    kind == OutputKind::LLVM ? kind : OutputKind::Assembly, location);
}
