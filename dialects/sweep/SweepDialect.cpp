// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sweep/Sweep.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sawtooth::sweep;

#include "sweep/SweepDialect.cpp.inc"
#include "sweep/SweepEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "sweep/SweepTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "sweep/SweepAttrs.cpp.inc"

namespace {
/// Keeps constants inside the program or pass that uses them: outside they would cross a cut.
struct SweepFolds : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const final {
    return isa<ScalarOp, EachOp, PassOp>(region->getParentOp());
  }
};
} // namespace

void SweepDialect::initialize() {
  addInterfaces<SweepFolds>();
  addTypes<
#define GET_TYPEDEF_LIST
#include "sweep/SweepTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sweep/SweepAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "sweep/SweepOps.cpp.inc"
      >();
}
