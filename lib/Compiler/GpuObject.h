// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Code for GPUs in an artifact: one object for all chips, since they share the plan, with one or
// two images for each. The host's side of it is constants alone.
#ifndef SAWTOOTH_LIB_COMPILER_GPUOBJECT_H
#define SAWTOOTH_LIB_COMPILER_GPUOBJECT_H

#include "sawtooth/Target/CPU/SharedObject.h"
#include "sawtooth/Target/TargetBackend.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace sawtooth {

class GpuObject {
public:
  /// Takes the PTX of `code` for `chip`, and the cubin that `ptxas` makes of it, unless that is "".
  /// Warns at `location` when ptxas makes none: a driver compiles the PTX as well.
  mlir::LogicalResult add(const LoadedObject &code, const Chip &chip, llvm::StringRef ptxas,
                          mlir::Location location);

  bool empty() const { return object.chips.empty(); }

  /// An object file of the CPU `host` that hands out plan and images through the function `query`.
  mlir::FailureOr<ChipObject> emit(llvm::StringRef query, const TargetBackend &cpu,
                                   const Chip &host, mlir::Location location) const;

private:
  ChipObject object;
  mlir::SmallVector<mlir::Attribute> images; // rows of kImagesAttr
};

} // namespace sawtooth

#endif // SAWTOOTH_LIB_COMPILER_GPUOBJECT_H
