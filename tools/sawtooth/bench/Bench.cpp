// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/Bench.h"

#include "bench/Bound.h"
#include "sawtooth/runtime/Convert.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>

using namespace sawtooth;
using namespace sawtooth::bench;
using namespace sawtooth::runtime;

namespace {

double secondsOf(auto &&work) {
  auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A list of random elements in [-1, 1), first touched by the threads that will work on it.
class RandomList {
public:
  static Result<RandomList> create(const std::vector<TensorSpec> &specs, SawtoothType type,
                                   uint32_t stream, const ParallelFor &parallelFor) {
    RandomList list;
    list.type = type;
    uint64_t bytes = 0;
    std::vector<uint64_t> offsets;
    for (const TensorSpec &spec : specs) {
      Result<int64_t> numel = countElements(spec.dims);
      if (!numel.ok())
        return numel.status().of(spec.name);
      offsets.push_back(bytes);
      bytes += (*numel * typeBytes(type) + 63) / 64 * 64;
    }
    Result<Allocation> memory = Allocation::zeroed(bytes, "a list of random elements");
    if (!memory.ok())
      return memory.status();
    list.memory = std::move(*memory);
    char *base = static_cast<char *>(list.memory.data());
    for (size_t i = 0; i < specs.size(); ++i)
      list.refs.push_back({specs[i].name, specs[i].dims, type, base + offsets[i]});
    // Gaps between tensors are filled too; nobody reads them.
    const uint64_t elements = bytes / typeBytes(type);
    parallelFor(elements, 1 << 16, [&](uint64_t begin, uint64_t end) {
      uint64_t state = begin * 0x9e3779b97f4a7c15ull + stream;
      for (uint64_t i = begin; i < end; ++i) {
        // Any generator does: nobody's values depend on it.
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        double value = static_cast<double>(static_cast<int32_t>(state >> 32)) * 0x1p-31;
        storeFloat(type, base, i, std::bit_cast<uint64_t>(value));
      }
    });
    return list;
  }

  std::span<const TensorRef> tensors() const { return refs; }

  /// Puts an infinity into the first element that there is, or takes it out again.
  void poison(bool on) {
    for (TensorRef &ref : refs)
      if (*countElements(ref.dims) > 0)
        return storeFloat(type, ref.data, 0, std::bit_cast<uint64_t>(on ? INFINITY : 0.5));
  }

private:
  Allocation memory;
  SawtoothType type;
  std::vector<TensorRef> refs;
};

/// The passes of a step as streams over the store's buffers.
struct BoundStep {
  struct Pass {
    bool gated;
    double bytes;
    StreamLoop loop;
  };
  std::vector<Pass> passes;

  BoundStep(const Plan &plan, const SawtoothStepRow &step, const Store &store) {
    for (const SawtoothActionRow &action : Plan::rows(step.actions, plan.actions())) {
      if (action.kind != SAWTOOTH_PASS)
        continue;
      const Model &model = store.model(action.model);
      StreamPass pass{model.numel, {}};
      std::map<uint32_t, size_t> streamOf;
      double bytes = 0, elements = 0;
      for (int64_t numel : model.numel)
        elements += static_cast<double>(numel);
      auto add = [&](const SawtoothAccess &access, bool write) {
        std::span<void *const> buffers = store.buffers(access.list);
        if (buffers.empty()) // scratch belongs to the executor: the bound does without it
          return;
        bytes += elements * access.bytes;
        auto [entry, isNew] = streamOf.try_emplace(access.list, pass.streams.size());
        if (isNew) {
          Stream &stream = pass.streams.emplace_back(Stream{{}, access.bytes, false, false});
          for (void *buffer : buffers)
            stream.tensor.push_back(static_cast<char *>(buffer));
        }
        Stream &stream = pass.streams[entry->second];
        (write ? stream.written : stream.read) = true;
      };
      for (const SawtoothAccess &access : Plan::rows(action.reads, plan.accesses()))
        add(access, false);
      for (const SawtoothAccess &access : Plan::rows(action.writes, plan.accesses()))
        add(access, true);
      passes.push_back({action.flag != SAWTOOTH_NONE, bytes, StreamLoop(std::move(pass))});
    }
  }

  void run(bool applied, unsigned threads) const {
    for (const Pass &pass : passes)
      if (applied || !pass.gated)
        pass.loop.run(threads);
  }
  double bytes(bool applied) const {
    double sum = 0;
    for (const Pass &pass : passes)
      sum += applied || !pass.gated ? pass.bytes : 0;
    return sum;
  }
};

} // namespace

Times bench::summarize(std::vector<double> seconds) {
  if (seconds.empty())
    return {};
  std::sort(seconds.begin(), seconds.end());
  size_t half = seconds.size() / 2;
  double median = seconds.size() % 2 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  return {seconds.front(), median, seconds.back()};
}

/// Bytes a second of a plain copy between two of the buffers: what the machine gives just now.
static double copyBandwidth(std::span<const RandomList> lists, const ParallelFor &parallelFor) {
  const TensorRef *from = nullptr;
  uint64_t most = 0;
  for (const RandomList &list : lists)
    for (const TensorRef &ref : list.tensors())
      if (uint64_t bytes = *countElements(ref.dims) * typeBytes(ref.type); bytes > most) {
        most = bytes;
        from = &ref;
      }
  if (!from)
    return 0;
  Result<Allocation> target = Allocation::zeroed(most, "the target of a copy");
  if (!target.ok())
    return 0;
  std::vector<double> seconds;
  for (int i = 0; i < 5; ++i)
    seconds.push_back(secondsOf([&] {
      parallelFor(most, 1 << 18, [&](uint64_t begin, uint64_t end) {
        std::memcpy(static_cast<char *>(target->data()) + begin,
                    static_cast<const char *>(from->data) + begin, end - begin);
      });
    }));
  return 2.0 * static_cast<double>(most) / summarize(seconds).median;
}

Result<Report> bench::measure(const Artifact &artifact, uint32_t step, const Options &options) {
  ParallelFor parallelFor = ParallelFor::openMp(options.threads);
  Result<std::unique_ptr<Store>> store = Store::create(artifact.plan, /*seed=*/0, parallelFor);
  if (!store.ok())
    return store.status();

  // Arguments and state without an initial value get random elements; the rest starts as declared.
  std::vector<RandomList> lists;
  std::vector<size_t> gradients; // of `lists`
  const Plan &plan = artifact.plan;
  for (uint32_t number = 0; number < plan.lists().size(); ++number) {
    const SawtoothListRow &row = plan.lists()[number];
    bool argument = row.kind == SAWTOOTH_LIST_ARGUMENT && row.step == step;
    if (row.kind == SAWTOOTH_LIST_SCRATCH || (row.kind == SAWTOOTH_LIST_ARGUMENT && !argument))
      continue;
    auto inits = Plan::rows(row.init, plan.inits());
    bool required = std::any_of(inits.begin(), inits.end(), [](const SawtoothInit &init) {
      return init.kind == SAWTOOTH_INIT_REQUIRED;
    });
    if (!argument && !required)
      continue;
    Result<RandomList> list = RandomList::create(
        options.tensors, static_cast<SawtoothType>(row.type), number, parallelFor);
    if (!list.ok())
      return list.status();
    if (argument)
      gradients.push_back(lists.size());
    lists.push_back(std::move(*list));
    SAWTOOTH_TRY((*store)->bind(number, lists.back().tensors()));
  }
  SAWTOOTH_TRY((*store)->finish());

  Result<std::unique_ptr<Executor>> executor = Executor::create(artifact, step, **store);
  if (!executor.ok())
    return executor.status();
  SAWTOOTH_TRY((*executor)->ready());

  Report report;
  BoundStep bound(plan, (*executor)->step(), **store);
  report.tensors = options.tensors.size();
  for (const TensorSpec &tensor : options.tensors)
    report.parameters += *countElements(tensor.dims);
  report.bytesPerParameter =
      report.parameters ? bound.bytes(true) / static_cast<double>(report.parameters) : 0;

  // The same steps are skipped in every run: those where the running sum of the rate reaches one.
  double due = 0;
  std::vector<double> steps, bounds, ratios, rates;
  for (unsigned i = 0; i <= options.steps; ++i) {
    bool skip = !gradients.empty() && i > 0 && (due += options.skipRate) >= 1.0;
    if (skip) {
      due -= 1.0;
      lists[gradients.front()].poison(true);
    }
    Outcome outcome{};
    double stepSeconds = secondsOf([&] { outcome = (*executor)->run(); });
    if (skip)
      lists[gradients.front()].poison(false);
    double boundSeconds = secondsOf([&] { bound.run(outcome.applied, options.threads); });
    if (i == 0) { // touches pages and caches for both
      report.firstStepSeconds = stepSeconds;
      continue;
    }
    report.skipped += !outcome.applied;
    steps.push_back(stepSeconds);
    bounds.push_back(boundSeconds);
    ratios.push_back(stepSeconds / boundSeconds);
    rates.push_back(bound.bytes(outcome.applied) / stepSeconds);
  }
  report.step = summarize(steps);
  report.bound = summarize(bounds);
  report.ratioToBound = summarize(ratios).median;
  report.bytesPerSecond = summarize(rates).median;
  report.copyBytesPerSecond = copyBandwidth(lists, parallelFor);
  return report;
}
