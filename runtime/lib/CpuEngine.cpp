// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Engine.h"

namespace sawtooth::runtime {

namespace {

// Steps work on the store itself, so there is nothing to push, pull or wait for.
class CpuEngine : public Engine {
public:
  CpuEngine(Store &store, uint64_t rows)
      : store(store), reporter(store, rows), rows(std::max<uint64_t>(rows, 1)) {}

  Result<std::unique_ptr<StepRunner>> prepare(const Artifact &artifact, uint32_t step) override {
    Result<std::unique_ptr<Executor>> created = Executor::create(artifact, step, store);
    if (!created.ok())
      return created.status();
    return std::unique_ptr<StepRunner>(std::move(*created));
  }
  Status start(StepRunner &runner) override {
    auto &executor = static_cast<Executor &>(runner);
    executor.run();
    reporter.record(executor);
    return {};
  }
  Status wait() override { return {}; }
  Result<bool> applied(StepRunner &runner) override {
    auto *frame = reinterpret_cast<const char *>(static_cast<Executor &>(runner).frameSlots());
    return frame[runner.step().applied] != 0;
  }
  bool next(StatusRow &row) override { return reporter.next(row); }
  uint64_t dropped() const override { return reporter.dropped(); }
  uint64_t capacity() const override { return rows; }
  Status pull() override { return {}; }
  Status pullFields() override { return {}; }
  Status pushField(uint32_t) override { return {}; }
  Status pushFields() override { return {}; }
  Status pushList(uint32_t) override { return {}; }
  std::string description() const override { return {}; }

private:
  Store &store;
  Reporter reporter;
  uint64_t rows;
};

} // namespace

std::unique_ptr<Engine> createCpuEngine(Store &store, uint64_t rows) {
  return std::make_unique<CpuEngine>(store, rows);
}

} // namespace sawtooth::runtime
