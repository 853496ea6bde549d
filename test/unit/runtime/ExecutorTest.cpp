// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SgdFixture.h"

#include "sawtooth/runtime/Report.h"

#include <cmath>
#include <mutex>
#include <xmmintrin.h>

using namespace sawtooth::test;

namespace {

const _Float16 infinity = _Float16(INFINITY);

// A list of many tensors of odd sizes; element e of w is e, of g is 2.
std::vector<Sgd::Tensor> manyTensors() {
  std::vector<Sgd::Tensor> tensors;
  for (size_t size : {1u, 0u, 3u, 16383u, 16384u, 16385u, 50000u, 0u}) {
    Sgd::Tensor tensor{"t" + std::to_string(tensors.size()), {}, {}};
    for (size_t e = 0; e < size; ++e) {
      tensor.w.push_back(float(e));
      tensor.g.push_back(_Float16(2));
    }
    tensors.push_back(tensor);
  }
  return tensors;
}

void runsEveryElementOnce(ParallelFor parallelFor) {
  Sgd sgd(parallelFor);
  ASSERT_STATUS_OK(sgd.bind(manyTensors()));
  sgd.slot("s.scale") = std::bit_cast<uint32_t>(2.0f);
  std::unique_ptr<Executor> executor = sgd.executor();
  ASSERT_STATUS_OK(executor->ready());
  EXPECT_TRUE(executor->run().applied);
  uint64_t elements = 0;
  for (const Sgd::Tensor &tensor : sgd.tensors)
    for (size_t e = 0; e < tensor.w.size(); ++e, ++elements)
      ASSERT_EQ(tensor.w[e], float(e) - 1); // g / S = 1, decay 1, lr 1
  EXPECT_EQ(std::bit_cast<double>(executor->logSlot(0)), double(elements));
  EXPECT_EQ(sgd.slot("train.attempted"), 1u);
}

TEST(Executor, OneThread) { runsEveryElementOnce(ParallelFor::serial()); }
TEST(Executor, TwoThreads) { runsEveryElementOnce(ParallelFor::openMp(2)); }

TEST(Executor, AnEmbeddersScheduler) {
  struct Pool {
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
  } pool;
  ParallelFor own;
  own.threads = 4;
  own.user = &pool;
  own.run = [](void *user, uint64_t count, uint64_t grain, ParallelFor::Body *body, void *context) {
    // Backwards, to show that order does not matter.
    for (uint64_t end = count; end > 0;) {
      uint64_t begin = end > grain ? end - grain : 0;
      static_cast<Pool *>(user)->ranges.push_back({begin, end});
      body(context, begin, end);
      end = begin;
    }
  };
  runsEveryElementOnce(own);
  EXPECT_GT(pool.ranges.size(), 2u);
}

TEST(Executor, ParallelForCoversEachElementOnce) {
  for (unsigned threads : {1u, 2u, 3u})
    for (uint64_t count : {0u, 1u, 7u, 64u, 1000u})
      for (uint64_t grain : {1u, 3u, 64u, 5000u}) {
        std::vector<std::atomic<int>> seen(count);
        std::atomic<bool> tooWide{false};
        ParallelFor::openMp(threads)(count, grain, [&](uint64_t begin, uint64_t end) {
          if (end - begin > grain || begin >= end)
            tooWide = true;
          for (uint64_t i = begin; i < end; ++i)
            ++seen[i];
        });
        for (auto &times : seen)
          ASSERT_EQ(times, 1);
        ASSERT_FALSE(tooWide);
      }
}

TEST(Executor, ASkipWritesNothingAndHalvesTheScale) {
  // The bad element in the first, in the last, and in an only place.
  for (auto [tensors, bad] : {std::pair(2, 0), std::pair(2, 1), std::pair(1, 0)}) {
    Sgd sgd;
    std::vector<Sgd::Tensor> given;
    for (int i = 0; i < tensors; ++i)
      given.push_back({std::string(1, char('a' + i)), {1, 2}, {_Float16(1), _Float16(1)}});
    given[bad].g[bad] = infinity;
    ASSERT_STATUS_OK(sgd.bind(given));
    std::unique_ptr<Executor> executor = sgd.executor();
    Outcome outcome = executor->run();
    EXPECT_FALSE(outcome.applied);
    EXPECT_EQ(outcome.causes, 1u);
    for (const Sgd::Tensor &tensor : sgd.tensors)
      EXPECT_EQ(tensor.w, (std::vector<float>{1, 2}));
    EXPECT_EQ(sgd.scale(), 32768.0f);
    EXPECT_EQ(sgd.slot("train.calibration_skips"), 1u);
    EXPECT_EQ(sgd.slot("opt.t"), 0u);
  }
}

// B41: no rows, no pass; the scalar programs run, and the clean step counts.
TEST(Executor, B41EmptyModels) {
  static int passes, scalars;
  passes = scalars = 0;
  for (std::vector<Sgd::Tensor> tensors :
       {std::vector<Sgd::Tensor>{}, {{"a", {}, {}}, {"b", {}, {}}}}) {
    Sgd sgd;
    ASSERT_STATUS_OK(sgd.bind(tensors));
    for (int pass : {1, 3})
      sgd.artifact->functions[pass] = [](const SawtoothCtx *, uint64_t, uint64_t) { ++passes; };
    std::unique_ptr<Executor> executor = sgd.executor();
    EXPECT_TRUE(executor->run().applied);
    EXPECT_EQ(sgd.slot("s.tracker"), 1u);
    EXPECT_EQ(sgd.slot("train.applied"), 1u);
    scalars += int(sgd.slot("train.attempted"));
  }
  EXPECT_EQ(passes, 0);
  EXPECT_EQ(scalars, 2);
}

// B62: the caller flushes subnormals and rounds down; generated code must not notice, and the
// caller must get its settings back.
TEST(Executor, B62SetsAndRestoresTheFloatingPointControl) {
  static std::mutex mutex;
  static std::vector<unsigned> seen;
  seen.clear();
  Sgd sgd(ParallelFor::openMp(2));
  ASSERT_STATUS_OK(sgd.bind(manyTensors()));
  for (auto &function : sgd.artifact->functions)
    function = [](const SawtoothCtx *ctx, uint64_t, uint64_t) {
      static_cast<uint8_t *>(ctx->frame)[0] = 1;
      std::lock_guard<std::mutex> lock(mutex);
      seen.push_back(_mm_getcsr());
    };
  std::unique_ptr<Executor> executor = sgd.executor();
  unsigned before = _mm_getcsr();
  unsigned hostile = 0x1f80 | 0x8040 | 0x2000; // FTZ, DAZ, round down
  _mm_setcsr(hostile);
  executor->run();
  unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after, hostile);
  EXPECT_GE(seen.size(), 5u);
  for (unsigned control : seen)
    EXPECT_EQ(control & ~0x3fu, 0x1f80u); // the low bits are exceptions that happened
}

// B62 with its numbers: S = 2^127 and a gradient of 2^-140 in f32 would both be lost to FTZ.
TEST(Executor, B62SubnormalsSurvive) {
  Sgd sgd;
  ASSERT_STATUS_OK(sgd.bind({{"a", {0}, {_Float16(1)}}}));
  sgd.slot("s.scale") = std::bit_cast<uint32_t>(0x1p127f);
  std::unique_ptr<Executor> executor = sgd.executor();
  unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);
  executor->run();
  _mm_setcsr(before);
  EXPECT_EQ(std::bit_cast<uint32_t>(sgd.tensors[0].w[0]), 0x80400000u); // -2^-127
}

TEST(Executor, NamesWhatIsMissing) {
  SgdOptions options;
  options.edit = [](PlanWriter &plan) { plan.args[0].hasDefault = 0; };
  Sgd sgd(ParallelFor::serial(), options);
  sgd.tensors = {{"a", {1}, {_Float16(1)}}};
  EXPECT_FALSE(Executor::create(*sgd.artifact, 0, *sgd.store).ok()); // not finished
  ASSERT_STATUS_OK(sgd.bindOnly(Sgd::W));
  ASSERT_STATUS_OK(sgd.store->finish());
  EXPECT_EQ(Executor::create(*sgd.artifact, 0, *sgd.store).status().message(),
            "list argument 'g' of step 'train' is not bound");
  ASSERT_STATUS_OK(sgd.bindOnly(Sgd::G));
  std::unique_ptr<Executor> executor = sgd.executor();
  EXPECT_EQ(executor->ready().message(),
            "argument 'lr' of step 'train' has no value and no default");
  EXPECT_EQ(executor->setArg(0, "fast").message(),
            "argument 'lr': expected a number of type f64, got 'fast'");
  ASSERT_STATUS_OK(executor->setArg(0, "0.5"));
  EXPECT_STATUS_OK(executor->ready());
}

// B49: the row says what was skipped, not what the scale did.
TEST(Report, B49RowsSayWhatEachStepDid) {
  Sgd sgd;
  ASSERT_STATUS_OK(sgd.bind({{"a", {1}, {infinity}}}));
  sgd.slot("s.growth_interval") = 1;
  std::unique_ptr<Executor> executor = sgd.executor();
  Reporter reporter(*sgd.store, 16);
  for (bool bad : {true, true, false}) {
    sgd.tensors[0].g[0] = bad ? infinity : _Float16(4);
    executor->run();
    reporter.record(*executor);
  }
  StatusRow row;
  double scales[] = {32768, 16384, 32768};
  for (int64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(reporter.next(row));
    EXPECT_EQ(row.sequence, uint64_t(i));
    EXPECT_EQ(row.attempted, i + 1);
    EXPECT_EQ(row.applied, i == 2);
    EXPECT_EQ(row.causes, i == 2 ? 0u : 1u);
    ASSERT_EQ(row.scalers.size(), 1u);
    EXPECT_TRUE(row.scalers[0].hasScale);
    EXPECT_EQ(row.scalers[0].scale, scales[i]);
    EXPECT_EQ(row.scalers[0].skipped, i == 0 ? 1 : 2);
    EXPECT_EQ(row.scalers[0].consecutiveSkips, i == 2 ? 0 : i + 1);
    EXPECT_FALSE(row.scalers[0].stuck);
    ASSERT_EQ(row.logs.size(), 1u);
  }
  EXPECT_EQ(std::bit_cast<double>(row.logs[0]), 0x1p-24); // (4 / 16384)^2
  EXPECT_EQ(row.calibrationSkips, 2);
  EXPECT_FALSE(reporter.next(row));
}

TEST(Report, StuckScalersAreSeen) {
  Sgd sgd;
  ASSERT_STATUS_OK(sgd.bind({{"a", {1}, {infinity}}}));
  sgd.slot("s.max_consecutive_skips") = 2;
  std::unique_ptr<Executor> executor = sgd.executor();
  Reporter reporter(*sgd.store, 4);
  StatusRow row;
  for (bool stuck : {false, true}) {
    executor->run();
    reporter.record(*executor);
    ASSERT_TRUE(reporter.next(row));
    EXPECT_EQ(row.scalers[0].stuck, stuck);
  }
}

} // namespace
