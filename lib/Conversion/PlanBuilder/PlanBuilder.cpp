// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tables.h"

#include "llvm/Support/Path.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace sawtooth;

// Rows repeated by amp.repeat are written out; this many are a mistake.
static constexpr size_t maximumProgramSteps = size_t(1) << 20;

SawtoothString PlanBuilder::string(StringRef text) {
  auto [it, isNew] = stringOffsets.try_emplace(text, stringBytes.size());
  if (isNew) {
    stringBytes.append(text);
    stringBytes.push_back('\0');
  }
  return sizeof(SawtoothPlan) + it->second;
}

/// Files go by name alone: the same module gives the same plan wherever it lies.
static StringRef nameOf(FileLineColLoc location) {
  return llvm::sys::path::filename(location.getFilename().getValue());
}

SawtoothString PlanBuilder::locationOf(Operation *op) {
  auto location = op->getLoc()->findInstanceOf<FileLineColLoc>();
  if (!location)
    return string("");
  return string(
      (nameOf(location) + ":" + Twine(location.getLine()) + ":" + Twine(location.getColumn()))
          .str());
}

LogicalResult PlanBuilder::addProgramSteps(Block &body, SawtoothProgramRow &row) {
  for (Operation &op : body) {
    if (auto repeat = dyn_cast<amp::RepeatOp>(op)) {
      // Once by walking, the rest by copying: a body may be empty and its count huge.
      size_t first = indices.size();
      if (failed(addProgramSteps(repeat.getBody().front(), row)))
        return failure();
      uint64_t body = indices.size() - first, count = repeat.getCount();
      uint64_t room = maximumProgramSteps - std::min(maximumProgramSteps, first - row.steps.first);
      if (body != 0 && count > room / body)
        return repeat.emitOpError("expected a program of at most ")
               << maximumProgramSteps << " steps, got more";
      for (uint64_t i = body; i < body * count; ++i)
        indices.push_back(indices[first + i - body]);
      row.steps.count = indices.size() - row.steps.first;
      continue;
    }
    auto run = dyn_cast<amp::RunOp>(op);
    if (!run)
      return op.emitOpError("expected only amp.run and amp.repeat in a program");
    std::optional<unsigned> step =
        run.getStepAttr() ? layout.findStep(run.getStepAttr().getAttr()) : std::nullopt;
    if (!step)
      return run.emitOpError("expected the name of a step");
    indices.push_back({*step});
    row.steps.count = indices.size() - row.steps.first;
  }
  return success();
}

LogicalResult PlanBuilder::addProgram(amp::ProgramOp program) {
  auto row = zeroed<SawtoothProgramRow>();
  row.name = string(program.getSymName());
  row.steps.first = indices.size();
  if (failed(addProgramSteps(program.getBody().front(), row)))
    return failure();
  programs.push_back(row);
  return success();
}

LogicalResult PlanBuilder::addRun(amp::RunOp run) {
  if (!runs.empty())
    return run.emitOpError("expected at most one amp.run in the module, got a second");
  auto row = zeroed<SawtoothRunRow>();
  row.batch = run.getBatch().value_or(UINT64_MAX);
  row.epochs = run.getEpochs().value_or(UINT64_MAX);
  row.seed = run.getSeed().value_or(UINT64_MAX);
  row.eval = SAWTOOTH_NONE;
  if (run.getEvalAttr()) {
    std::optional<unsigned> step = layout.findStep(run.getEvalAttr().getAttr());
    if (!step)
      return run.emitOpError("expected the name of a step to evaluate, got ") << run.getEvalAttr();
    row.eval = *step;
  }
  runs.push_back(row);
  return success();
}

LogicalResult PlanBuilder::build() {
  addModels();
  if (failed(addLists()) || failed(addFields()))
    return failure();
  for (auto [step, plan] : llvm::zip_equal(layout.steps(), stepPlans))
    if (failed(addStep(step, plan)))
      return failure();
  for (amp::ProgramOp program : module.getOps<amp::ProgramOp>())
    if (failed(addProgram(program)))
      return failure();
  for (amp::RunOp run : module.getOps<amp::RunOp>())
    if (failed(addRun(run)))
      return failure();
  return success();
}

/// Header, strings, then the tables in the order of the header, each aligned to 8 bytes.
std::string PlanBuilder::serialize(StringRef target) {
  auto header = zeroed<SawtoothPlan>();
  header.magic = SAWTOOTH_PLAN_MAGIC;
  header.abi = SAWTOOTH_ABI_VERSION;
  header.headerBytes = sizeof(SawtoothPlan);
  header.stateBytes = layout.stateBytes();
  header.perTensorFields = layout.perTensorFields();
  header.target = string(target);
  auto file = module->getLoc()->findInstanceOf<FileLineColLoc>();
  header.source = string(file ? nameOf(file) : "");

  std::string blob(sizeof(SawtoothPlan), '\0');
  blob += stringBytes;
  auto append = [&](SawtoothTable &table, const auto &rows) {
    blob.resize(llvm::alignTo(blob.size(), 8), '\0');
    table = {blob.size(), rows.size()};
    if (!rows.empty())
      blob.append(reinterpret_cast<const char *>(rows.data()), rows.size() * sizeof(rows[0]));
  };
#define SAWTOOTH_TABLE(name, Row) append(header.name, name);
  SAWTOOTH_PLAN_TABLES(SAWTOOTH_TABLE)
#undef SAWTOOTH_TABLE
  blob.resize(llvm::alignTo(blob.size(), 8), '\0');
  header.bytes = blob.size();
  std::memcpy(blob.data(), &header, sizeof(header));
  return blob;
}

FailureOr<std::string> sawtooth::buildPlan(ModuleOp module, const Layout &layout,
                                           ArrayRef<StepPlan> steps, StringRef target) {
  PlanBuilder builder(module, layout, steps);
  if (failed(builder.build()))
    return failure();
  return builder.serialize(target);
}
