// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordinary CUDA C++ whose PTX nvcc made once (`generate.sh`): CUB's block and warp algorithms,
// cooperative groups, packed halves, atomics.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;
#define KERNEL extern "C" __global__ void

#ifdef CUB_BLOCK_REDUCE
KERNEL __launch_bounds__(128) k(const int *x, int *out, int n) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  int i = blockIdx.x * 128 + threadIdx.x;
  int sum = Reduce(storage).Sum(i < n ? x[i] : 0);
  __syncthreads();
  int most = Reduce(storage).Reduce(i < n ? x[i] : INT_MIN, ::cuda::maximum<>());
  if (threadIdx.x == 0) {
    out[2 * blockIdx.x] = sum;
    out[2 * blockIdx.x + 1] = most;
  }
}
#endif

#ifdef CUB_BLOCK_SCAN
KERNEL __launch_bounds__(128) k(const int *x, int *out, int n) {
  using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
  using Scan = cub::BlockScan<int, 128>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } storage;
  int items[4], base = blockIdx.x * 512;
  Load(storage.load).Load(x + base, items, n - base, 0);
  __syncthreads();
  Scan(storage.scan).InclusiveSum(items, items);
  __syncthreads();
  Store(storage.store).Store(out + base, items, n - base);
}
#endif

#ifdef CUB_RADIX_SORT
KERNEL __launch_bounds__(128) k(const unsigned *x, unsigned *out, int n) {
  using Sort = cub::BlockRadixSort<unsigned, 128, 4>;
  __shared__ typename Sort::TempStorage storage;
  unsigned items[4];
  for (int j = 0; j < 4; ++j)
    items[j] = x[blockIdx.x * 512 + threadIdx.x * 4 + j];
  Sort(storage).Sort(items);
  for (int j = 0; j < 4; ++j)
    out[blockIdx.x * 512 + threadIdx.x * 4 + j] = items[j];
}
#endif

#ifdef CUB_WARP
KERNEL __launch_bounds__(128) k(const int *x, int *out, int n) {
  using Reduce = cub::WarpReduce<int>;
  using Scan = cub::WarpScan<int>;
  using Small = cub::WarpReduce<int, 8>;
  __shared__ typename Reduce::TempStorage reduce[4];
  __shared__ typename Scan::TempStorage scan[4];
  __shared__ typename Small::TempStorage small[16];
  int i = blockIdx.x * 128 + threadIdx.x, w = threadIdx.x / 32;
  int total = Reduce(reduce[w]).Sum(x[i]);
  total = __shfl_sync(0xffffffff, total, 0);
  int before;
  Scan(scan[w]).ExclusiveSum(x[i], before);
  int eight = Small(small[threadIdx.x / 8]).Sum(x[i]);
  eight = __shfl_sync(0xffffffff, eight, threadIdx.x / 8 * 8 % 32);
  out[i] = total * 3 + before * 5 + eight * 7;
}
#endif

#ifdef GROUPS_TILE
KERNEL k(const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int v = i < n ? x[i] : 0;
  int sum = cg::reduce(tile, v, cg::plus<int>());
  int scanned = cg::inclusive_scan(tile, v, cg::plus<int>());
  int odd = 0;
  if (v & 1) {
    auto active = cg::coalesced_threads();
    odd = active.size() * 100 + active.thread_rank();
  }
  block.sync();
  // Collectives need the whole tile, also past the end.
  int five = tile.any(v == 5);
  if (i < n)
    out[i] = sum + 3 * scanned + 10000 * odd + five;
}
#endif

#ifdef GROUPS_GRID
KERNEL k(int *a, int *b, int n) {
  auto grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int round = 0; round < 3; ++round) {
    if (i < n)
      b[i] = a[(i + 1) % n] + 1;
    grid.sync();
    if (i < n)
      a[i] = b[(i + 2) % n] * 2 % 1000;
    grid.sync();
  }
}
#endif

#ifdef HALF2
KERNEL k(const __half2 *x, const __half2 *y, __half2 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  __half2 a = x[i], b = y[i];
  __half2 r = __hfma2(a, b, __hmul2(a, __float2half2_rn(0.5f)));
  r = __hadd2(r, __hsub2(b, a));
  r = __hmax2(r, __hneg2(b));
  if (__hgt(__low2half(r), __high2half(r)))
    r = __lowhigh2highlow(r);
  out[i] = __halves2half2(__float2half(__half2float(__low2half(r)) + 1.0f), __high2half(r));
}
#endif

#ifdef BFLOAT2
KERNEL k(const __nv_bfloat162 *x, const __nv_bfloat162 *y, __nv_bfloat162 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  __nv_bfloat162 r = __hfma2(x[i], y[i], x[i]);
  float2 wide = __bfloat1622float2(r);
  out[i] = __floats2bfloat162_rn(wide.x + 0.5f, wide.y - 0.5f);
}
#endif

#ifdef HISTOGRAM
KERNEL k(const unsigned char *x, unsigned *out, int n) {
  __shared__ unsigned bins[256];
  for (int j = threadIdx.x; j < 256; j += blockDim.x)
    bins[j] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[x[i]], 1u);
  __syncthreads();
  for (int j = threadIdx.x; j < 256; j += blockDim.x)
    atomicAdd(&out[j], bins[j]);
}
#endif

#ifdef ATOMIC_CAS
__device__ double atomicMaxDouble(double *address, double value) {
  unsigned long long *bits = reinterpret_cast<unsigned long long *>(address);
  unsigned long long old = *reinterpret_cast<volatile unsigned long long *>(bits), assumed;
  do {
    assumed = old;
    if (__longlong_as_double(assumed) >= value)
      break;
    old = atomicCAS(bits, assumed, __double_as_longlong(value));
  } while (old != assumed);
  return __longlong_as_double(old);
}
KERNEL k(const double *x, double *most, int *low, unsigned long long *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atomicMaxDouble(most, x[i]);
  atomicMin(low, (int)x[i]);
  atomicAdd(sum, (unsigned long long)(x[i] * x[i]));
}
#endif

#ifdef MATMUL
KERNEL k(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[16][16], tb[16][17];
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    ta[y][x] = row < n && t + x < n ? a[row * n + t + x] : 0;
    tb[y][x] = col < n && t + y < n ? b[(t + y) * n + col] : 0;
    __syncthreads();
    for (int j = 0; j < 16; ++j)
      sum += ta[y][j] * tb[j][x];
    __syncthreads();
  }
  if (row < n && col < n)
    c[row * n + col] = sum;
}
#endif

#ifdef AGGREGATE
KERNEL k(const int *x, int *out, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int key = x[i] % 7;
  unsigned peers = __match_any_sync(__activemask(), key);
  int lane = threadIdx.x & 31, leader = __ffs(peers) - 1;
  int start = 0;
  if (lane == leader)
    start = atomicAdd(&counts[key], __popc(peers));
  start = __shfl_sync(peers, start, leader);
  int rank = __popc(peers & ((1u << lane) - 1));
  // Where this value goes among its key's values: every place is taken once.
  atomicAdd(&out[key * n + start + rank], x[i]);
}
#endif

#ifdef VIRTUAL
struct Shape {
  __device__ virtual int area(int v) const = 0;
};
struct Square : Shape {
  __device__ int area(int v) const override { return v * v; }
};
struct Strip : Shape {
  int width;
  __device__ explicit Strip(int width) : width(width) {}
  __device__ int area(int v) const override { return v * width; }
};
__device__ __noinline__ int total(const Shape &shape, int v) { return shape.area(v) + shape.area(1); }
KERNEL k(const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Square square;
  Strip strip(3);
  const Shape *shape = x[i] & 1 ? static_cast<const Shape *>(&square) : &strip;
  out[i] = total(*shape, x[i]);
  if (x[i] == 123456)
    printf("never %d\n", x[i]);
}
#endif

#ifdef DOT4
KERNEL k(const int *x, const int *y, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int r = __dp4a(x[i], y[i], 7);
  r += __vadd4(x[i], y[i]) ^ __byte_perm(x[i], y[i], 0x5140);
  r += __funnelshift_l(x[i], y[i], i) + __brev(x[i]) + __mulhi(x[i], y[i]);
  out[i] = r + (int)__umul24(x[i], y[i]) + __sad(x[i], y[i], 1u) + __clz(y[i]) + __ffs(x[i]);
}
#endif
