// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tables of a plan while they are filled: declarations (Declarations.cpp), steps (Steps.cpp),
// programs and the bytes (PlanBuilder.cpp).
#ifndef SAWTOOTH_LIB_CONVERSION_PLANBUILDER_TABLES_H
#define SAWTOOTH_LIB_CONVERSION_PLANBUILDER_TABLES_H

#include "sawtooth/Conversion/PlanBuilder.h"

#include "llvm/ADT/StringMap.h"

#include <type_traits>
#include <vector>

namespace sawtooth {

/// A row of zeros. Rows must have no hidden padding, whose bytes would be left to chance.
template <typename Row>
Row zeroed() {
  static_assert(std::has_unique_object_representations_v<Row> ||
                    (std::is_same_v<Row, SawtoothInit> && sizeof(Row) == 4 * 4 + 8),
                "give the row explicit padding");
  return Row();
}

class PlanBuilder {
public:
  PlanBuilder(mlir::ModuleOp module, const Layout &layout, mlir::ArrayRef<StepPlan> stepPlans)
      : module(module), layout(layout), stepPlans(stepPlans) {}

  mlir::LogicalResult build();
  std::string serialize(mlir::StringRef target);

private:
  SawtoothString string(mlir::StringRef text);
  SawtoothString locationOf(mlir::Operation *op);
  void addModels();
  mlir::LogicalResult addLists();
  mlir::LogicalResult addInit(sweep::ListOp list, mlir::StringRef glob, mlir::Attribute value,
                              uint32_t stream);
  mlir::LogicalResult addFields();
  mlir::LogicalResult addStep(const StepLayout &step, const StepPlan &plan);
  mlir::LogicalResult addArguments(const StepLayout &step, SawtoothStepRow &row);
  void addLogs(const StepLayout &step, SawtoothStepRow &row);
  void addAction(const StepLayout &step, const ActionPlan &action, bool hasFunction);
  SawtoothRange addAccesses(mlir::ArrayAttr lists);
  SawtoothRange addNotes(std::optional<mlir::ArrayAttr> notes);
  mlir::LogicalResult addProgram(amp::ProgramOp program);
  mlir::LogicalResult addProgramSteps(mlir::Block &body, SawtoothProgramRow &row);
  mlir::LogicalResult addRun(amp::RunOp run);

  mlir::ModuleOp module;
  const Layout &layout;
  mlir::ArrayRef<StepPlan> stepPlans;

  std::string stringBytes;
  llvm::StringMap<uint32_t> stringOffsets; // from the start of stringBytes
  uint32_t functionCount = 0;
#define SAWTOOTH_TABLE(name, Row) std::vector<Row> name;
  SAWTOOTH_PLAN_TABLES(SAWTOOTH_TABLE)
#undef SAWTOOTH_TABLE
};

/// The bits of a constant of `type` in an 8-byte slot. Says at `op` what is wrong and fails.
mlir::FailureOr<uint64_t> slotBits(mlir::Operation *op, mlir::Attribute value, mlir::Type type);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CONVERSION_PLANBUILDER_TABLES_H
