// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/Bench.h"

#include "bench/CpuTrial.h"
#include "bench/GpuTrial.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

bool bench::mustSkip(double rate, unsigned number) {
  // Most rates are decimals, a little beside the number that is meant: 100 * 0.29 is below 29.
  auto before = [&](unsigned steps) { return std::floor(steps * rate + 1e-9); };
  return before(number + 1) > before(number);
}

Result<Report> bench::measure(Trial &trial, const Options &options) {
  Report report;
  report.tensors = trial.tensors();
  report.parameters = trial.parameters();
  report.tookTensors = trial.tookTensors();
  report.steps = options.steps;
  report.bytesPerParameter =
      report.parameters ? trial.bytes(true) / static_cast<double>(report.parameters) : 0;
  if (options.skipRate > 0 && !trial.canSkip())
    return Status::error(
        StatusCode::Invalid,
        "--skip-rate: the step takes no list with an element that could be infinite");

  // The first run touches pages and caches, for all three.
  Result<Trial::Run> first = trial.runStep(false);
  if (!first.ok())
    return first.status();
  report.firstStepSeconds = first->seconds;
  SAWTOOTH_TRY(trial.warmUp());

  std::vector<double> steps, bounds, copies, ratios, rates, boundRates;
  for (unsigned i = 0; i < options.steps; ++i) {
    Result<Trial::Run> step = trial.runStep(mustSkip(options.skipRate, i));
    if (!step.ok())
      return step.status();
    Result<double> bound = trial.runBound(step->applied);
    if (!bound.ok())
      return bound.status();
    Result<double> copy = trial.runCopy();
    if (!copy.ok())
      return copy.status();
    report.skipped += !step->applied;
    // A step without elements may take no time, as far as the clock tells.
    auto quotient = [](double a, double b) { return b > 0 ? a / b : 0; };
    double bytes = trial.bytes(step->applied);
    steps.push_back(step->seconds);
    bounds.push_back(*bound);
    copies.push_back(quotient(trial.copyBytes(), *copy));
    ratios.push_back(quotient(step->seconds, *bound));
    rates.push_back(quotient(bytes, step->seconds));
    boundRates.push_back(quotient(bytes, *bound));
  }
  report.step = summarize(steps);
  report.bound = summarize(bounds);
  report.ratioToBound = summarize(ratios).median;
  report.bytesPerSecond = summarize(rates).median;
  report.boundBytesPerSecond = summarize(boundRates).median;
  report.copyBytesPerSecond = summarize(copies).median;
  return report;
}

Result<Report> bench::measure(const Artifact &artifact, uint32_t step, const Options &options) {
  Result<std::unique_ptr<CpuTrial>> trial =
      CpuTrial::create(artifact, step, options.tensors, options.threads);
  return trial.ok() ? measure(**trial, options) : Result<Report>(trial.status());
}

Result<Report> bench::measureOnGpu(const Artifact &artifact, uint32_t step,
                                   const cuda::DevicePointer &device, const Options &options) {
  Result<std::unique_ptr<GpuTrial>> trial =
      GpuTrial::create(artifact, step, options.tensors, device);
  if (!trial.ok())
    return trial.status();
  Result<Report> report = measure(**trial, options);
  if (report.ok())
    report->leftOut = (*trial)->leftOut();
  return report;
}

Result<double> bench::fixedCost(const Artifact &artifact, uint32_t step) {
  std::vector<double> sizes, medians;
  for (int64_t size = 1000; size <= 10000; size += 1000) {
    std::vector<TensorSpec> tensors;
    for (int i = 0; i < 20; ++i)
      tensors.push_back({"t" + std::to_string(i), {size}});
    Result<std::unique_ptr<CpuTrial>> trial =
        CpuTrial::create(artifact, step, tensors, /*threads=*/1);
    if (!trial.ok())
      return trial.status();
    if (!(*trial)->tookTensors())
      return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> seconds;
    for (int i = 0; i < 200; ++i)
      seconds.push_back((*trial)->runStep(false)->seconds);
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
