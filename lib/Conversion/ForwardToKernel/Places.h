// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the tensors and scalars of an outlined function live.
#ifndef SAWTOOTH_CONVERSION_FORWARDTOKERNEL_PLACES_H
#define SAWTOOTH_CONVERSION_FORWARDTOKERNEL_PLACES_H

#include "sawtooth/Analysis/Layout.h"
#include "sawtooth/Conversion/KernelAbi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace sawtooth {

/// A place that a kernel reaches through its SawtoothCtx.
struct ForwardPlace {
  enum Kind {
    TensorArgument, ///< `number`: slot
    ListTensor,     ///< `model`, `list`, `number`: tensor
    Arena,          ///< `number`: bytes from its start
    Frame,          ///< `number`: bytes from its start
    Argument        ///< `number`: bytes from the start of the args block
  } kind;
  uint64_t number;
  unsigned model = 0, list = 0;

  /// Its address, !llvm.ptr.
  mlir::Value emit(KernelAbi &abi) const;
};

/// Places of all values of the callee of a sweep.forward, which is in normal form.
class ForwardPlaces {
public:
  /// Fails, with a diagnostic on `op`, when an input is nothing that a kernel can reach or a type
  /// is not that of its place. Layout has checked the numbers of arguments and results, and the
  /// shapes.
  static mlir::FailureOr<ForwardPlaces> compute(sweep::ForwardOp op, mlir::func::FuncOp callee,
                                                const Layout &layout, const StepLayout &step);

  /// Of an argument or a result of linalg.generic.
  const ForwardPlace &of(mlir::Value value) const { return places.at(value); }
  uint64_t arenaBytes() const { return arena; }

private:
  static mlir::LogicalResult checkTypes(sweep::ForwardOp op, mlir::func::FuncOp callee,
                                        const Layout &layout);
  mlir::LogicalResult placeInputs(sweep::ForwardOp op, mlir::func::FuncOp callee,
                                  const Layout &layout, const StepLayout &step);
  void placeOutputs(sweep::ForwardOp op, mlir::func::FuncOp callee, const Layout &layout,
                    const StepLayout &step);
  void placeTemporaries(mlir::func::FuncOp callee);

  llvm::DenseMap<mlir::Value, ForwardPlace> places;
  uint64_t arena = 0;
};

} // namespace sawtooth

#endif // SAWTOOTH_CONVERSION_FORWARDTOKERNEL_PLACES_H
