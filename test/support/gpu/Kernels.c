// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modules of FakeModule.cpp as kernels, written by hand against the ABI: what the runtime has
// to give a kernel and what a kernel has to do, without a compiler of ours. Compiled to PTX by
// clang. Slow on purpose: one lane does a chunk row, so that sums have the order of the CPU's code.
#include "sawtooth/runtime/Abi.h"

#define KERNEL __attribute__((device_kernel)) void
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))

// Places in the blocks of fakeSgd, in 8-byte slots.
enum { Scale, Tracker, Interval, Skipped, Consecutive, Stuck, MaxSkips, Attempted, Applied };
enum { SkippedSteps = Applied + 1, ConsecutiveSteps, Calibration, Steps, StateSlots };
enum { Ok, Causes, Ratio, Norm2, FrameSlots };
enum { W, H, M, G };

static unsigned thread(void) { return __nvvm_read_ptx_sreg_tid_x(); }
static unsigned block(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }
static unsigned blocks(void) { return __nvvm_read_ptx_sreg_nctaid_x(); }
static unsigned threads(void) { return __nvvm_read_ptx_sreg_ntid_x(); }

#define SLOT(block, type, index) (*(type *)((uint64_t *)(block) + (index)))

static SHARED unsigned isLast;

// Whether this is the block that is done last: what all others wrote is then visible to it. The
// fences are those of the thread that does the atomic operation; the barriers extend them to its
// block.
static int lastBlock(const SawtoothCtx *ctx, unsigned launch) {
  __nvvm_bar_sync(0);
  if (thread() == 0) {
    uint32_t *ticket = ctx->device->ticket + launch;
    __nvvm_membar_gl();
    isLast = __nvvm_atom_add_gen_i((int *)ticket, 1) == (int)blocks() - 1;
    __nvvm_membar_gl();
    if (isLast)
      *ticket = 0;
  }
  __nvvm_bar_sync(0);
  return isLast;
}

static float ratioOf(const SawtoothCtx *ctx) {
  return (float)(1.0 / (double)SLOT(ctx->state, float, Scale));
}

static int finite(float x) {
  return (__builtin_bit_cast(uint32_t, x) & 0x7f800000u) != 0x7f800000u;
}

// Every chunk row for the warp that owns it: row, its tensor, first and last element.
#define FOR_ROWS                                                                                   \
  unsigned warps = blocks() * threads() / 32, warp = (block() * threads() + thread()) / 32;        \
  unsigned lane = thread() % 32;                                                                   \
  const SawtoothModel *model = ctx->model[0];                                                      \
  for (uint64_t row = model->firstChunk + warp; row < model->firstChunk + model->chunks;           \
       row += warps)

#define ROW_BOUNDS                                                                                 \
  const SawtoothChunk *chunk = ctx->chunk + row;                                                   \
  int64_t first = (int64_t)(chunk->index * SAWTOOTH_CHUNK);                                        \
  int64_t last = first + SAWTOOTH_CHUNK;                                                           \
  if (last > model->numel[chunk->tensor])                                                          \
  last = model->numel[chunk->tensor]

KERNEL sgd_find(const SawtoothCtx *ctx) {
  float ratio = ratioOf(ctx);
  FOR_ROWS {
    ROW_BOUNDS;
    if (lane)
      continue;
    const _Float16 *g = model->list[G][chunk->tensor];
    int64_t bad = 0;
    double sum = 0;
    for (int64_t e = first; e < last; ++e) {
      float u = (float)g[e] * ratio;
      bad |= !finite(u);
      sum += (double)(u * u);
    }
    SLOT(ctx->partials, int64_t, row * 2) = bad;
    SLOT(ctx->partials, double, row * 2 + 1) = sum;
  }
  if (!lastBlock(ctx, 0) || thread() != 0)
    return;
  int64_t bad = 0;
  double sum = 0;
  for (uint64_t row = model->firstChunk; row < model->firstChunk + model->chunks; ++row) {
    bad |= SLOT(ctx->partials, int64_t, row * 2);
    sum += SLOT(ctx->partials, double, row * 2 + 1);
  }
  SLOT(ctx->frame, int64_t, Ok) = !bad;
  SLOT(ctx->frame, int64_t, Causes) = bad ? 1 : 0;
  SLOT(ctx->frame, int64_t, Ratio) = 0;
  SLOT(ctx->frame, float, Ratio) = ratio;
  SLOT(ctx->frame, double, Norm2) = sum;
}

// The row of a step that has ended; see SawtoothDeviceRing.
static void publish(const SawtoothCtx *ctx, uint64_t step, uint64_t frameSlots,
                    uint64_t stateSlots) {
  SawtoothDeviceRing *ring = ctx->device->ring;
  uint64_t number = ring->written;
  volatile uint64_t *row =
      (volatile uint64_t *)((char *)ring->row + (number & (ring->rows - 1)) * ring->rowBytes);
  row[0] = 0;
  __nvvm_membar_sys();
  row[1] = step;
  for (uint64_t i = 0; i < frameSlots; ++i)
    row[2 + i] = SLOT(ctx->frame, uint64_t, i);
  for (uint64_t i = 0; i < stateSlots; ++i)
    row[2 + frameSlots + i] = SLOT(ctx->state, uint64_t, i);
  __nvvm_membar_sys();
  row[0] = number + 1;
  ring->written = number + 1;
}

KERNEL sgd_update(const SawtoothCtx *ctx) {
  int ok = SLOT(ctx->frame, uint8_t, Ok);
  float ratio = SLOT(ctx->frame, float, Ratio);
  double lr = SLOT(ctx->args, const double, 0);
  if (ok) {
    FOR_ROWS {
      ROW_BOUNDS;
      float rate = (float)(lr * SLOT(model->perTensor[0], double, chunk->tensor));
      const _Float16 *g = model->list[G][chunk->tensor];
      float *w = model->list[W][chunk->tensor], *m = model->list[M][chunk->tensor];
      _Float16 *h = model->list[H][chunk->tensor];
      for (int64_t e = first + lane; e < last; e += 32) {
        float u = (float)g[e] * ratio;
        float next = w[e] - rate * u;
        w[e] = next;
        h[e] = (_Float16)next;
        m[e] = u;
      }
    }
  }
  if (!lastBlock(ctx, 1) || thread() != 0)
    return;
  void *state = ctx->state;
  ++SLOT(state, int64_t, Attempted);
  if (ok) {
    ++SLOT(state, int64_t, Applied);
    SLOT(state, int64_t, ConsecutiveSteps) = 0;
    ++SLOT(state, int64_t, Steps);
    SLOT(state, int64_t, Consecutive) = 0;
    if (++SLOT(state, int64_t, Tracker) >= SLOT(state, int64_t, Interval)) {
      SLOT(state, int64_t, Tracker) = 0;
      SLOT(state, float, Scale) *= 2;
    }
  } else {
    ++SLOT(state, int64_t, SkippedSteps);
    ++SLOT(state, int64_t, ConsecutiveSteps);
    SLOT(state, int64_t, Calibration) += SLOT(state, int64_t, Applied) == 0;
    SLOT(state, int64_t, Tracker) = 0;
    SLOT(state, float, Scale) *= 0.5f;
    ++SLOT(state, int64_t, Skipped);
    int64_t limit = SLOT(state, int64_t, MaxSkips);
    if (++SLOT(state, int64_t, Consecutive) >= limit && limit)
      SLOT(state, uint8_t, Stuck) = 1;
  }
  publish(ctx, 0, FrameSlots, StateSlots);
}

// fakeFit, whose code is for a batch size.
enum { FitOk, Loss, Close, FitFrameSlots };

static void fit(const SawtoothCtx *ctx, int trains, unsigned batch) {
  if (block() != 0 || thread() != 0)
    return;
  const float *x = ctx->tensor[0], *y = ctx->tensor[1];
  float *w = ctx->model[0]->list[0][0];
  double loss = 0, gradient[2] = {0, 0};
  int64_t close = 0;
  for (unsigned i = 0; i < batch; ++i) {
    double error = (double)w[0] * x[2 * i] + (double)w[1] * x[2 * i + 1] - y[i];
    loss += error * error / batch;
    close += (error < 0 ? -error : error) < 0.5;
    for (int k = 0; k < 2; ++k)
      gradient[k] += 2 * error * x[2 * i + k] / batch;
  }
  SLOT(ctx->frame, int64_t, FitOk) = 1;
  SLOT(ctx->frame, int64_t, Loss) = 0;
  SLOT(ctx->frame, float, Loss) = (float)loss;
  SLOT(ctx->frame, int64_t, Close) = close;
  for (int k = 0; trains && k < 2; ++k)
    w[k] = (float)(w[k] - SLOT(ctx->args, const double, 0) * gradient[k]);
  ++SLOT(ctx->state, int64_t, trains ? 0 : 5);
  ++SLOT(ctx->state, int64_t, trains ? 1 : 6);
  publish(ctx, trains ? 0 : 1, FitFrameSlots, 10);
}

#define FIT(batch)                                                                                 \
  KERNEL fit_train_##batch(const SawtoothCtx *ctx) { fit(ctx, 1, batch); }                         \
  KERNEL fit_test_##batch(const SawtoothCtx *ctx) { fit(ctx, 0, batch); }
FIT(1) FIT(2) FIT(3) FIT(4) FIT(5) FIT(6) FIT(7) FIT(8)
