// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the contract's order of reductions costs: AdamW's and LAMB's norm passes, written by hand as
// the compiler generates them, against the same passes that add in whatever order is fastest (eight
// registers for each sum, folded at the end of a range). In turns, on one thread and on several.
//
//   clang++-22 -std=c++20 -O3 -ffp-contract=off -fopenmp=libomp -march=x86-64-v3 reductions.cpp
//   clang++-22 … -march=x86-64-v4 -mprefer-vector-width=512 …
//   ./a.out [MILLION ELEMENTS [TURNS]]
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <omp.h>

namespace {

#ifdef __AVX512F__
constexpr int kWidth = 16;
#else
constexpr int kWidth = 8;
#endif
constexpr long kChunk = 16384, kLanes = 256, kVectors = 4; // vectors in a round

typedef float Floats __attribute__((vector_size(4 * kWidth)));
typedef int Ints __attribute__((vector_size(4 * kWidth)));
typedef _Float16 Halves __attribute__((vector_size(2 * kWidth), aligned(2), may_alias));
typedef float Memory __attribute__((vector_size(4 * kWidth), aligned(4), may_alias));

Floats load(const float *p) { return *reinterpret_cast<const Memory *>(p); }
Floats load(const _Float16 *p) {
  return __builtin_convertvector(*reinterpret_cast<const Halves *>(p), Floats);
}
void store(float *p, Floats x) { *reinterpret_cast<Memory *>(p) = x; }

/// One sum of a chunk: 256 lanes on the stack, element e in lane e mod 256, folded by halving.
struct ContractSum {
  alignas(64) float lane[kLanes] = {};
  void add(long element, int, Floats x) {
    float *place = lane + (element & (kLanes - 1));
    store(place, load(place) + x);
  }
  double fold() {
    for (long half = kLanes / 2; half; half /= 2)
      for (long l = 0; l < half; ++l)
        lane[l] += lane[l + half];
    return lane[0];
  }
};

/// The same in registers, one for each vector of a round, in any order.
struct FreeSum {
  Floats lane[kVectors] = {};
  void add(long, int vector, Floats x) { lane[vector] += x; }
  double fold() {
    Floats all = {};
    for (Floats x : lane)
      all += x;
    float sum = 0;
    for (int l = 0; l < kWidth; ++l)
      sum += all[l];
    return sum;
  }
};

struct Data {
  _Float16 *half;
  float *g, *w, *m, *v;
  double *partial; // by chunk, two each
  long elements;
};

/// Sum of squares of u = g / S, and whether all are finite.
template <typename Sum, typename Element>
void normPass(const Element *g, double *partial, long begin, long end) {
  const Floats inverse = Floats{} + 0x1p-16f;
  Sum sum;
  Ints bad = {};
  for (long i = begin; i < end; i += kVectors * kWidth)
    for (int k = 0; k < kVectors; ++k) {
      Floats u = load(g + i + k * kWidth) * inverse;
      bad |= ((Ints)u & 0x7fffffff) > 0x7f7fffff;
      sum.add(i - begin + k * kWidth, k, u * u);
    }
  int any = 0;
  for (int l = 0; l < kWidth; ++l)
    any |= bad[l];
  partial[0] = sum.fold();
  partial[1] = any;
}

Floats squareRoot(Floats x) { return __builtin_elementwise_sqrt(x); }

/// LAMB's second pass: m and v, and the sums of squares of the weights and of the update.
template <typename Sum>
void lambPass(const Data &data, double *partial, long begin, long end) {
  const Floats inverse = Floats{} + 0x1p-16f, clip = Floats{} + 0.75f;
  Sum ofWeights, ofUpdates;
  for (long i = begin; i < end; i += kVectors * kWidth) {
    Floats u[kVectors], m[kVectors], v[kVectors];
    for (int k = 0; k < kVectors; ++k)
      u[k] = load(data.half + i + k * kWidth) * inverse * clip;
    for (int k = 0; k < kVectors; ++k) {
      m[k] = load(data.m + i + k * kWidth) * 0.9f + u[k] * 0.1f;
      store(data.m + i + k * kWidth, m[k]);
    }
    for (int k = 0; k < kVectors; ++k) {
      v[k] = load(data.v + i + k * kWidth) * 0.999f + u[k] * u[k] * 0.001f;
      store(data.v + i + k * kWidth, v[k]);
    }
    for (int k = 0; k < kVectors; ++k) {
      Floats w = load(data.w + i + k * kWidth);
      Floats x = m[k] / 0.19f / (squareRoot(v[k]) / 0.0447f + 1e-6f) + w * 0.01f;
      ofWeights.add(i - begin + k * kWidth, k, w * w);
      ofUpdates.add(i - begin + k * kWidth, k, x * x);
    }
  }
  partial[0] = ofWeights.fold();
  partial[1] = ofUpdates.fold();
}

template <typename T>
T *allocate(long count) {
  void *memory =
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    std::exit((std::fprintf(stderr, "no memory\n"), 1));
  madvise(memory, count * sizeof(T), MADV_HUGEPAGE);
  return static_cast<T *>(memory);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

} // namespace

int main(int argc, char **argv) {
  const long chunks = (argc > 1 ? std::atol(argv[1]) : 124) * 1000000 / kChunk;
  const int turns = argc > 2 ? std::atoi(argv[2]) : 11;
  const long n = chunks * kChunk;
  Data data{allocate<_Float16>(n),
            allocate<float>(n),
            allocate<float>(n),
            allocate<float>(n),
            allocate<float>(n),
            allocate<double>(2 * chunks),
            n};
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    data.half[i] = static_cast<_Float16>(i % 1021 - 510);
    data.g[i] = static_cast<float>(i % 1021 - 510);
    data.w[i] = static_cast<float>(i % 97) * 0.01f;
    data.m[i] = data.v[i] = 1e-3f;
  }
  using Pass = std::function<void(double *, long, long)>;
  struct Row {
    const char *name;
    Pass contract, free;
  };
  const Row rows[] = {
      {"AdamW's norm pass, f16",
       [&](double *p, long b, long e) { normPass<ContractSum>(data.half, p, b, e); },
       [&](double *p, long b, long e) { normPass<FreeSum>(data.half, p, b, e); }},
      {"AdamW's norm pass, f32",
       [&](double *p, long b, long e) { normPass<ContractSum>(data.g, p, b, e); },
       [&](double *p, long b, long e) { normPass<FreeSum>(data.g, p, b, e); }},
      {"LAMB's norm pass, f16",
       [&](double *p, long b, long e) { lambPass<ContractSum>(data, p, b, e); },
       [&](double *p, long b, long e) { lambPass<FreeSum>(data, p, b, e); }},
  };
  std::printf("%ld elements, vectors of %d, medians of %d\n", n, kWidth, turns);
  for (int threads : {1, omp_get_num_procs()})
    for (const Row &row : rows) {
      std::vector<double> seconds[2];
      for (int turn = 0; turn <= turns; ++turn)
        for (int way : {0, 1}) {
          const Pass &pass = way ? row.free : row.contract;
          auto begin = std::chrono::steady_clock::now();
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
          for (long chunk = 0; chunk < chunks; ++chunk)
            pass(data.partial + 2 * chunk, chunk * kChunk, (chunk + 1) * kChunk);
          std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
          if (turn)
            seconds[way].push_back(time.count());
        }
      double contract = median(seconds[0]), free = median(seconds[1]);
      std::printf("  %-24s %d thread%s  contract %7.2f ms  free %7.2f ms  ratio %.3f\n", row.name,
                  threads, threads > 1 ? "s" : " ", contract * 1e3, free * 1e3, contract / free);
    }
}
