// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeModule.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace sawtooth::test {

// Places in the blocks, in 8-byte slots.
namespace {
enum State {
  Scale,
  Tracker,
  Interval,
  Skipped,
  Consecutive,
  Stuck,
  MaxSkips,
  Attempted,
  Applied,
  SkippedSteps,
  ConsecutiveSteps,
  Calibration,
  Steps,
  StateSlots
};
enum Frame { Ok, Causes, Ratio, Norm2, FrameSlots };

template <typename T>
T &slot(void *block, int index) {
  return *reinterpret_cast<T *>(static_cast<uint64_t *>(block) + index);
}
template <typename T>
T argument(const SawtoothCtx *ctx, int index) {
  return *reinterpret_cast<const T *>(static_cast<const uint64_t *>(ctx->args) + index);
}

struct Rows {
  const SawtoothCtx *ctx;
  uint64_t begin, end;

  template <typename Body> // body(model, tensor, first element, end element, row)
  void each(Body body) const {
    for (uint64_t row = begin; row < end; ++row) {
      const SawtoothChunk &chunk = ctx->chunk[row];
      const SawtoothModel &model = *ctx->model[chunk.model];
      int64_t first = static_cast<int64_t>(chunk.index * SAWTOOTH_CHUNK);
      int64_t last = std::min<int64_t>(model.numel[chunk.tensor], first + SAWTOOTH_CHUNK);
      body(model, chunk.tensor, first, last, row);
    }
  }
};

template <typename T>
T *elements(const SawtoothModel &model, uint32_t list, uint32_t tensor) {
  return static_cast<T *>(model.list[list][tensor]);
}

enum SgdList { W, H, M, G };

void sgdEntry(const SawtoothCtx *ctx, uint64_t, uint64_t) {
  slot<float>(ctx->frame, Ratio) = float(1.0 / double(slot<float>(ctx->state, Scale)));
}

// Partials: whether an element is bad (i64), sum of squares (f64).
void sgdFind(const SawtoothCtx *ctx, uint64_t begin, uint64_t end) {
  float ratio = slot<float>(ctx->frame, Ratio);
  Rows{ctx, begin, end}.each(
      [&](const SawtoothModel &model, uint32_t tensor, int64_t first, int64_t last, uint64_t row) {
        int64_t bad = 0;
        double sum = 0;
        for (int64_t e = first; e < last; ++e) {
          float u = float(elements<_Float16>(model, G, tensor)[e]) * ratio;
          bad |= !std::isfinite(u);
          sum += double(u * u);
        }
        slot<int64_t>(ctx->partials, int(row * 2)) = bad;
        slot<double>(ctx->partials, int(row * 2 + 1)) = sum;
      });
}

void sgdMid(const SawtoothCtx *ctx, uint64_t, uint64_t) {
  const SawtoothModel &model = *ctx->model[0];
  int64_t bad = 0;
  double sum = 0;
  for (uint64_t row = model.firstChunk; row < model.firstChunk + model.chunks; ++row) {
    bad |= slot<int64_t>(ctx->partials, int(row * 2));
    sum += slot<double>(ctx->partials, int(row * 2 + 1));
  }
  slot<uint8_t>(ctx->frame, Ok) = !bad;
  slot<int64_t>(ctx->frame, Causes) = bad ? 1 : 0;
  slot<double>(ctx->frame, Norm2) = sum;
}

void sgdUpdate(const SawtoothCtx *ctx, uint64_t begin, uint64_t end) {
  float ratio = slot<float>(ctx->frame, Ratio);
  double lr = argument<double>(ctx, 0);
  Rows{ctx, begin, end}.each(
      [&](const SawtoothModel &model, uint32_t tensor, int64_t first, int64_t last, uint64_t) {
        float rate = float(lr * static_cast<double *>(model.perTensor[0])[tensor]);
        for (int64_t e = first; e < last; ++e) {
          float u = float(elements<_Float16>(model, G, tensor)[e]) * ratio;
          float w = elements<float>(model, W, tensor)[e] - rate * u;
          elements<float>(model, W, tensor)[e] = w;
          elements<_Float16>(model, H, tensor)[e] = _Float16(w);
          elements<float>(model, M, tensor)[e] = u;
        }
      });
}

void count(const SawtoothCtx *ctx, bool ok) {
  void *state = ctx->state;
  ++slot<int64_t>(state, Attempted);
  if (ok) {
    ++slot<int64_t>(state, Applied);
    slot<int64_t>(state, ConsecutiveSteps) = 0;
  } else {
    ++slot<int64_t>(state, SkippedSteps);
    ++slot<int64_t>(state, ConsecutiveSteps);
    slot<int64_t>(state, Calibration) += slot<int64_t>(state, Applied) == 0;
  }
}

void sgdFinal(const SawtoothCtx *ctx, uint64_t, uint64_t) {
  void *state = ctx->state;
  bool ok = slot<uint8_t>(ctx->frame, Ok);
  count(ctx, ok);
  if (ok) {
    ++slot<int64_t>(state, Steps);
    slot<int64_t>(state, Consecutive) = 0;
    if (++slot<int64_t>(state, Tracker) >= slot<int64_t>(state, Interval)) {
      slot<int64_t>(state, Tracker) = 0;
      slot<float>(state, Scale) *= 2;
    }
  } else {
    slot<int64_t>(state, Tracker) = 0;
    slot<float>(state, Scale) *= 0.5f;
    ++slot<int64_t>(state, Skipped);
    int64_t limit = slot<int64_t>(state, MaxSkips);
    if (++slot<int64_t>(state, Consecutive) >= limit && limit)
      slot<uint8_t>(state, Stuck) = 1;
  }
}

constexpr uint32_t none = SAWTOOTH_NONE;

// A field of the step in slot `at`.
SawtoothFieldRow field(PlanWriter &plan, const char *name, const char *alias, SawtoothType type,
                       SawtoothFieldKind kind, SawtoothRole role, uint32_t scaler, int at,
                       uint64_t initial) {
  return {plan.text(name),
          plan.text(alias),
          plan.text("fake.mlir:1:1"),
          uint32_t(type),
          SAWTOOTH_PER_STEP,
          uint32_t(kind),
          uint32_t(role),
          none,
          scaler,
          0,
          uint64_t(at) * 8,
          initial,
          {}};
}

void counters(PlanWriter &plan, SawtoothStepRow &step, const std::string &name, int at) {
  uint32_t *places[] = {&step.attemptedField, &step.appliedField, &step.skippedField,
                        &step.consecutiveField, &step.calibrationField};
  const char *names[] = {"attempted", "applied", "skipped", "consecutive_skips",
                         "calibration_skips"};
  for (int i = 0; i < 5; ++i) {
    *places[i] = uint32_t(plan.fields.size());
    plan.fields.push_back(field(plan, (name + "." + names[i]).c_str(), "", SAWTOOTH_I64,
                                SAWTOOTH_FIELD_COUNTER, SAWTOOTH_ROLE_NONE, none, at + i, 0));
  }
}

SawtoothListRow list(PlanWriter &plan, const char *name, SawtoothListKind kind, SawtoothType type,
                     uint32_t step, uint32_t copyOf, std::vector<SawtoothInit> init = {}) {
  return {
      plan.text(name), plan.text("fake.mlir:2:1"),       uint32_t(kind), uint32_t(type), 0, step,
      copyOf,          PlanWriter::add(plan.inits, init)};
}

SawtoothActionRow action(PlanWriter &plan, const char *name, SawtoothActionKind kind,
                         uint32_t function, uint32_t flag = none, uint32_t results = 0,
                         std::vector<SawtoothAccess> reads = {},
                         std::vector<SawtoothAccess> writes = {},
                         std::vector<SawtoothNote> notes = {}, uint64_t units = 0) {
  return {plan.text(name),
          uint32_t(kind),
          function,
          kind == SAWTOOTH_PASS ? 0 : none,
          flag,
          results,
          units,
          PlanWriter::add(plan.accesses, reads),
          PlanWriter::add(plan.accesses, writes),
          PlanWriter::add(plan.notes, notes)};
}

} // namespace

FakeModule fakeSgd(const SgdOptions &options) {
  PlanWriter plan;
  plan.header.stateBytes = StateSlots * 8;
  plan.header.perTensorFields = 1;
  plan.models.push_back({plan.text("model"), {}});
  plan.scalers.push_back({plan.text("s"), plan.text("fake")});
  SawtoothString all = plan.text("*");
  plan.lists.push_back(list(plan, "w", SAWTOOTH_LIST_STATE, SAWTOOTH_F32, none, none,
                            {{all, SAWTOOTH_INIT_REQUIRED, none, 0, 0}}));
  plan.lists.push_back(list(plan, "h", SAWTOOTH_LIST_STATE, SAWTOOTH_F16, none, W));
  plan.lists.push_back(list(plan, "m", SAWTOOTH_LIST_STATE, SAWTOOTH_F32, none, none,
                            {{all, SAWTOOTH_INIT_CONSTANT, none, 2, 0}}));
  plan.lists.push_back(list(plan, "g", SAWTOOTH_LIST_ARGUMENT, SAWTOOTH_F16, 0, none));

  uint64_t scale = std::bit_cast<uint32_t>(65536.0f);
  auto state = SAWTOOTH_FIELD_STATE;
  auto param = SAWTOOTH_FIELD_PARAMETER;
  plan.fields = {
      field(plan, "s.scale", "scale", SAWTOOTH_F32, state, SAWTOOTH_ROLE_SCALE, 0, Scale, scale),
      field(plan, "s.tracker", "_growth_tracker", SAWTOOTH_I64, state, SAWTOOTH_ROLE_NONE, 0,
            Tracker, 0),
      field(plan, "s.growth_interval", "growth_interval", SAWTOOTH_I64, param, SAWTOOTH_ROLE_NONE,
            0, Interval, 2000),
      field(plan, "s.skipped", "", SAWTOOTH_I64, state, SAWTOOTH_ROLE_SKIPPED, 0, Skipped, 0),
      field(plan, "s.consecutive_skips", "", SAWTOOTH_I64, state, SAWTOOTH_ROLE_CONSECUTIVE_SKIPS,
            0, Consecutive, 0),
      field(plan, "s.stuck", "", SAWTOOTH_I1, state, SAWTOOTH_ROLE_STUCK, 0, Stuck, 0),
      field(plan, "s.max_consecutive_skips", "", SAWTOOTH_I64, param, SAWTOOTH_ROLE_NONE, 0,
            MaxSkips, 0),
      field(plan, "opt.t", "step", SAWTOOTH_I64, state, SAWTOOTH_ROLE_NONE, none, Steps, 0)};
  SawtoothFieldRow decay =
      field(plan, "decay", "", SAWTOOTH_F64, param, SAWTOOTH_ROLE_NONE, none, 0, 0);
  decay.extent = SAWTOOTH_PER_TENSOR;
  decay.model = 0;
  decay.patterns =
      PlanWriter::add(plan.patterns, {{plan.text("*.half"), 0, std::bit_cast<uint64_t>(0.5)},
                                      {all, 0, std::bit_cast<uint64_t>(1.0)}});
  plan.fields.push_back(decay);

  SawtoothStepRow step{};
  step.name = plan.text("train");
  step.commits = 1;
  counters(plan, step, "train", Attempted);
  step.args = PlanWriter::add(
      plan.args, {{plan.text("lr"), SAWTOOTH_F64, 1, 0, 0, std::bit_cast<uint64_t>(1.0)}});
  step.argsBytes = 8;
  step.frameBytes = FrameSlots * 8;
  step.applied = Ok * 8;
  step.cause = Causes * 8;
  step.causes = PlanWriter::add(plan.causes, {{plan.text("gradient")}});
  step.logs = PlanWriter::add(
      plan.logs, {{plan.text("norm2"), SAWTOOTH_F64, SAWTOOTH_REDUCE_LAST, 0, Norm2 * 8}});
  step.partials = 2;
  step.perTensorSlots = 1;
  step.lowerBound = 18;
  step.notes =
      PlanWriter::add(plan.notes, {{plan.text("skip"), plan.text("w, h and m keep every byte")}});
  SawtoothAccess g{G, 2}, w{W, 4}, h{H, 2}, m{M, 4};
  step.actions = PlanWriter::add(
      plan.actions,
      {action(plan, "train.0_entry", SAWTOOTH_SCALAR, 0),
       action(plan, "train.1_pass", SAWTOOTH_PASS, 1, none, 2, {g}, {},
              {{plan.text("result"), plan.text("finite(g)")},
               {plan.text("result"), plan.text("sum u^2")}}),
       action(plan, "train.2_mid", SAWTOOTH_SCALAR, 2),
       action(plan, "train.3_pass", SAWTOOTH_PASS, 3, Ok * 8, 0, {g, w}, {w, h, m},
              {{plan.text("recompute"), plan.text("u = g * r: 2 bytes instead of 8")}}),
       action(plan, "train.4_final", SAWTOOTH_SCALAR, 4)});
  plan.steps.push_back(step);
  options.edit(plan);
  return {plan.finish(), {sgdEntry, sgdFind, sgdMid, sgdUpdate, sgdFinal}};
}

// Counters of train at 0, of test at 5.
namespace {
enum FitFrame { FitOk, Loss, Close, FitFrameSlots };

template <bool trains, uint64_t batch>
void fitForward(const SawtoothCtx *ctx, uint64_t, uint64_t) {
  const float *x = static_cast<const float *>(ctx->tensor[0]);
  const float *y = static_cast<const float *>(ctx->tensor[1]);
  float *w = elements<float>(*ctx->model[0], 0, 0);
  double loss = 0, gradient[2] = {};
  int64_t close = 0;
  for (uint64_t i = 0; i < batch; ++i) {
    double error = double(w[0]) * x[2 * i] + double(w[1]) * x[2 * i + 1] - y[i];
    loss += error * error / batch;
    close += std::fabs(error) < 0.5;
    for (int k = 0; k < 2; ++k)
      gradient[k] += 2 * error * x[2 * i + k] / batch;
  }
  slot<float>(ctx->frame, Loss) = float(loss);
  slot<int64_t>(ctx->frame, Close) = close;
  for (int k = 0; trains && k < 2; ++k)
    w[k] = float(w[k] - argument<double>(ctx, 0) * gradient[k]);
}

void fitFinal(const SawtoothCtx *ctx, uint64_t, uint64_t) { slot<uint8_t>(ctx->frame, FitOk) = 1; }
void trainCount(const SawtoothCtx *ctx, uint64_t, uint64_t) {
  fitFinal(ctx, 0, 0);
  ++slot<int64_t>(ctx->state, 0);
  ++slot<int64_t>(ctx->state, 1);
}
void testCount(const SawtoothCtx *ctx, uint64_t, uint64_t) {
  fitFinal(ctx, 0, 0);
  ++slot<int64_t>(ctx->state, 5);
  ++slot<int64_t>(ctx->state, 6);
}

// Code for a batch size is compiled for it; here for those that tests use.
template <uint64_t batch = 1>
SawtoothFunction *forward(bool trains, uint64_t wanted) {
  if (batch == wanted)
    return trains ? fitForward<true, batch> : fitForward<false, batch>;
  if constexpr (batch < 16)
    return forward<batch + 1>(trains, wanted);
  return nullptr;
}
} // namespace

FakeModule fakeFit(uint64_t batch, const std::function<void(PlanWriter &)> &edit) {
  PlanWriter plan;
  plan.header.stateBytes = 10 * 8;
  SawtoothTensorRow w{plan.text("w"), 1, {2}};
  plan.models.push_back({plan.text("model"), PlanWriter::add(plan.tensors, {w})});
  plan.lists.push_back(list(plan, "w", SAWTOOTH_LIST_STATE, SAWTOOTH_F32, none, none,
                            {{plan.text("*"), SAWTOOTH_INIT_UNIFORM, none, 0, 0}}));
  for (bool trains : {true, false}) {
    SawtoothStepRow step{};
    std::string name = trains ? "train" : "test";
    step.name = plan.text(name);
    step.commits = trains;
    counters(plan, step, name, trains ? 0 : 5);
    if (trains) {
      step.args = PlanWriter::add(
          plan.args, {{plan.text("lr"), SAWTOOTH_F64, 1, 0, 0, std::bit_cast<uint64_t>(0.1)}});
      step.argsBytes = 8;
    }
    SawtoothTensorArgRow x{plan.text("x"), plan.text("x"), SAWTOOTH_F32, 2, 0, 0, {}};
    x.dims[0] = int64_t(batch);
    x.dims[1] = 2;
    SawtoothTensorArgRow y{plan.text("y"), plan.text("y"), SAWTOOTH_F32, 1, 1, 0, {}};
    y.dims[0] = int64_t(batch);
    step.tensorArgs = PlanWriter::add(plan.tensorArgs, {x, y});
    step.frameBytes = FitFrameSlots * 8;
    step.applied = FitOk * 8;
    step.cause = none;
    step.logs = PlanWriter::add(
        plan.logs, {{plan.text("loss"), SAWTOOTH_F32, SAWTOOTH_REDUCE_MEAN, 0, Loss * 8},
                    {plan.text("close"), SAWTOOTH_I64, SAWTOOTH_REDUCE_SUM, 0, Close * 8}});
    step.batch = batch;
    step.actions = PlanWriter::add(
        plan.actions,
        {action(plan, "forward", SAWTOOTH_PARALLEL, trains ? 0 : 1, none, 0, {}, {}, {}, 1),
         action(plan, "final", SAWTOOTH_SCALAR, trains ? 2 : 3)});
    plan.steps.push_back(step);
  }
  plan.programs.push_back({plan.text("epoch"), PlanWriter::add(plan.indices, {{0}, {0}})});
  plan.runs.push_back({batch, 3, 7, 1, 0});
  edit(plan);
  return {plan.finish(), {forward(true, batch), forward(false, batch), trainCount, testCount}};
}

} // namespace sawtooth::test
