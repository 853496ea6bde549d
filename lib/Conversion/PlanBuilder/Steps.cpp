// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Steps: actions, arguments, logs, notes.
#include "Tables.h"

#include "sawtooth/Conversion/KernelAbi.h"

using namespace mlir;
using namespace sawtooth;

SawtoothRange PlanBuilder::addNotes(std::optional<ArrayAttr> attrs) {
  SawtoothRange range{uint32_t(notes.size()), 0};
  if (!attrs)
    return range;
  for (DictionaryAttr note : attrs->getAsRange<DictionaryAttr>()) {
    auto text = [&](StringRef key) {
      auto value = note.getAs<StringAttr>(key);
      return string(value ? value.getValue() : "");
    };
    notes.push_back({text("kind"), text("text")});
  }
  range.count = notes.size() - range.first;
  return range;
}

SawtoothRange PlanBuilder::addAccesses(ArrayAttr names) {
  SawtoothRange range{uint32_t(accesses.size()), uint32_t(names.size())};
  for (FlatSymbolRefAttr name : names.getAsRange<FlatSymbolRefAttr>())
    accesses.push_back(
        {layout.listNumber(name), elementBytes(layout.list(name).getTensors().getElementType())});
  return range;
}

void PlanBuilder::addAction(const StepLayout &step, const ActionPlan &action, bool hasFunction) {
  auto row = zeroed<SawtoothActionRow>();
  row.name = string(action.function);
  row.kind = action.kind;
  row.function = hasFunction ? functionCount++ : SAWTOOTH_NONE;
  row.model = row.flag = SAWTOOTH_NONE;
  row.units = action.units;
  if (sweep::PassOp pass = action.pass) {
    row.model = step.passes.at(pass).model;
    row.results = pass.getReductions().size();
    row.reads = addAccesses(pass.getReads());
    row.writes = addAccesses(pass.getWrites());
    row.notes = addNotes(pass.getNotes());
  }
  if (action.flag)
    row.flag = *action.flag;
  actions.push_back(row);
}

LogicalResult PlanBuilder::addArguments(const StepLayout &step, SawtoothStepRow &row) {
  sweep::StepOp op = step.op;
  row.args.first = args.size();
  row.tensorArgs.first = tensorArgs.size();
  for (BlockArgument argument : op.getBody().getArguments()) {
    unsigned number = argument.getArgNumber();
    auto name = op.getArgAttrOfType<StringAttr>(number, amp::kNameAttr);
    SawtoothString nameOffset = string(name ? name.getValue() : "arg" + std::to_string(number));
    if (auto tensor = dyn_cast<RankedTensorType>(argument.getType())) {
      if (!tensor.hasStaticShape() || tensor.getRank() > SAWTOOTH_MAX_RANK)
        return op.emitError("expected a tensor argument of static shape and at most ")
               << SAWTOOTH_MAX_RANK << " dimensions, got " << tensor;
      auto arg = zeroed<SawtoothTensorArgRow>();
      arg.name = nameOffset;
      auto batch = op.getArgAttrOfType<StringAttr>(number, amp::kBatchAttr);
      arg.batch = string(batch ? batch.getValue() : "");
      if (batch && tensor.getRank() > 0)
        row.batch = tensor.getDimSize(0);
      arg.type = abiType(tensor.getElementType());
      arg.rank = tensor.getRank();
      arg.slot = step.arguments[number];
      std::fill(std::begin(arg.dims), std::end(arg.dims), 1);
      llvm::copy(tensor.getShape(), arg.dims);
      tensorArgs.push_back(arg);
      continue;
    }
    auto arg = zeroed<SawtoothArgRow>();
    arg.name = nameOffset;
    arg.type = abiType(argument.getType());
    arg.offset = step.arguments[number];
    if (Attribute value = op.getArgAttr(number, amp::kDefaultAttr)) {
      FailureOr<uint64_t> bits = slotBits(op, value, argument.getType());
      if (failed(bits))
        return failure();
      arg.hasDefault = 1;
      arg.defaultValue = *bits;
    }
    args.push_back(arg);
  }
  row.args.count = args.size() - row.args.first;
  row.tensorArgs.count = tensorArgs.size() - row.tensorArgs.first;
  return success();
}

void PlanBuilder::addLogs(const StepLayout &step, SawtoothStepRow &row) {
  row.logs.first = logs.size();
  sweep::StepOp op = step.op;
  op.walk([&](sweep::LogOp log) {
    auto logRow = zeroed<SawtoothLogRow>();
    logRow.key = string(log.getKey());
    logRow.type = abiType(log.getValue().getType());
    logRow.reduce = uint32_t(log.getReduce());
    logRow.offset = step.logs.at(log);
    logs.push_back(logRow);
  });
  row.logs.count = logs.size() - row.logs.first;
  row.causes.first = causes.size();
  sweep::OutcomeOp outcome = step.outcome;
  for (StringAttr label : outcome.getLabels().getAsRange<StringAttr>())
    causes.push_back({string(label.getValue())});
  row.causes.count = causes.size() - row.causes.first;
}

LogicalResult PlanBuilder::addStep(const StepLayout &step, const StepPlan &plan) {
  auto row = zeroed<SawtoothStepRow>();
  sweep::StepOp op = step.op;
  row.name = string(op.getSymName());
  row.commits = op.getCommits();
  row.actions = {uint32_t(actions.size()), uint32_t(plan.actions.size())};
  for (const ActionPlan &action : plan.actions)
    addAction(step, action, /*hasFunction=*/plan.launches.empty());
  row.launches = {uint32_t(launches.size()), uint32_t(plan.launches.size())};
  uint32_t first = row.actions.first;
  for (const LaunchPlan &launch : plan.launches) {
    auto launchRow = zeroed<SawtoothLaunchRow>();
    launchRow.kernel = string(launch.kernel);
    launchRow.threads = launch.threads;
    launchRow.warpsPerRow = launch.warpsPerRow;
    launchRow.units = launch.units;
    launchRow.actions = {first, launch.actions};
    first += launch.actions;
    launches.push_back(launchRow);
  }
  if (failed(addArguments(step, row)))
    return failure();
  addLogs(step, row);
  row.notes = addNotes(op.getNotes());
  row.partials = step.partials;
  row.perTensorSlots = step.perTensorSlots;
  row.applied = step.applied;
  row.cause = step.cause.value_or(SAWTOOTH_NONE);
  auto counter = [&](StringRef name) -> uint32_t {
    auto symbol = StringAttr::get(op.getContext(), op.getSymName() + "." + name);
    return layout.findField(symbol).value_or(SAWTOOTH_NONE);
  };
  row.attemptedField = counter("attempted");
  row.appliedField = counter("applied");
  row.skippedField = counter("skipped");
  row.consecutiveField = counter("consecutive_skips");
  row.calibrationField = counter("calibration_skips");
  row.frameBytes = step.frameBytes;
  row.argsBytes = step.argsBytes;
  row.arenaBytes = plan.arenaBytes;
  row.lowerBound = op.getLowerBound().value_or(0);
  steps.push_back(row);
  return success();
}
