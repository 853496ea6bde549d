// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tables of a plan, read as the runtime reads them.
#include "Harness.h"

#include "gtest/gtest.h"

#include <set>

using namespace sawtooth;
using namespace sawtooth::test;

namespace {

const char *const text = R"(
  amp.model @encoder
  amp.model @decoder
  sweep.scaler @s "pytorch"
  sweep.list state @w : !amp.tensors<@decoder x f32> {label = "w",
      init = #amp.patterns<"*.bias" = 0.0, "*" = #amp.uniform<fan_in>>}
  sweep.list state @n : !amp.tensors<@encoder x bf16> {label = "n", init = #amp.normal<std = 0.02>}
  sweep.list state @h : !amp.tensors<@decoder x f16> {label = "h", copy_of = @w}
  sweep.list state @c : !amp.tensors<@decoder x f32> {label = "c", init = #amp.cast<@h>}
  sweep.list argument @train.g : !amp.tensors<@decoder x f16> {label = "g", step = @train}
  sweep.field state @s.scale : f32 role scale {init = 65536.0 : f32, scaler = @s, alias = "scale"}
  sweep.field parameter @decay : f64 {model = @decoder,
      init = #amp.patterns<"*.bias" = 0.0, "*" = 0.01>}
  sweep.field state @best : f64 {init = 0x7FF0000000000000 : f64}
  sweep.field counter @train.attempted : i64 {init = 0 : i64}
  sweep.field counter @train.applied : i64 {init = 0 : i64}
  sweep.field counter @train.skipped : i64 {init = -1 : i64}
  sweep.step @train(%lr: f64 {amp.default = 1.0e-3},
      %x: tensor<64x8xf16> {amp.batch = "images"}, %on: i1)
      attributes {commits, cut, lower_bound = 4 : i64,
          notes = [{kind = "missed", text = "a reason"}]} {
    %go = sweep.scalar @entry { sweep.yield %on : i1 } : i1
    %bad = sweep.pass over @decoder reads [@train.g] writes []
        when %go [] [#sweep.reduction<or over step>] {
    ^bb0(%g: f16):
      %false = arith.constant false
      sweep.leave reduce(%false : i1)
    } {notes = [{kind = "result", text = "what it is"}]} : i1
    sweep.scalar @final {
      %s = sweep.get @s.scale : f32
      sweep.log "scale", %s mean : f32
      %zero = arith.constant 0 : i64
      sweep.outcome %go causes %zero ["gradient", "norm"]
    }
  }
  sweep.step @test() attributes {cut} {
    sweep.scalar @final {
      %true = arith.constant true
      sweep.outcome %true []
    }
  }
  amp.program @epoch {
    amp.repeat 3 {
      amp.run @test
    }
    amp.run @train
  }
  amp.run {batch = 64, epochs = 30, eval = @test}
)";

class Plan : public ::testing::Test {
protected:
  Compiled compiled = compile(text, "x86-64-v3");
  const SawtoothPlan *plan = compiled.artifact ? compiled.artifact->plan : nullptr;

  void SetUp() override { ASSERT_TRUE(plan) << compiled.diagnostics; }
  template <typename Row>
  const Row *rows(const SawtoothTable &table) const {
    return reinterpret_cast<const Row *>(reinterpret_cast<const char *>(plan) + table.offset);
  }
  std::string string(SawtoothString offset) const {
    return reinterpret_cast<const char *>(plan) + offset;
  }
};

TEST_F(Plan, StartsWithWhatAReaderChecksFirst) {
  EXPECT_EQ(plan->magic, SAWTOOTH_PLAN_MAGIC);
  EXPECT_EQ(plan->abi, SAWTOOTH_ABI_VERSION);
  EXPECT_EQ(plan->headerBytes, sizeof(SawtoothPlan));
  EXPECT_EQ(plan->bytes % 8, 0u);
  EXPECT_EQ(string(plan->target), "cpu");
  EXPECT_EQ(string(plan->source), "test.mlir");
  EXPECT_EQ(plan->stateBytes, 5u * 8);
  EXPECT_EQ(plan->perTensorFields, 1u);
}

TEST_F(Plan, HoldsListsWithTheirInitialValues) {
  ASSERT_EQ(plan->lists.count, 5u);
  const auto *lists = rows<SawtoothListRow>(plan->lists);
  const auto *inits = rows<SawtoothInit>(plan->inits);
  EXPECT_EQ(string(lists[0].name), "w");
  EXPECT_EQ(string(lists[0].location), "test.mlir:5:3");
  EXPECT_EQ(lists[0].model, 1u); // numbered as declared
  EXPECT_EQ(lists[1].model, 0u);
  ASSERT_EQ(lists[0].init.count, 2u);
  const SawtoothInit *bias = inits + lists[0].init.first;
  EXPECT_EQ(string(bias[0].glob), "*.bias");
  EXPECT_EQ(bias[0].kind, SAWTOOTH_INIT_CONSTANT);
  EXPECT_EQ(bias[0].value, 0.0);
  EXPECT_EQ(string(bias[1].glob), "*");
  EXPECT_EQ(bias[1].kind, SAWTOOTH_INIT_UNIFORM);
  const SawtoothInit &normal = inits[lists[1].init.first];
  EXPECT_EQ(normal.kind, SAWTOOTH_INIT_NORMAL);
  EXPECT_EQ(normal.value, 0.02);
  EXPECT_EQ(normal.stream, 1u);
  EXPECT_EQ(lists[1].type, SAWTOOTH_BF16);
  EXPECT_EQ(lists[2].copyOf, 0u);
  EXPECT_EQ(lists[2].init.count, 0u);
  EXPECT_EQ(inits[lists[3].init.first].kind, SAWTOOTH_INIT_CAST);
  EXPECT_EQ(inits[lists[3].init.first].source, 2u);
  EXPECT_EQ(lists[4].kind, SAWTOOTH_LIST_ARGUMENT);
  EXPECT_EQ(lists[4].step, 0u);
  EXPECT_EQ(lists[0].step, SAWTOOTH_NONE);
}

TEST_F(Plan, HoldsFieldsWithTheirBits) {
  ASSERT_EQ(plan->fields.count, 6u);
  const auto *fields = rows<SawtoothFieldRow>(plan->fields);
  EXPECT_EQ(string(fields[0].name), "s.scale");
  EXPECT_EQ(string(fields[0].alias), "scale");
  EXPECT_EQ(fields[0].role, SAWTOOTH_ROLE_SCALE);
  EXPECT_EQ(fields[0].scaler, 0u);
  EXPECT_EQ(fields[0].initial, 0x47800000u); // 65536 in f32
  EXPECT_EQ(fields[1].extent, SAWTOOTH_PER_TENSOR);
  EXPECT_EQ(fields[1].kind, SAWTOOTH_FIELD_PARAMETER);
  EXPECT_EQ(fields[1].offset, 0u); // its array's number
  ASSERT_EQ(fields[1].patterns.count, 2u);
  const auto *patterns = rows<SawtoothPattern>(plan->patterns) + fields[1].patterns.first;
  EXPECT_EQ(string(patterns[1].glob), "*");
  EXPECT_EQ(patterns[1].value, 0x3f847ae147ae147bu); // 0.01 in f64
  EXPECT_EQ(fields[2].initial, 0x7ff0000000000000u);
  EXPECT_EQ(fields[2].offset, 8u);
  EXPECT_EQ(fields[5].initial, ~uint64_t(0));
  const auto *scalers = rows<SawtoothScalerRow>(plan->scalers);
  EXPECT_EQ(string(scalers[0].name), "s");
  EXPECT_EQ(string(scalers[0].policy), "pytorch");
}

TEST_F(Plan, HoldsStepsWithTheirActions) {
  ASSERT_EQ(plan->steps.count, 2u);
  const auto &train = rows<SawtoothStepRow>(plan->steps)[0];
  EXPECT_EQ(string(train.name), "train");
  EXPECT_EQ(train.commits, 1u);
  EXPECT_EQ(train.batch, 64u);
  EXPECT_EQ(train.lowerBound, 4u);
  EXPECT_EQ(train.partials, 1u);
  EXPECT_EQ(train.attemptedField, 3u);
  EXPECT_EQ(train.appliedField, 4u);
  EXPECT_EQ(train.skippedField, 5u);
  EXPECT_EQ(train.consecutiveField, SAWTOOTH_NONE);
  ASSERT_EQ(train.causes.count, 2u);
  EXPECT_EQ(string(rows<SawtoothCauseRow>(plan->causes)[train.causes.first + 1].label), "norm");
  const auto *notes = rows<SawtoothNote>(plan->notes);
  EXPECT_EQ(string(notes[train.notes.first].text), "a reason");

  ASSERT_EQ(train.actions.count, 3u);
  const auto *actions = rows<SawtoothActionRow>(plan->actions) + train.actions.first;
  EXPECT_EQ(string(actions[0].name), "train.0_entry");
  EXPECT_EQ(actions[1].kind, SAWTOOTH_PASS);
  EXPECT_EQ(actions[1].model, 1u);
  EXPECT_EQ(actions[1].results, 1u);
  EXPECT_LT(actions[1].flag, train.frameBytes);
  EXPECT_EQ(actions[2].flag, SAWTOOTH_NONE);
  ASSERT_EQ(actions[1].reads.count, 1u);
  EXPECT_EQ(actions[1].writes.count, 0u);
  const auto &access = rows<SawtoothAccess>(plan->accesses)[actions[1].reads.first];
  EXPECT_EQ(access.list, 4u);
  EXPECT_EQ(access.bytes, 2u);
  EXPECT_EQ(string(notes[actions[1].notes.first].text), "what it is");

  ASSERT_EQ(train.args.count, 2u);
  const auto *args = rows<SawtoothArgRow>(plan->args) + train.args.first;
  EXPECT_EQ(string(args[0].name), "lr");
  EXPECT_EQ(args[0].defaultValue, 0x3f50624dd2f1a9fcu); // 1e-3 in f64
  EXPECT_EQ(args[1].hasDefault, 0u);
  EXPECT_EQ(args[1].type, SAWTOOTH_I1);
  ASSERT_EQ(train.tensorArgs.count, 1u);
  const auto &tensor = rows<SawtoothTensorArgRow>(plan->tensorArgs)[train.tensorArgs.first];
  EXPECT_EQ(string(tensor.batch), "images");
  EXPECT_EQ(tensor.dims[1], 8);
  EXPECT_EQ(tensor.dims[2], 1);
  ASSERT_EQ(train.logs.count, 1u);
  EXPECT_EQ(rows<SawtoothLogRow>(plan->logs)[train.logs.first].reduce, SAWTOOTH_REDUCE_MEAN);

  // No two slots of the frame are one.
  const auto &log = rows<SawtoothLogRow>(plan->logs)[train.logs.first];
  std::set<uint64_t> slots{train.applied, train.cause, log.offset, actions[1].flag};
  EXPECT_EQ(slots.size(), 4u);
  EXPECT_EQ(rows<SawtoothStepRow>(plan->steps)[1].cause, SAWTOOTH_NONE);
}

TEST_F(Plan, HoldsProgramsUnrolledAndTheDefaultsOfARun) {
  ASSERT_EQ(plan->programs.count, 1u);
  const auto &program = rows<SawtoothProgramRow>(plan->programs)[0];
  EXPECT_EQ(string(program.name), "epoch");
  std::vector<uint32_t> steps;
  for (uint32_t i = 0; i < program.steps.count; ++i)
    steps.push_back(rows<SawtoothIndex>(plan->indices)[program.steps.first + i].value);
  EXPECT_EQ(steps, (std::vector<uint32_t>{1, 1, 1, 0}));
  ASSERT_EQ(plan->runs.count, 1u);
  const auto &run = rows<SawtoothRunRow>(plan->runs)[0];
  EXPECT_EQ(run.batch, 64u);
  EXPECT_EQ(run.epochs, 30u);
  EXPECT_EQ(run.seed, UINT64_MAX);
  EXPECT_EQ(run.eval, 1u);
}

} // namespace
