// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/Bench.h"

#include "bench/Shapes.h"
#include "bench/Trial.h"

#include <algorithm>

using namespace sawtooth;
using namespace sawtooth::bench;
using namespace sawtooth::runtime;

Times bench::summarize(std::vector<double> seconds) {
  if (seconds.empty())
    return {};
  std::sort(seconds.begin(), seconds.end());
  size_t half = seconds.size() / 2;
  double median = seconds.size() % 2 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  return {seconds.front(), median, seconds.back()};
}

Result<Report> bench::measure(const Artifact &artifact, uint32_t step, const Options &options) {
  Result<std::unique_ptr<Trial>> created =
      Trial::create(artifact, step, options.tensors, options.threads);
  if (!created.ok())
    return created.status();
  Trial &trial = **created;

  Report report;
  report.tensors = options.tensors.size();
  for (const TensorSpec &tensor : options.tensors)
    report.parameters += *countElements(tensor.dims);
  report.bytesPerParameter =
      report.parameters ? trial.bytes(true) / static_cast<double>(report.parameters) : 0;

  // The first run touches pages and caches, for all three.
  bool applied = false;
  report.firstStepSeconds = trial.runStep(false, applied);
  trial.tuneBound();
  trial.runCopy();

  // The same steps are skipped in every run: those where the running sum of the rate reaches one.
  double due = 0;
  std::vector<double> steps, bounds, copies, ratios, rates, boundRates;
  for (unsigned i = 0; i < options.steps; ++i) {
    bool skip = trial.canSkip() && (due += options.skipRate) >= 1.0;
    due -= skip;
    double stepSeconds = trial.runStep(skip, applied);
    double boundSeconds = trial.runBound(applied);
    report.skipped += !applied;
    steps.push_back(stepSeconds);
    bounds.push_back(boundSeconds);
    copies.push_back(trial.runCopy());
    ratios.push_back(stepSeconds / boundSeconds);
    rates.push_back(trial.bytes(applied) / stepSeconds);
    boundRates.push_back(trial.bytes(applied) / boundSeconds);
  }
  report.step = summarize(steps);
  report.bound = summarize(bounds);
  report.ratioToBound = summarize(ratios).median;
  report.bytesPerSecond = summarize(rates).median;
  report.boundBytesPerSecond = summarize(boundRates).median;
  report.copyBytesPerSecond = trial.copyBytes() / summarize(copies).median;
  return report;
}

Result<double> bench::fixedCost(const Artifact &artifact, uint32_t step) {
  std::vector<double> sizes, medians;
  for (int64_t size = 1000; size <= 10000; size += 1000) {
    std::vector<TensorSpec> tensors;
    for (int i = 0; i < 20; ++i)
      tensors.push_back({"t" + std::to_string(i), {size}});
    Result<std::unique_ptr<Trial>> trial = Trial::create(artifact, step, tensors, /*threads=*/1);
    if (!trial.ok())
      return trial.status();
    std::vector<double> seconds;
    bool applied;
    for (int i = 0; i < 200; ++i)
      seconds.push_back((*trial)->runStep(false, applied));
    sizes.push_back(20.0 * static_cast<double>(size));
    medians.push_back(summarize(seconds).median);
  }
  // The straight line with the least squares.
  double n = static_cast<double>(sizes.size()), x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    x += sizes[i], y += medians[i];
    xx += sizes[i] * sizes[i], xy += sizes[i] * medians[i];
  }
  return (xx * y - x * xy) / (n * xx - x * x);
}
