// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan may come from a file, so nothing in it is believed before it was looked at here.
#include "PlanCheck.h"

#include "Cat.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Names.h"

#include <cstring>
#include <set>

namespace sawtooth::runtime {

#define EXPECT_PLAN(condition, ...)                                                                \
  do {                                                                                             \
    if (!(condition))                                                                              \
      return Status::error(StatusCode::Corrupt, cat("damaged plan: ", __VA_ARGS__));               \
  } while (false)

static Status checkTable(const char *name, SawtoothTable table, uint64_t rowBytes, uint64_t bytes) {
  EXPECT_PLAN(table.offset % 8 == 0 && table.offset <= bytes, "expected table '", name,
              "' at a multiple of 8 within ", bytes, " bytes, got ", table.offset);
  EXPECT_PLAN(table.count <= (bytes - table.offset) / rowBytes, "expected at most ",
              (bytes - table.offset) / rowBytes, " rows in table '", name, "', got ", table.count);
  return {};
}

Status checkPlanFrame(const void *data, uint64_t bytes) {
  EXPECT_PLAN(bytes >= sizeof(SawtoothPlan), "expected at least ", sizeof(SawtoothPlan),
              " bytes, got ", bytes);
  SawtoothPlan header;
  std::memcpy(&header, data, sizeof(header));
  EXPECT_PLAN(header.magic == SAWTOOTH_PLAN_MAGIC, "it does not begin with the mark of a plan");
  if (header.abi != SAWTOOTH_ABI_VERSION)
    return Status::error(StatusCode::Unsupported,
                         cat("expected a plan of ABI version ", SAWTOOTH_ABI_VERSION, ", got ",
                             header.abi, ": compile it again with this version of sawtooth"));
  EXPECT_PLAN(header.headerBytes == sizeof(SawtoothPlan), "expected a header of ",
              sizeof(SawtoothPlan), " bytes, got ", header.headerBytes);
  EXPECT_PLAN(header.bytes == bytes, "expected ", header.bytes, " bytes, got ", bytes);
#define SAWTOOTH_CHECK_TABLE(name, row)                                                            \
  SAWTOOTH_TRY(checkTable(#name, header.name, sizeof(row), bytes));
  SAWTOOTH_PLAN_TABLES(SAWTOOTH_CHECK_TABLE)
#undef SAWTOOTH_CHECK_TABLE
  return {};
}

namespace {

class Checker {
public:
  explicit Checker(const Plan &plan) : plan(plan), header(plan.header()) {}

  Status run() {
    SAWTOOTH_TRY(checkHeader());
    SAWTOOTH_TRY(checkModels());
    SAWTOOTH_TRY(checkLists());
    SAWTOOTH_TRY(checkCopies());
    SAWTOOTH_TRY(checkFields());
    SAWTOOTH_TRY(checkSteps());
    return checkPrograms();
  }

private:
  const Plan &plan;
  const SawtoothPlan &header;

  Status string(const char *what, SawtoothString text) const {
    EXPECT_PLAN(text < header.bytes, "expected the ", what, " within ", header.bytes,
                " bytes, got ", text);
    const char *base = reinterpret_cast<const char *>(&header);
    EXPECT_PLAN(std::memchr(base + text, 0, header.bytes - text), "the ", what, " at ", text,
                " has no end");
    return {};
  }

  // A string that is not empty and is the first of its name among `seen`.
  Status name(const char *what, SawtoothString text,
              std::set<std::string, std::less<>> &seen) const {
    SAWTOOTH_TRY(string(what, text));
    EXPECT_PLAN(!plan.text(text).empty(), "a ", what, " is empty");
    EXPECT_PLAN(seen.insert(plan.string(text)).second, "two rows have the ", what, " '",
                printable(plan.text(text)), "'");
    return {};
  }

  Status range(const char *what, SawtoothRange rows, uint64_t count) const {
    EXPECT_PLAN(rows.first <= count && rows.count <= count - rows.first, "expected the ", what,
                " within ", count, " rows, got ", rows.count, " from ", rows.first);
    return {};
  }

  Status below(const char *what, uint64_t value, uint64_t limit) const {
    EXPECT_PLAN(value < limit, "expected a ", what, " below ", limit, ", got ", value);
    return {};
  }
  Status belowOrNone(const char *what, uint32_t value, uint64_t limit) const {
    return value == SAWTOOTH_NONE ? Status() : below(what, value, limit);
  }
  Status type(uint32_t value) const { return below("type", value, SAWTOOTH_I64 + 1); }

  // An 8-byte slot in a block of `bytes`.
  Status slot(const char *what, uint64_t offset, uint64_t bytes) const {
    EXPECT_PLAN(offset % 8 == 0 && bytes >= 8 && offset <= bytes - 8, "expected the ", what,
                " in a slot of ", bytes, " bytes, got offset ", offset);
    return {};
  }

  Status shape(const char *what, uint32_t rank, const int64_t *dims) const {
    EXPECT_PLAN(rank <= SAWTOOTH_MAX_RANK, "expected a ", what, " of at most ", SAWTOOTH_MAX_RANK,
                " dimensions, got ", rank);
    int64_t product = 1;
    for (uint32_t i = 0; i < rank; ++i) {
      EXPECT_PLAN(dims[i] >= 0, "a ", what, " has a dimension of ", dims[i]);
      // 2^59 elements of 8 bytes are the most whose size still is an int64.
      bool overflow = __builtin_mul_overflow(product, dims[i], &product);
      EXPECT_PLAN(!overflow && product <= (1ll << 59), "a ", what, " of ", shapeText({dims, rank}),
                  " is too large");
    }
    return {};
  }

  Status checkHeader() const {
    SAWTOOTH_TRY(string("target", header.target));
    SAWTOOTH_TRY(string("source", header.source));
    EXPECT_PLAN(header.stateBytes % 8 == 0, "expected a state block of whole slots, got ",
                header.stateBytes, " bytes");
    EXPECT_PLAN(plan.runs().size() <= 1, "expected at most one row in table 'runs', got ",
                plan.runs().size());
    for (const SawtoothRunRow &run : plan.runs())
      SAWTOOTH_TRY(belowOrNone("step to evaluate", run.eval, plan.steps().size()));
    return {};
  }

  Status checkModels() const {
    std::set<std::string, std::less<>> models;
    for (const SawtoothModelRow &model : plan.models()) {
      SAWTOOTH_TRY(name("model name", model.name, models));
      SAWTOOTH_TRY(range("tensors of a model", model.tensors, plan.tensors().size()));
      std::set<std::string, std::less<>> tensors;
      for (const SawtoothTensorRow &tensor : Plan::rows(model.tensors, plan.tensors())) {
        SAWTOOTH_TRY(name("tensor name", tensor.name, tensors));
        SAWTOOTH_TRY(shape("tensor", tensor.rank, tensor.dims));
      }
    }
    return {};
  }

  Status checkLists() const {
    std::set<std::string, std::less<>> states;
    std::vector<std::set<std::string, std::less<>>> perStep(plan.steps().size());
    for (const SawtoothListRow &list : plan.lists()) {
      SAWTOOTH_TRY(below("kind of list", list.kind, SAWTOOTH_LIST_SCRATCH + 1));
      SAWTOOTH_TRY(string("list name", list.name));
      SAWTOOTH_TRY(string("location", list.location));
      SAWTOOTH_TRY(type(list.type));
      EXPECT_PLAN(list.type <= SAWTOOTH_F32, "expected list '", printable(plan.text(list.name)),
                  "' of f16, bf16 or f32, got ", typeName(SawtoothType(list.type)));
      SAWTOOTH_TRY(below("model", list.model, plan.models().size()));
      SAWTOOTH_TRY(belowOrNone("step", list.step, plan.steps().size()));
      SAWTOOTH_TRY(range("initial values", list.init, plan.inits().size()));
      bool isState = list.kind == SAWTOOTH_LIST_STATE;
      EXPECT_PLAN(isState == (list.step == SAWTOOTH_NONE), "list '",
                  printable(plan.text(list.name)),
                  "' should name a step if, and only if, it is no state");
      SAWTOOTH_TRY(name("list name", list.name, isState ? states : perStep[list.step]));
      EXPECT_PLAN(list.copyOf == SAWTOOTH_NONE || isState, "only a state can be a copy");
      EXPECT_PLAN(isState || list.init.count == 0, "only a state has initial values");
      if (list.copyOf != SAWTOOTH_NONE)
        SAWTOOTH_TRY(source(list, list.copyOf));
      for (const SawtoothInit &init : Plan::rows(list.init, plan.inits())) {
        SAWTOOTH_TRY(string("pattern", init.glob));
        SAWTOOTH_TRY(below("kind of initial value", init.kind, SAWTOOTH_INIT_NORMAL + 1));
        if (init.kind == SAWTOOTH_INIT_CAST)
          SAWTOOTH_TRY(source(list, init.source));
      }
    }
    return {};
  }

  Status source(const SawtoothListRow &list, uint32_t other) const {
    SAWTOOTH_TRY(below("source list", other, plan.lists().size()));
    const SawtoothListRow &from = plan.lists()[other];
    EXPECT_PLAN(from.kind == SAWTOOTH_LIST_STATE && from.model == list.model, "list '",
                printable(plan.text(list.name)), "' can only copy a state of its own model");
    return {};
  }

  // Every chain of copies and casts must end: otherwise no order of initial values exists.
  Status checkCopies() const {
    enum { Unseen, Open, Done };
    std::vector<int> marks(plan.lists().size(), Unseen);
    std::vector<std::pair<uint32_t, size_t>> path;
    for (uint32_t start = 0; start < marks.size(); ++start) {
      if (marks[start] != Unseen)
        continue;
      marks[start] = Open;
      path.push_back({start, 0});
      while (!path.empty()) {
        uint32_t list = path.back().first;
        std::vector<uint32_t> next = sources(plan.lists()[list]);
        if (path.back().second == next.size()) {
          marks[list] = Done;
          path.pop_back();
          continue;
        }
        uint32_t to = next[path.back().second++];
        EXPECT_PLAN(marks[to] != Open, "list '", printable(plan.text(plan.lists()[to].name)),
                    "' is a copy of itself");
        if (marks[to] == Unseen) {
          marks[to] = Open;
          path.push_back({to, 0});
        }
      }
    }
    return {};
  }

  std::vector<uint32_t> sources(const SawtoothListRow &list) const {
    std::vector<uint32_t> all;
    if (list.copyOf != SAWTOOTH_NONE)
      all.push_back(list.copyOf);
    for (const SawtoothInit &init : Plan::rows(list.init, plan.inits()))
      if (init.kind == SAWTOOTH_INIT_CAST)
        all.push_back(init.source);
    return all;
  }

  Status checkFields() const {
    std::set<std::string, std::less<>> scalers, fields;
    for (const SawtoothScalerRow &scaler : plan.scalers()) {
      SAWTOOTH_TRY(name("scaler name", scaler.name, scalers));
      SAWTOOTH_TRY(string("policy", scaler.policy));
    }
    std::set<uint64_t> stateSlots, arrays;
    for (const SawtoothFieldRow &field : plan.fields()) {
      SAWTOOTH_TRY(name("field name", field.name, fields));
      SAWTOOTH_TRY(string("alias", field.alias));
      SAWTOOTH_TRY(string("location", field.location));
      SAWTOOTH_TRY(type(field.type));
      SAWTOOTH_TRY(below("extent", field.extent, SAWTOOTH_PER_TENSOR + 1));
      SAWTOOTH_TRY(below("kind of field", field.kind, SAWTOOTH_FIELD_COUNTER + 1));
      SAWTOOTH_TRY(below("role", field.role, SAWTOOTH_ROLE_STUCK + 1));
      SAWTOOTH_TRY(belowOrNone("scaler", field.scaler, plan.scalers().size()));
      SAWTOOTH_TRY(range("patterns", field.patterns, plan.patterns().size()));
      for (const SawtoothPattern &pattern : Plan::rows(field.patterns, plan.patterns()))
        SAWTOOTH_TRY(string("pattern", pattern.glob));
      bool fresh;
      if (field.extent == SAWTOOTH_PER_STEP) {
        SAWTOOTH_TRY(slot("field", field.offset, header.stateBytes));
        fresh = stateSlots.insert(field.offset).second;
      } else {
        SAWTOOTH_TRY(below("model", field.model, plan.models().size()));
        SAWTOOTH_TRY(below("per-tensor array", field.offset, header.perTensorFields));
        fresh = arrays.insert(field.offset).second;
      }
      EXPECT_PLAN(fresh, "field '", printable(plan.text(field.name)),
                  "' shares its place with another");
    }
    // Arrays are allocated by this number; without the test a plan of a few bytes could ask for
    // billions.
    EXPECT_PLAN(header.perTensorFields == arrays.size(), "expected ", arrays.size(),
                " per-tensor arrays, got ", header.perTensorFields);
    for (const SawtoothListRow &list : plan.lists())
      EXPECT_PLAN(list.kind != SAWTOOTH_LIST_STATE || !fields.count(plan.text(list.name)),
                  "a list and a field have the name '", printable(plan.text(list.name)), "'");
    return {};
  }

  Status checkSteps() const {
    std::set<std::string, std::less<>> steps;
    for (const SawtoothStepRow &step : plan.steps()) {
      SAWTOOTH_TRY(name("step name", step.name, steps));
      if (Status status = checkStep(step); !status.ok())
        return status.of(cat("step '", printable(plan.text(step.name)), "'"));
    }
    return {};
  }

  Status checkStep(const SawtoothStepRow &step) const {
    SAWTOOTH_TRY(range("actions", step.actions, plan.actions().size()));
    SAWTOOTH_TRY(checkLaunches(step));
    SAWTOOTH_TRY(range("arguments", step.args, plan.args().size()));
    SAWTOOTH_TRY(range("tensor arguments", step.tensorArgs, plan.tensorArgs().size()));
    SAWTOOTH_TRY(range("logs", step.logs, plan.logs().size()));
    SAWTOOTH_TRY(range("causes", step.causes, plan.causes().size()));
    SAWTOOTH_TRY(range("notes", step.notes, plan.notes().size()));
    EXPECT_PLAN(step.causes.count <= 64, "expected at most 64 causes, got ", step.causes.count);
    EXPECT_PLAN(step.perTensorSlots >= header.perTensorFields && step.perTensorSlots <= 1u << 20,
                "expected ", header.perTensorFields, " to ", 1u << 20, " per-tensor arrays, got ",
                step.perTensorSlots);
    EXPECT_PLAN(step.frameBytes % 8 == 0 && step.argsBytes % 8 == 0,
                "expected frame and arguments of whole slots, got ", step.frameBytes, " and ",
                step.argsBytes, " bytes");
    SAWTOOTH_TRY(below("place of 'applied'", step.applied, step.frameBytes));
    if (step.cause != SAWTOOTH_NONE)
      SAWTOOTH_TRY(slot("causes", step.cause, step.frameBytes));
    for (uint32_t field : {step.attemptedField, step.appliedField, step.skippedField,
                           step.consecutiveField, step.calibrationField})
      SAWTOOTH_TRY(counter(field));
    SAWTOOTH_TRY(checkArguments(step));
    for (const SawtoothLogRow &log : Plan::rows(step.logs, plan.logs())) {
      SAWTOOTH_TRY(string("log key", log.key));
      SAWTOOTH_TRY(type(log.type));
      SAWTOOTH_TRY(below("reduction of a log", log.reduce, SAWTOOTH_REDUCE_MIN + 1));
      SAWTOOTH_TRY(slot("log", log.offset, step.frameBytes));
    }
    for (const SawtoothCauseRow &cause : Plan::rows(step.causes, plan.causes()))
      SAWTOOTH_TRY(string("cause", cause.label));
    SAWTOOTH_TRY(checkNotes(step.notes));
    for (const SawtoothActionRow &action : Plan::rows(step.actions, plan.actions()))
      SAWTOOTH_TRY(checkAction(step, action));
    return {};
  }

  Status counter(uint32_t field) const {
    if (field == SAWTOOTH_NONE)
      return {};
    SAWTOOTH_TRY(below("counter", field, plan.fields().size()));
    const SawtoothFieldRow &row = plan.fields()[field];
    EXPECT_PLAN(row.type == SAWTOOTH_I64 && row.extent == SAWTOOTH_PER_STEP, "expected counter '",
                printable(plan.text(row.name)), "' to be an i64 of the step");
    return {};
  }

  Status checkArguments(const SawtoothStepRow &step) const {
    std::set<std::string, std::less<>> args;
    for (const SawtoothArgRow &arg : Plan::rows(step.args, plan.args())) {
      SAWTOOTH_TRY(name("argument name", arg.name, args));
      SAWTOOTH_TRY(type(arg.type));
      SAWTOOTH_TRY(slot("argument", arg.offset, step.argsBytes));
    }
    for (const SawtoothTensorArgRow &arg : Plan::rows(step.tensorArgs, plan.tensorArgs())) {
      SAWTOOTH_TRY(name("argument name", arg.name, args));
      SAWTOOTH_TRY(string("batch name", arg.batch));
      SAWTOOTH_TRY(type(arg.type));
      SAWTOOTH_TRY(shape("tensor argument", arg.rank, arg.dims));
      SAWTOOTH_TRY(below("slot of a tensor argument", arg.slot, step.tensorArgs.count));
      EXPECT_PLAN(plan.text(arg.batch).empty() || arg.rank > 0, "tensor argument '",
                  printable(plan.text(arg.name)), "' has no dimension to batch");
    }
    return {};
  }

  Status checkNotes(SawtoothRange rows) const {
    SAWTOOTH_TRY(range("notes", rows, plan.notes().size()));
    for (const SawtoothNote &note : Plan::rows(rows, plan.notes())) {
      SAWTOOTH_TRY(string("kind of a note", note.kind));
      SAWTOOTH_TRY(string("note", note.text));
    }
    return {};
  }

  Status checkAction(const SawtoothStepRow &step, const SawtoothActionRow &action) const {
    SAWTOOTH_TRY(string("name of an action", action.name));
    SAWTOOTH_TRY(below("kind of action", action.kind, SAWTOOTH_PARALLEL + 1));
    SAWTOOTH_TRY(belowOrNone("flag", action.flag, step.frameBytes));
    SAWTOOTH_TRY(checkNotes(action.notes));
    SAWTOOTH_TRY(range("reads", action.reads, plan.accesses().size()));
    SAWTOOTH_TRY(range("writes", action.writes, plan.accesses().size()));
    for (SawtoothRange accesses : {action.reads, action.writes})
      for (const SawtoothAccess &access : Plan::rows(accesses, plan.accesses()))
        SAWTOOTH_TRY(below("list", access.list, plan.lists().size()));
    if (action.kind == SAWTOOTH_PASS) {
      SAWTOOTH_TRY(below("model", action.model, plan.models().size()));
      EXPECT_PLAN(action.results <= step.partials, "expected at most ", step.partials,
                  " reductions, got ", action.results);
    }
    return {};
  }

  // The launches of a step perform its actions, each once and in order.
  Status checkLaunches(const SawtoothStepRow &step) const {
    SAWTOOTH_TRY(range("launches", step.launches, plan.launches().size()));
    uint64_t next = step.actions.first;
    for (const SawtoothLaunchRow &launch : Plan::rows(step.launches, plan.launches())) {
      SAWTOOTH_TRY(string("name of a kernel", launch.kernel));
      SAWTOOTH_TRY(range("actions of a launch", launch.actions, plan.actions().size()));
      EXPECT_PLAN(launch.actions.first == next && launch.actions.count > 0,
                  "expected a launch of the actions from ", next, " on, got ", launch.actions.count,
                  " from ", launch.actions.first);
      EXPECT_PLAN(launch.threads % 32 == 0 && launch.threads > 0 && launch.threads <= 1024,
                  "expected a block of 32 to 1024 threads in whole warps, got ", launch.threads);
      EXPECT_PLAN(launch.warpsPerRow <= 1024, "expected at most 1024 warps a row, got ",
                  launch.warpsPerRow);
      next += launch.actions.count;
    }
    EXPECT_PLAN(step.launches.count == 0 ||
                    next == uint64_t(step.actions.first) + step.actions.count,
                "its launches leave actions out");
    return {};
  }

  Status checkPrograms() const {
    std::set<std::string, std::less<>> programs;
    for (const SawtoothProgramRow &program : plan.programs()) {
      SAWTOOTH_TRY(name("program name", program.name, programs));
      SAWTOOTH_TRY(range("steps of a program", program.steps, plan.indices().size()));
      for (const SawtoothIndex &step : Plan::rows(program.steps, plan.indices()))
        SAWTOOTH_TRY(below("step", step.value, plan.steps().size()));
    }
    return {};
  }
};

} // namespace

Status checkPlanRows(const Plan &plan) { return Checker(plan).run(); }

} // namespace sawtooth::runtime
