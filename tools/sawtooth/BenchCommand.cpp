// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Gpu.h"
#include "Module.h"
#include "Output.h"
#include "bench/Bench.h"
#include "bench/Shapes.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdlib>
#include <filesystem>
#include <thread>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

static const char *const help = R"(usage: sawtooth bench STEP.mlir|STEP.so [OPTION...]

Times a step over lists on random data, in turns with a plain streaming loop over
the same buffers with the same reads and writes: the bound; on a GPU, with a copy
within its memory. Medians of one run. Arguments without a default are 1.

  --tensors LIST   gpt2 (default), gpt2-xl, resnet50, llama-7b, COUNTxSIZE, or
                   FILE.json: {"name": [dims], ...}
  --step NAME      what to time (default: the only step that commits)
  --steps N        how often (default 20)
  --skip-rate P    share of the steps that find an infinity (default 0)
  --threads N      (default: all)
  --json           for scripts
  --target TARGET  cpu (default) or nvptx
  --chip CHIP      native (default), x86-64-v3 or x86-64-v4; sm_75 to sm_121

example:
  sawtooth bench examples/adamw/step.mlir --tensors gpt2 --threads 2
)";

/// The step of that name, or the only one that commits.
static Result<uint32_t> chooseStep(const Plan &plan, const std::string &name) {
  if (!name.empty()) {
    if (std::optional<uint32_t> step = plan.findStep(name))
      return *step;
    return Status::error(StatusCode::NotFound, "there is no step '" + name + "'");
  }
  std::optional<uint32_t> found;
  for (uint32_t step = 0; step < plan.steps().size(); ++step)
    if (plan.steps()[step].commits) {
      if (found)
        return Status::error(StatusCode::Invalid, "several steps commit: say which with --step");
      found = step;
    }
  if (!found)
    return Status::error(StatusCode::Invalid, "no step commits: say which to time with --step");
  return *found;
}

static nlohmann::json toJson(const bench::Times &times) {
  return {{"min", times.min}, {"median", times.median}, {"max", times.max}};
}

static double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// How long it takes to load the module when a cache, here one of our own, already holds it.
static Result<double> timeCached(const std::string &input, const TargetOptions &target) {
  std::string folder = (std::filesystem::temp_directory_path() / "sawtooth-bench-XXXXXX").string();
  if (!mkdtemp(folder.data()))
    return Status::error(StatusCode::Io, folder + ": cannot create");
  Status status = ModuleSource(target, folder).load(input).status();
  auto begin = std::chrono::steady_clock::now();
  if (status.ok())
    status = ModuleSource(target, folder).load(input).status();
  double seconds = secondsSince(begin);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return status.ok() ? Result<double>(seconds) : Result<double>(status);
}

static Result<bench::Report> measureGpu(const Artifact &artifact, uint32_t step,
                                        const bench::Options &options) {
  Result<cuda::DevicePointer> device = firstGpu();
  return device.ok() ? bench::measureOnGpu(artifact, step, *device, options)
                     : Result<bench::Report>(device.status());
}

/// What a step costs beside its elements: one that has a single one. NaN as bench::fixedCost().
static Result<double> fixedCostOfGpu(const Artifact &artifact, uint32_t step) {
  bench::Options options;
  options.tensors = {{"a", {1}}};
  Result<bench::Report> report = measureGpu(artifact, step, options);
  if (!report.ok())
    return report.status();
  return report->tookTensors ? report->step.median : NAN;
}

/// printf into a string.
[[gnu::format(printf, 1, 2)]] static std::string line(const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return text;
}

static std::string reportText(const bench::Report &report, const std::string &where,
                              double compileSeconds, double cachedSeconds) {
  auto times = [](const char *what, const bench::Times &seconds) {
    return line("  %-10s  %8.3f ms   (%.3f to %.3f", what, seconds.median * 1e3, seconds.min * 1e3,
                seconds.max * 1e3);
  };
  return line("%.1f M parameters in %llu tensor%s, %g bytes each, %s\n",
              static_cast<double>(report.parameters) * 1e-6,
              static_cast<unsigned long long>(report.tensors), report.tensors == 1 ? "" : "s",
              report.bytesPerParameter, where.c_str()) +
         line("  compile     %8.1f ms   (from the cache: %.1f ms)\n", compileSeconds * 1e3,
              cachedSeconds * 1e3) +
         line("  first step  %8.2f ms\n", report.firstStepSeconds * 1e3) +
         times("step", report.step) +
         line(" over %u, %llu skipped)\n", report.steps,
              static_cast<unsigned long long>(report.skipped)) +
         times("bound", report.bound) + ")\n" + line("  step/bound  %8.3f\n", report.ratioToBound) +
         line("  moved       %8.2f GB/s  (the bound: %.2f, a copy: %.2f)\n",
              report.bytesPerSecond * 1e-9, report.boundBytesPerSecond * 1e-9,
              report.copyBytesPerSecond * 1e-9);
}

int benchCommand(int argc, char **argv) {
  TargetOptions target;
  bench::Options options;
  std::string input, tensors = "gpt2", stepName;
  bool json = false;
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  CLI::App app("", "bench");
  app.add_option("STEP.mlir", input)->required();
  const CLI::Option *tensorsOption = app.add_option("--tensors", tensors);
  app.add_option("--step", stepName);
  app.add_option("--steps", options.steps)->check(CLI::Range(1u, 1000000u));
  app.add_option("--skip-rate", options.skipRate)->check(share());
  app.add_option("--threads", options.threads)->check(CLI::Range(1u, 4096u));
  app.add_flag("--json", json);
  addTargetOptions(app, target);
  if (std::optional<int> code = parse(app, argc, argv, help))
    return *code;

  if (Status status = resolveTarget(target, /*runs=*/true); !status.ok())
    return failTarget(status);
  Result<std::vector<TensorSpec>> specs = bench::tensorsOf(tensors);
  if (!specs.ok())
    return fail(specs.status().of("--tensors"));
  options.tensors = std::move(*specs);

  auto begin = std::chrono::steady_clock::now();
  Result<Module> module = ModuleSource(target, "").load(input);
  if (!module.ok())
    return fail(module.status());
  double compileSeconds = secondsSince(begin);
  Result<double> cachedSeconds = timeCached(input, target);
  if (!cachedSeconds.ok())
    return fail(cachedSeconds.status());

  Result<uint32_t> step = chooseStep(module->plan(), stepName);
  if (!step.ok())
    return fail(step.status());
  bool gpu = module->artifact().isForGpu();
  Result<bench::Report> measured = gpu ? measureGpu(module->artifact(), *step, options)
                                       : bench::measure(module->artifact(), *step, options);
  if (!measured.ok())
    return fail(measured.status());
  const bench::Report &report = *measured;
  Result<double> fixedSeconds =
      gpu ? fixedCostOfGpu(module->artifact(), *step) : bench::fixedCost(module->artifact(), *step);
  if (!fixedSeconds.ok())
    return fail(fixedSeconds.status());
  if (!report.tookTensors && tensorsOption->count())
    note("--tensors is not used: the module itself says which tensors its model has");
  if (report.leftOut)
    note("only " + std::to_string(options.tensors.size() - report.leftOut) + " of " +
         std::to_string(options.tensors.size()) + " tensors fit on the device");

  if (json) {
    nlohmann::ordered_json out;
    out["parameters"] = report.parameters;
    out["tensors"] = report.tensors;
    out["bytes_per_parameter"] = report.bytesPerParameter;
    out["compile_seconds"] = compileSeconds;
    out["cached_compile_seconds"] = *cachedSeconds;
    out["first_step_seconds"] = report.firstStepSeconds;
    out["seconds_per_step"] = toJson(report.step);
    out["bound_seconds"] = toJson(report.bound);
    out["ratio_to_bound"] = report.ratioToBound;
    out["bytes_per_second"] = report.bytesPerSecond;
    out["bound_bytes_per_second"] = report.boundBytesPerSecond;
    out["copy_bytes_per_second"] = report.copyBytesPerSecond;
    out["fixed_seconds_per_step"] = *fixedSeconds;
    out["skipped"] = report.skipped;
    out["threads"] = options.threads;
    result(out.dump(2) + "\n");
    return Success;
  }
  std::string threads =
      std::to_string(options.threads) + " thread" + (options.threads > 1 ? "s" : "");
  result(input + " on " + (report.tookTensors ? tensors : "its own tensors") + ": " +
         reportText(report, gpu ? target.chip : threads, compileSeconds, *cachedSeconds));
  if (!std::isnan(*fixedSeconds))
    result(line("  fixed cost  %8.2f us a step, ", *fixedSeconds * 1e6) +
           (gpu ? "of one that has a single element\n" : "beside its elements, on one thread\n"));
  return Success;
}

} // namespace sawtooth::tool
