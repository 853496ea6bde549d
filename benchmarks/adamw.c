// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What examples/adamw/step.mlir says, as one would write it in C: the yardstick for the time that
// compiling takes. Plain loops that clang vectorises at -O3; the same passes over the same chunks,
// the same folds, the same scaler. Nothing is timed when it runs.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { CHUNK = 16384, LANES = 256 };

typedef struct {
  uint32_t tensor;
  uint64_t index;
} Chunk;

typedef struct {
  double sum;
  bool bad;
} Partial;

typedef struct {
  uint64_t tensors, chunks;
  const int64_t *numel;
  const Chunk *chunk;
  _Float16 *const *g, *const *h;
  float *const *w, *const *m, *const *v;
  const double *decay;
} Model;

typedef struct {
  float scale;
  int64_t tracker, t, applied, skipped, consecutive;
  double growth, backoff, min_scale, max_scale;
  int64_t interval;
  double beta1, beta2, eps;
} State;

typedef struct {
  float inverse, clip, lr, beta1, beta2, eps, root;
  bool ok;
  double norm;
} Frame;

static float canonical(float x) {
  return x != x ? __builtin_nanf("") : x;
}

void entry(const State *state, Frame *frame) {
  frame->inverse = (float)(1.0 / (double)state->scale);
}

// Sum of squares and finite check of the gradients, for chunks [begin, end).
void norm_pass(const Model *model, const Frame *frame, Partial *partial, uint64_t begin,
               uint64_t end) {
  for (uint64_t row = begin; row < end; ++row) {
    Chunk chunk = model->chunk[row];
    int64_t first = (int64_t)(chunk.index * CHUNK), count = model->numel[chunk.tensor] - first;
    if (count > CHUNK)
      count = CHUNK;
    const _Float16 *g = model->g[chunk.tensor] + first;
    float lane[LANES] = {0};
    int bad = 0;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
      for (int l = 0; l < LANES; ++l) {
        float u = (float)g[i + l] * frame->inverse;
        bad |= !(fabsf(u) <= 0x1.fffffep127f);
        lane[l] += u * u;
      }
    for (int l = 0; i + l < count; ++l) {
      float u = (float)g[i + l] * frame->inverse;
      bad |= !(fabsf(u) <= 0x1.fffffep127f);
      lane[l] += u * u;
    }
    for (int half = LANES / 2; half; half /= 2)
      for (int l = 0; l < half; ++l)
        lane[l] += lane[l + half];
    partial[row] = (Partial){lane[0], bad != 0};
  }
}

static double fold(const double *values, uint64_t count) {
  double lane[LANES] = {0};
  for (uint64_t i = 0; i < count; ++i)
    lane[i % LANES] += values[i];
  for (int half = LANES / 2; half; half /= 2)
    for (int l = 0; l < half; ++l)
      lane[l] += lane[l + half];
  return lane[0];
}

static double power(double base, int64_t exponent) {
  double result = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return result;
}

void mid(const Model *model, const State *state, Frame *frame, const Partial *partial,
         double *scratch, double lr, double max_norm) {
  bool bad = false;
  double lane[LANES] = {0};
  uint64_t row = 0;
  for (uint64_t tensor = 0; tensor < model->tensors; ++tensor) {
    uint64_t chunks = (uint64_t)(model->numel[tensor] + CHUNK - 1) / CHUNK;
    for (uint64_t i = 0; i < chunks; ++i) {
      scratch[i] = partial[row + i].sum;
      bad |= partial[row + i].bad;
    }
    lane[tensor % LANES] += fold(scratch, chunks);
    row += chunks;
  }
  frame->norm = sqrt(fold(lane, LANES));
  frame->ok = !bad && isfinite(frame->norm) && isfinite(frame->inverse) && frame->inverse > 0;
  double clip = max_norm / (frame->norm + 1e-6);
  frame->clip = (float)(clip < 1 ? clip : 1);
  double c1 = 1 - power(state->beta1, state->t + 1), c2 = 1 - power(state->beta2, state->t + 1);
  frame->lr = (float)(lr / c1);
  frame->root = (float)sqrt(c2);
  frame->beta1 = (float)(1 - state->beta1);
  frame->beta2 = (float)state->beta2;
  frame->eps = (float)state->eps;
}

// The update of chunks [begin, end), when the gradients are finite.
void update_pass(const Model *model, const Frame *frame, uint64_t begin, uint64_t end, double lr) {
  for (uint64_t row = begin; row < end; ++row) {
    Chunk chunk = model->chunk[row];
    int64_t first = (int64_t)(chunk.index * CHUNK), count = model->numel[chunk.tensor] - first;
    if (count > CHUNK)
      count = CHUNK;
    const _Float16 *restrict g = model->g[chunk.tensor] + first;
    _Float16 *restrict h = model->h[chunk.tensor] + first;
    float *restrict w = model->w[chunk.tensor] + first;
    float *restrict m = model->m[chunk.tensor] + first;
    float *restrict v = model->v[chunk.tensor] + first;
    float keep = (float)(1 - lr * model->decay[chunk.tensor]);
    for (int64_t i = 0; i < count; ++i) {
      float u = (float)g[i] * frame->inverse * frame->clip;
      float m1 = m[i] + (u - m[i]) * frame->beta1;
      float v1 = v[i] * frame->beta2 + (1 - frame->beta2) * u * u;
      float w1 = w[i] * keep - frame->lr * m1 / (sqrtf(v1) / frame->root + frame->eps);
      m[i] = canonical(m1);
      v[i] = canonical(v1);
      w[i] = canonical(w1);
      h[i] = (_Float16)w[i];
    }
  }
}

void final(State *state, const Frame *frame) {
  double scale = state->scale;
  if (frame->ok) {
    state->t++;
    state->applied++;
    state->consecutive = 0;
    if (++state->tracker == state->interval) {
      scale *= state->growth;
      state->tracker = 0;
    }
  } else {
    state->skipped++;
    state->consecutive++;
    scale *= state->backoff;
    state->tracker = 0;
  }
  scale = scale < state->min_scale ? state->min_scale : scale;
  state->scale = (float)(scale > state->max_scale ? state->max_scale : scale);
}
