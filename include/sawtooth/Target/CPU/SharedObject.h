// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From object files to an artifact: one ELF shared object that holds the code for several chips.
#ifndef SAWTOOTH_TARGET_CPU_SHAREDOBJECT_H
#define SAWTOOTH_TARGET_CPU_SHAREDOBJECT_H

#include "sawtooth/runtime/ArtifactInfo.h"

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace sawtooth {

/// The code of a module for one chip, or for several GPUs.
struct ChipObject {
  std::vector<std::string> chips;    ///< as `--chip` takes them
  std::vector<std::string> features; ///< that the machine must have, of CpuFeatures.def
  std::string query;                 ///< the one symbol that it exports
  std::string object;                ///< a relocatable ELF file that needs no symbol
  std::string plan;                  ///< the bytes of its plan, which stand in the object
  std::vector<runtime::ArtifactKernel> kernels; ///< of its cubins
};

/// The ld.lld to use: `given` if it is not empty, else the one that lies beside the LLVM that this
/// was built with.
std::string chooseLinker(llvm::StringRef given);

/// Links relocatable ELF files into a shared object, in memory: neither input nor output touches a
/// folder. The same inputs give the same bytes. Says at `location` what is wrong and fails; without
/// a linker it says what can be had without.
mlir::FailureOr<std::string> linkSharedObject(llvm::ArrayRef<llvm::StringRef> objects,
                                              llvm::StringRef linker, mlir::Location location);

/// An artifact file (docs/artifact.md) with the code of `chips`, from the least demanding to the
/// most, and `notes` behind what it says of itself.
mlir::FailureOr<std::string>
createArtifact(llvm::ArrayRef<ChipObject> chips,
               llvm::ArrayRef<std::pair<std::string, std::string>> notes, llvm::StringRef linker,
               mlir::Location location);

} // namespace sawtooth

#endif // SAWTOOTH_TARGET_CPU_SHAREDOBJECT_H
