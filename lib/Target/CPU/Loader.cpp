// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chips.h"
#include "CodeGen.h"

#include "sawtooth/runtime/Abi.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace sawtooth;

namespace {

class OrcObject final : public LoadedObject {
public:
  const SawtoothArtifact *getArtifact() const final { return artifact; }

  std::unique_ptr<llvm::orc::LLJIT> jit;
  const SawtoothArtifact *artifact = nullptr;
};

} // namespace

std::unique_ptr<LoadedObject> sawtooth::loadObject(StringRef object, const Chip &chip,
                                                   Location location) {
  auto fail = [&](llvm::Error error) {
    emitError(location, "internal error: loading failed: ") << llvm::toString(std::move(error));
    return nullptr;
  };
  if (failed(checkRuns(chip.name, inspectHost(), location)))
    return nullptr;
  // The object needs nothing from the process, and has nothing to initialise.
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(llvm::orc::JITTargetMachineBuilder(
                     llvm::Triple(llvm::sys::getProcessTriple())))
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit)
    return fail(jit.takeError());
  if (llvm::Error error =
          (*jit)->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, "sawtooth")))
    return fail(std::move(error));
  llvm::Expected<llvm::orc::ExecutorAddr> query = (*jit)->lookup("sawtooth_query");
  if (!query)
    return fail(query.takeError());
  auto loaded = std::make_unique<OrcObject>();
  loaded->artifact = query->toPtr<SawtoothQuery *>()(SAWTOOTH_ABI_VERSION);
  loaded->jit = std::move(*jit);
  return loaded;
}
