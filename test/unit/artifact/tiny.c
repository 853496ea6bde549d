// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The least that an artifact's shared object has to hold, written by hand: a plan with one scalar
// field, and two variants of one function, told apart by what they write to the state block.
#include "sawtooth/runtime/Abi.h"

#define TEXT "\0cpu\0tiny.mlir\0s.scale\0tiny.mlir:1:1"

static const struct {
  SawtoothPlan plan;
  SawtoothFieldRow field;
  char text[(sizeof(TEXT) + 7) / 8 * 8];
} tiny = {
    .plan =
        {
            .magic = SAWTOOTH_PLAN_MAGIC,
            .abi = SAWTOOTH_ABI_VERSION,
            .headerBytes = sizeof(SawtoothPlan),
            .bytes = sizeof(tiny),
            .stateBytes = 8,
            .target = sizeof(SawtoothPlan) + sizeof(SawtoothFieldRow) + 1,
            .source = sizeof(SawtoothPlan) + sizeof(SawtoothFieldRow) + 5,
            .fields = {sizeof(SawtoothPlan), 1},
        },
    .field =
        {
            .name = sizeof(SawtoothPlan) + sizeof(SawtoothFieldRow) + 15,
            .alias = sizeof(SawtoothPlan) + sizeof(SawtoothFieldRow),
            .location = sizeof(SawtoothPlan) + sizeof(SawtoothFieldRow) + 23,
            .type = SAWTOOTH_I64,
            .extent = SAWTOOTH_PER_STEP,
            .kind = SAWTOOTH_FIELD_STATE,
            .role = SAWTOOTH_ROLE_NONE,
            .model = SAWTOOTH_NONE,
            .scaler = SAWTOOTH_NONE,
            .initial = 42,
        },
    .text = TEXT,
};

static void writeThree(const SawtoothCtx *ctx, uint64_t begin, uint64_t end) {
  *(int64_t *)ctx->state = 3;
}
static void writeFour(const SawtoothCtx *ctx, uint64_t begin, uint64_t end) {
  *(int64_t *)ctx->state = 4;
}

static SawtoothFunction *const three[] = {writeThree};
static SawtoothFunction *const four[] = {writeFour};
static const SawtoothArtifact artifacts[] = {
    {SAWTOOTH_ABI_VERSION, 1, &tiny.plan, three},
    {SAWTOOTH_ABI_VERSION, 1, &tiny.plan, four},
};

__attribute__((visibility("default"))) const SawtoothArtifact *sawtooth_query(uint32_t abi) {
  return abi == SAWTOOTH_ABI_VERSION ? &artifacts[0] : 0;
}
__attribute__((visibility("default"))) const SawtoothArtifact *sawtooth_query_four(uint32_t abi) {
  return abi == SAWTOOTH_ABI_VERSION ? &artifacts[1] : 0;
}
