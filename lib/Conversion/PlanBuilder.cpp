// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Conversion/PlanBuilder.h"

#include "sawtooth/Conversion/KernelAbi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <type_traits>
#include <vector>

using namespace mlir;
using namespace sawtooth;

// Rows repeated by amp.repeat are written out; this many are a mistake.
static constexpr size_t maximumProgramSteps = size_t(1) << 20;

namespace {

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
  PlanBuilder(ModuleOp module, const Layout &layout, ArrayRef<StepPlan> stepPlans)
      : module(module), layout(layout), stepPlans(stepPlans) {}

  LogicalResult build();
  std::string serialize(StringRef target, StringRef chip);

private:
  SawtoothString string(StringRef text);
  SawtoothString locationOf(Operation *op);
  void addModels();
  LogicalResult addLists();
  LogicalResult addInit(sweep::ListOp list, StringRef glob, Attribute value, uint32_t stream);
  LogicalResult addFields();
  LogicalResult addStep(const StepLayout &step, const StepPlan &plan);
  LogicalResult addArguments(const StepLayout &step, SawtoothStepRow &row);
  void addLogs(const StepLayout &step, SawtoothStepRow &row);
  void addAction(const StepLayout &step, const ActionPlan &action);
  SawtoothRange addAccesses(ArrayAttr lists);
  SawtoothRange addNotes(std::optional<ArrayAttr> notes);
  LogicalResult addProgram(amp::ProgramOp program);
  LogicalResult addProgramSteps(Block &body, SawtoothProgramRow &row);
  LogicalResult addRun(amp::RunOp run);

  ModuleOp module;
  const Layout &layout;
  ArrayRef<StepPlan> stepPlans;

  std::string stringBytes;
  llvm::StringMap<uint32_t> stringOffsets; // from the start of stringBytes
  uint32_t functionCount = 0;
#define SAWTOOTH_TABLE(name, Row) std::vector<Row> name;
  SAWTOOTH_PLAN_TABLES(SAWTOOTH_TABLE)
#undef SAWTOOTH_TABLE
};

} // namespace

SawtoothString PlanBuilder::string(StringRef text) {
  auto [it, isNew] = stringOffsets.try_emplace(text, stringBytes.size());
  if (isNew) {
    stringBytes.append(text);
    stringBytes.push_back('\0');
  }
  return sizeof(SawtoothPlan) + it->second;
}

SawtoothString PlanBuilder::locationOf(Operation *op) {
  auto location = op->getLoc()->findInstanceOf<FileLineColLoc>();
  if (!location)
    return string("");
  return string((location.getFilename().getValue() + ":" + Twine(location.getLine()) + ":" +
                 Twine(location.getColumn()))
                    .str());
}

/// The bits of a constant in an 8-byte slot.
static FailureOr<uint64_t> slotBits(Operation *op, Attribute value, Type type) {
  if (auto number = dyn_cast<FloatAttr>(value); number && isa<FloatType>(type)) {
    llvm::APFloat converted = number.getValue();
    bool inexact;
    converted.convert(cast<FloatType>(type).getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                      &inexact);
    return converted.bitcastToAPInt().getZExtValue();
  }
  if (auto number = dyn_cast<IntegerAttr>(value); number && isa<IntegerType>(type)) {
    unsigned width = type.getIntOrFloatBitWidth();
    if (width == 1)
      return uint64_t(number.getValue().isZero() ? 0 : 1);
    return static_cast<uint64_t>(number.getValue().getSExtValue()) &
           llvm::maskTrailingOnes<uint64_t>(width);
  }
  op->emitError("expected a constant of type ") << type << ", got " << value;
  return failure();
}

void PlanBuilder::addModels() {
  for (const ModelInfo &info : layout.models()) {
    auto row = zeroed<SawtoothModelRow>();
    amp::ModelOp model = info.op;
    row.name = string(model.getSymName());
    row.tensors = {uint32_t(tensors.size()), uint32_t(info.tensors.size())};
    for (const TensorInfo &tensor : info.tensors) {
      auto tensorRow = zeroed<SawtoothTensorRow>();
      tensorRow.name = string(tensor.name);
      tensorRow.rank = tensor.dims.size();
      std::fill(std::begin(tensorRow.dims), std::end(tensorRow.dims), 1);
      llvm::copy(tensor.dims, tensorRow.dims);
      tensors.push_back(tensorRow);
    }
    models.push_back(row);
  }
}

LogicalResult PlanBuilder::addInit(sweep::ListOp list, StringRef glob, Attribute value,
                                   uint32_t stream) {
  auto row = zeroed<SawtoothInit>();
  row.glob = string(glob);
  row.stream = stream;
  row.source = SAWTOOTH_NONE;
  if (isa<amp::RequiredAttr>(value)) {
    row.kind = SAWTOOTH_INIT_REQUIRED;
  } else if (auto cast = dyn_cast<amp::CastAttr>(value)) {
    row.kind = SAWTOOTH_INIT_CAST;
    std::optional<unsigned> source = layout.findList(cast.getSource().getAttr());
    if (!source)
      return list.emitError("expected the name of a list to cast from, got ") << cast.getSource();
    row.source = *source;
  } else if (isa<amp::UniformAttr>(value)) {
    row.kind = SAWTOOTH_INIT_UNIFORM;
  } else if (auto normal = dyn_cast<amp::NormalAttr>(value)) {
    row.kind = SAWTOOTH_INIT_NORMAL;
    row.value = normal.getStd().getValueAsDouble();
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    row.kind = SAWTOOTH_INIT_CONSTANT;
    row.value = number.getValueAsDouble();
  } else {
    return list.emitError(
               "expected an initial value (a number, required, cast, uniform or normal), got ")
           << value;
  }
  inits.push_back(row);
  return success();
}

LogicalResult PlanBuilder::addLists() {
  uint32_t stream = 0;
  for (sweep::ListOp list : layout.lists()) {
    auto row = zeroed<SawtoothListRow>();
    row.name = string(list.getLabel());
    row.location = locationOf(list);
    row.kind = uint32_t(list.getKind());
    row.type = abiType(list.getTensors().getElementType());
    row.model = layout.modelNumber(list.getTensors().getModel());
    row.step = row.copyOf = SAWTOOTH_NONE;
    if (list.getStepAttr()) {
      std::optional<unsigned> step = layout.findStep(list.getStepAttr().getAttr());
      if (!step)
        return list.emitError("expected the name of a step, got ") << list.getStepAttr();
      row.step = *step;
    }
    if (list.getCopyOfAttr())
      row.copyOf = layout.listNumber(list.getCopyOfAttr());
    row.init.first = inits.size();
    if (list.getKind() == sweep::ListKind::State) {
      if (auto patterns = dyn_cast_or_null<amp::PatternsAttr>(list.getInitAttr())) {
        for (auto [glob, value] : llvm::zip_equal(patterns.getGlobs(), patterns.getValues()))
          if (failed(addInit(list, glob.getValue(), value, stream)))
            return failure();
      } else if (list.getInitAttr()) {
        if (failed(addInit(list, "*", list.getInitAttr(), stream)))
          return failure();
      } else if (!list.getCopyOfAttr()) {
        return list.emitError("expected an initial value of state, got none");
      }
      ++stream;
    }
    row.init.count = inits.size() - row.init.first;
    lists.push_back(row);
  }
  return success();
}

LogicalResult PlanBuilder::addFields() {
  for (const FieldInfo &info : layout.fields()) {
    sweep::FieldOp field = info.op;
    auto row = zeroed<SawtoothFieldRow>();
    row.name = string(field.getSymName());
    row.alias = string(field.getAlias().value_or(""));
    row.location = locationOf(field);
    row.type = abiType(field.getType());
    row.extent = info.model ? SAWTOOTH_PER_TENSOR : SAWTOOTH_PER_STEP;
    row.kind = uint32_t(field.getKind());
    row.role = uint32_t(field.getRole().value_or(amp::Role::None));
    row.model = info.model.value_or(SAWTOOTH_NONE);
    row.scaler = field.getScalerAttr()
                     ? layout.findScaler(field.getScalerAttr().getAttr()).value_or(SAWTOOTH_NONE)
                     : SAWTOOTH_NONE;
    row.offset = info.offset;
    row.patterns.first = patterns.size();
    if (auto byName = dyn_cast<amp::PatternsAttr>(field.getInit())) {
      for (auto [glob, value] : llvm::zip_equal(byName.getGlobs(), byName.getValues())) {
        FailureOr<uint64_t> bits = slotBits(field, value, field.getType());
        if (failed(bits))
          return failure();
        auto pattern = zeroed<SawtoothPattern>();
        pattern.glob = string(glob.getValue());
        pattern.value = *bits;
        patterns.push_back(pattern);
      }
    } else {
      FailureOr<uint64_t> bits = slotBits(field, field.getInit(), field.getType());
      if (failed(bits))
        return failure();
      row.initial = *bits;
    }
    row.patterns.count = patterns.size() - row.patterns.first;
    fields.push_back(row);
  }
  for (sweep::ScalerOp scaler : layout.scalers())
    scalers.push_back({string(scaler.getSymName()), string(scaler.getPolicy())});
  return success();
}

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

void PlanBuilder::addAction(const StepLayout &step, const ActionPlan &action) {
  auto row = zeroed<SawtoothActionRow>();
  row.name = string(action.function);
  row.kind = action.kind;
  row.function = functionCount++;
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
    addAction(step, action);
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

LogicalResult PlanBuilder::addProgramSteps(Block &body, SawtoothProgramRow &row) {
  for (Operation &op : body) {
    if (auto repeat = dyn_cast<amp::RepeatOp>(op)) {
      for (int64_t i = 0, e = repeat.getCount(); i < e; ++i)
        if (failed(addProgramSteps(repeat.getBody().front(), row)))
          return failure();
      continue;
    }
    auto run = dyn_cast<amp::RunOp>(op);
    if (!run)
      return op.emitOpError("expected only amp.run and amp.repeat in a program");
    std::optional<unsigned> step =
        run.getStepAttr() ? layout.findStep(run.getStepAttr().getAttr()) : std::nullopt;
    if (!step)
      return run.emitOpError("expected the name of a step");
    if (++row.steps.count > maximumProgramSteps)
      return run.emitOpError("expected a program of at most ")
             << maximumProgramSteps << " steps, got more";
    indices.push_back({*step});
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
std::string PlanBuilder::serialize(StringRef target, StringRef chip) {
  auto header = zeroed<SawtoothPlan>();
  header.magic = SAWTOOTH_PLAN_MAGIC;
  header.abi = SAWTOOTH_ABI_VERSION;
  header.headerBytes = sizeof(SawtoothPlan);
  header.stateBytes = layout.stateBytes();
  header.perTensorFields = layout.perTensorFields();
  header.target = string(target);
  header.chip = string(chip);
  auto file = module->getLoc()->findInstanceOf<FileLineColLoc>();
  header.source = string(file ? file.getFilename().getValue() : "");

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
                                           ArrayRef<StepPlan> steps, StringRef target,
                                           StringRef chip) {
  PlanBuilder builder(module, layout, steps);
  if (failed(builder.build()))
    return failure();
  return builder.serialize(target, chip);
}
