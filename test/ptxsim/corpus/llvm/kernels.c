// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the corpus, for clang's NVPTX target. `generate.py` turns them into LLVM IR once, and
// the IR into PTX for every chip. No contraction: each operation rounds by itself.

#define KERNEL __attribute__((device_kernel))
#define SHARED __attribute__((address_space(3)))
#define NOINLINE __attribute__((noinline))
#define TID __nvvm_read_ptx_sreg_tid_x()
#define BLOCK __nvvm_read_ptx_sreg_ctaid_x()
#define BLOCKS __nvvm_read_ptx_sreg_nctaid_x()
#define THREADS __nvvm_read_ptx_sreg_ntid_x()
#define BARRIER() __syncthreads()
#define FENCE() __scoped_atomic_thread_fence(__ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE)
#define ADD(p, v) __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define LOAD(p) __scoped_atomic_load_n(p, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)

typedef unsigned u32;
typedef unsigned long long u64;
typedef long long s64;

struct Adam {
  float lr, beta1, beta2, eps, decay, correction1, correction2;
};

static float adam(float p, float g, float *m, float *v, const struct Adam *c) {
  float mi = c->beta1 * *m + (1.0f - c->beta1) * g;
  float vi = c->beta2 * *v + (1.0f - c->beta2) * (g * g);
  *m = mi;
  *v = vi;
  float step = mi / c->correction1 / (__builtin_sqrtf(vi / c->correction2) + c->eps);
  return p - c->lr * (step + c->decay * p);
}

#ifdef ADAMW_F32
KERNEL void k(float *restrict p, const float *restrict g, float *restrict m, float *restrict v, u32 n,
              struct Adam c) {
  for (u32 i = BLOCK * THREADS + TID; i < n; i += BLOCKS * THREADS)
    p[i] = adam(p[i], g[i], &m[i], &v[i], &c);
}
#endif

#ifdef ADAMW_F16
KERNEL void k(float *restrict p, const _Float16 *restrict g, float *restrict m, float *restrict v,
              u32 n, struct Adam c) {
  for (u32 i = BLOCK * THREADS + TID; i < n; i += BLOCKS * THREADS)
    p[i] = adam(p[i], (float)g[i], &m[i], &v[i], &c);
}
#endif

#ifdef ADAMW_BF16
KERNEL void k(__bf16 *restrict p, const __bf16 *restrict g, float *restrict m, float *restrict v, u32 n,
              struct Adam c) {
  for (u32 i = BLOCK * THREADS + TID; i < n; i += BLOCKS * THREADS)
    p[i] = (__bf16)adam((float)p[i], (float)g[i], &m[i], &v[i], &c);
}
#endif

#ifdef STOCHASTIC
// Philox 4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3".
KERNEL void k(const float *restrict x, unsigned short *restrict out, u32 n, u64 seed) {
  u32 i = BLOCK * THREADS + TID;
  if (i >= n)
    return;
  u32 c0 = i, c1 = 0, c2 = 0, c3 = 0, k0 = (u32)seed, k1 = (u32)(seed >> 32);
  for (int r = 0; r < 10; ++r) {
    u64 a = (u64)0xD2511F53u * c0, b = (u64)0xCD9E8D57u * c2;
    c0 = (u32)(b >> 32) ^ c1 ^ k0;
    c1 = (u32)b;
    c2 = (u32)(a >> 32) ^ c3 ^ k1;
    c3 = (u32)a;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  u32 bits = __builtin_bit_cast(u32, x[i]);
  out[i] = (unsigned short)((bits + (c0 & 0xffff)) >> 16);
}
#endif

#ifdef REDUCE
static SHARED float tile[256];
KERNEL void k(const float *restrict x, float *out, u32 n) {
  u32 t = TID;
  float sum = 0;
  for (u32 i = BLOCK * 256 + t; i < n; i += BLOCKS * 256)
    sum += x[i];
  tile[t] = sum;
  BARRIER();
  for (u32 k = 128; k > 0; k >>= 1) {
    if (t < k)
      tile[t] += tile[t + k];
    BARRIER();
  }
  if (t == 0)
    ADD(out, tile[0]);
}
#endif

#ifdef LAST_BLOCK
static SHARED float tile[128];
static SHARED u32 ticket;
KERNEL void k(const float *restrict x, float *out, float *partials, u32 *counter, u32 n) {
  u32 t = TID;
  float sum = 0;
  for (u32 i = BLOCK * 128 + t; i < n; i += BLOCKS * 128)
    sum += x[i] * x[i];
  tile[t] = sum;
  BARRIER();
  for (u32 k = 64; k > 0; k >>= 1) {
    if (t < k)
      tile[t] += tile[t + k];
    BARRIER();
  }
  if (t == 0) {
    partials[BLOCK] = tile[0];
    FENCE();
    ticket = ADD(counter, 1u);
    FENCE();
  }
  BARRIER();
  if (ticket != BLOCKS - 1 || t != 0)
    return;
  float total = 0;
  for (u32 i = 0; i < BLOCKS; ++i)
    total += partials[i];
  *out = __builtin_sqrtf(total);
}
#endif

#ifdef GRID_SYNC
static void grid_sync(u32 *counter, u32 round) {
  BARRIER();
  if (TID == 0) {
    FENCE();
    ADD(counter, 1u);
    while (LOAD(counter) < round * BLOCKS)
      ;
    FENCE();
  }
  BARRIER();
}
KERNEL void k(float *a, float *b, u32 *counter, u32 n) {
  u32 i = BLOCK * THREADS + TID;
  for (u32 round = 1; round <= 4; ++round) {
    if (i < n)
      b[i] = a[(i + 1) % n] + a[i];
    grid_sync(counter, 2 * round - 1);
    if (i < n)
      a[i] = b[(i + n - 1) % n] * 0.5f;
    grid_sync(counter, 2 * round);
  }
}
#endif

#ifdef DIVERGENT
KERNEL void k(const u32 *x, u32 *out, u32 n) {
  u32 i = BLOCK * THREADS + TID;
  if (i >= n)
    return;
  u64 v = x[i];
  u32 steps = 0;
  while (v > 1) {
    if (v & 1) {
      v = 3 * v + 1;
      for (u32 j = 0; j < (v & 3); ++j)
        steps += 2;
    } else {
      v >>= 1;
      if (steps > 300)
        break;
    }
    ++steps;
  }
  out[i] = steps;
}
#endif

#ifdef SWITCH
KERNEL void k(const u32 *x, u32 *out, u32 n) {
  u32 i = BLOCK * THREADS + TID;
  if (i >= n)
    return;
  u32 v = x[i], r;
  switch (v % 11) {
  case 0: r = v * 3; break;
  case 1: r = v ^ 0x55; break;
  case 2: r = v / 7; break;
  case 3: r = v << 3; break;
  case 4: r = ~v; break;
  case 5: r = v % 13; break;
  case 6: r = __builtin_popcount(v); break;
  case 7: r = v ? __builtin_clz(v) : 32; break;
  case 8: r = __builtin_bitreverse32(v); break;
  case 9: r = __builtin_rotateleft32(v, 5); break;
  default: r = v; break;
  }
  out[i] = r;
}
#endif

#ifdef LOCAL_ARRAY
KERNEL void k(const u32 *x, u32 *out, u32 n) {
  u32 i = BLOCK * THREADS + TID;
  if (i >= n)
    return;
  u32 a[16];
  for (int j = 0; j < 16; ++j)
    a[j] = x[(i * 16 + j) % n];
  // Insertion sort, then the value at an index that depends on the data.
  for (int j = 1; j < 16; ++j) {
    u32 v = a[j];
    int h = j;
    for (; h > 0 && a[h - 1] > v; --h)
      a[h] = a[h - 1];
    a[h] = v;
  }
  out[i] = a[x[i] & 15];
}
#endif

#ifdef BYVAL
struct Table {
  u32 length;
  float scale;
  u32 index[24];
  u64 bias[4];
};
KERNEL void k(const float *x, double *out, struct Table table, u32 n) {
  u32 i = BLOCK * THREADS + TID;
  if (i >= n)
    return;
  u32 at = table.index[i % table.length];
  out[i] = (double)(x[at] * table.scale) + (double)table.bias[i & 3];
}
#endif

#ifdef WARP
KERNEL void k(const int *x, int *out, u32 n) {
  u32 i = BLOCK * THREADS + TID, lane = TID & 31;
  int v = i < n ? x[i] : 0, sum = v;
  for (int d = 1; d < 32; d <<= 1) {
    int other = __nvvm_shfl_sync_up_i32(0xffffffff, sum, d, 0);
    if ((int)lane >= d)
      sum += other;
  }
  u32 odd = __nvvm_vote_ballot_sync(0xffffffff, v & 1);
  int all = __nvvm_vote_all_sync(0xffffffff, v > -1000);
  int any = __nvvm_vote_any_sync(0xffffffff, v == 77);
  int most = v;
  for (int d = 16; d > 0; d >>= 1) {
    int other = __nvvm_shfl_sync_bfly_i32(0xffffffff, most, d, 31);
    most = other > most ? other : most;
  }
  if (i < n)
    out[i] = sum * 7 + __builtin_popcount(odd) + all * 1000 + any * 2000 + most * 3;
}
#endif

#ifdef INTEGERS
KERNEL void k(const s64 *a, const s64 *b, s64 *out, u32 n) {
  u32 i = BLOCK * THREADS + TID;
  if (i >= n)
    return;
  s64 x = a[i], y = b[i] | 1;
  u64 ux = (u64)x, uy = (u64)y;
  s64 r = x / y + x % y;
  r ^= (s64)(ux / uy + ux % uy);
  r += (s64)((unsigned __int128)ux * uy >> 64);
  r ^= (int)x / ((int)y | 1) + (short)x;
  r += (signed char)y + (unsigned char)(x >> 9) + (s64)(ux >> (y & 63));
  r += x > y ? x : y;
  out[i] = r;
}
#endif

#ifdef CONVERSIONS
KERNEL void k(const float *x, double *out, u32 n) {
  u32 i = BLOCK * THREADS + TID;
  if (i >= n)
    return;
  float v = x[i];
  double r = (double)(int)v + (double)(u32)__builtin_fabsf(v) * 0.5;
  r += (double)(s64)(v * 1000.0f) + (double)(float)(_Float16)v + (double)(float)(__bf16)v;
  r += __builtin_floorf(v) + __builtin_ceilf(v) + __builtin_truncf(v) + __builtin_rintf(v);
  r += (double)(float)(s64)(v * 3.0f) + __builtin_sqrt((double)__builtin_fabsf(v));
  r -= (double)__builtin_copysignf(2.0f, v) + (double)__builtin_fmaxf(v, 0.25f) - (double)__builtin_fminf(v, -0.25f);
  out[i] = r / 3.0;
}
#endif

#ifdef DYNAMIC_SHARED
extern SHARED u32 dynamic[];
KERNEL void k(const u32 *restrict x, u32 *restrict out, u32 n) {
  // Transposes tiles of 32 x 8 through padded rows.
  u32 t = TID, base = BLOCK * 256;
  dynamic[(t % 32) * 9 + t / 32] = x[base + t];
  BARRIER();
  out[base + t] = dynamic[(t / 8) * 9 + t % 8];
}
#endif

#ifdef CALLS
static NOINLINE u32 ackermann(u32 m, u32 n) {
  if (m == 0)
    return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
KERNEL void k(const u32 *x, u32 *out, u32 n) {
  u32 i = BLOCK * THREADS + TID;
  if (i < n)
    out[i] = ackermann(x[i] % 3, i % 5);
}
#endif
