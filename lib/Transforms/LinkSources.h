// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where amp-link finds the definitions of names: imported files, then the built-in ones.
#ifndef SAWTOOTH_LIB_TRANSFORMS_LINKSOURCES_H
#define SAWTOOTH_LIB_TRANSFORMS_LINKSOURCES_H

#include "amp/Amp.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

namespace sawtooth {

class LinkSources {
public:
  explicit LinkSources(mlir::MLIRContext *context) : context(context) {}

  /// Reads the file that `import` names, relative to the file that holds `import`, and what that
  /// file imports in turn. Says what is wrong and fails when a file cannot be read, does not
  /// parse, holds more than definitions, or defines a name that another imported file defines.
  mlir::LogicalResult addImport(amp::ImportOp import);

  /// Path and XXH3-128 of the bytes of each imported file, in the order of reading. Paths are
  /// absolute where an import says so, else relative to the folder of the importing module.
  llvm::ArrayRef<std::pair<std::string, std::string>> getFilesRead() const { return filesRead; }

  /// The definition of `name`, or null. A built-in file that does not parse is said and null.
  mlir::Operation *lookup(llvm::StringRef name);

  /// Every name that imported or built-in files define for `kind` ("optimizer", "policy" or
  /// "layer"), sorted.
  llvm::SmallVector<std::string> getNames(llvm::StringRef kind) const;

private:
  mlir::LogicalResult collect(mlir::ModuleOp file);

  mlir::MLIRContext *context;
  llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>> files;
  llvm::StringMap<mlir::Operation *> imported;
  llvm::StringMap<mlir::ModuleOp> builtin;   ///< by path
  llvm::StringMap<bool> seen;                ///< real paths of the files read
  llvm::StringMap<std::string> writtenPaths; ///< by path as opened: as `filesRead` has it
  llvm::SmallVector<std::pair<std::string, std::string>> filesRead;
};

} // namespace sawtooth

#endif // SAWTOOTH_LIB_TRANSFORMS_LINKSOURCES_H
