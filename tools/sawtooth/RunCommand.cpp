// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Output.h"
#include "Signals.h"
#include "Training.h"
#include "sawtooth/runtime/ScalerFile.h"

using namespace sawtooth::runtime;

namespace sawtooth::tool {

static const char *const help = R"(usage: sawtooth run STEP.mlir|STEP.so [OPTION...]

Runs a step or program on tensors from files, or trains on a data set.

  --program NAME, --step NAME  what to run (default: the only program, else the
                               only step that commits)
  --bind NAME=FILE[:PREFIX]    a list is the tensors of a .safetensors file whose
                               names begin with PREFIX, which is cut off
  --set NAME=VALUE             an argument or a rule's parameter; per tensor
                               also FILE.json: [["*.bias", 0], ["*", 0.01]]
  --steps N                    runs (default 1), applied or skipped
  --until applied=N            run until N steps were applied
  --data FILE                  train on train.* of a .safetensors file
  --batch B, --epochs E        examples a batch, passes over the data
  --seed K                     for initial values and the order of examples
  --eval NAME                  step to run on test.* after each epoch
  --load FILE, --save FILE     state, also saved on SIGINT and SIGTERM
  --save-every N               save after every N runs, too
  --load-scaler [NAME=]FILE    PyTorch's GradScaler dictionary as JSON
  --save-scaler [NAME=]FILE
  --log FILE                   a line of JSON for each step
  --threads N                  (default: all)
  --target TARGET              cpu (default) or nvptx
  --chip CHIP                  native (default), x86-64-v3 or x86-64-v4; sm_75 to
                               sm_121
  -v, --verbose                what came from the cache, and which code a GPU runs

example:
  sawtooth run examples/adamw/step.mlir --bind g=grads.safetensors \
      --bind w=model.safetensors --set lr=3e-4 --save state.safetensors
)";

static Status saveAll(Session &session, const RunOptions &options) {
  if (!options.save.empty() || !options.saveScaler.empty())
    SAWTOOTH_TRY(session.engine().pull());
  if (!options.save.empty())
    SAWTOOTH_TRY(saveState(session.store(), options.save, session.position));
  if (options.saveScaler.empty())
    return {};
  size_t equals = options.saveScaler.find('=');
  Result<uint32_t> scaler = scalerNamed(
      session.plan(), equals == std::string::npos ? "" : options.saveScaler.substr(0, equals));
  if (!scaler.ok())
    return scaler.status();
  return saveScaler(session.store(), *scaler, fileOfSetting(options.saveScaler));
}

static int wrongUsage(const Status &status) {
  error(status.message());
  return WrongUsage;
}

static int run(RunOptions &options) {
  if (Status status = resolveTarget(options.target, /*runs=*/true); !status.ok())
    return failTarget(status);
  Result<std::unique_ptr<Session>> session = Session::open(options);
  if (!session.ok())
    return fail(session.status());
  if (Status status = (*session)->applySettings(); !status.ok())
    return status.code() == StatusCode::Invalid ? wrongUsage(status) : fail(status);
  Result<std::unique_ptr<Training>> training = Training::create(**session, options);
  if (!training.ok())
    return fail(training.status());
  noteSignals();
  Status status = (*training)->run();
  // A scaler that gave up left a state worth looking at: skips change nothing else.
  if (status.ok() || status.code() == StatusCode::Stuck)
    if (Status saved = saveAll(**session, options); !saved.ok())
      return fail(saved);
  result((*training)->summary() + "\n");
  if (!status.ok())
    return fail(status);
  return (*training)->interruption() ? 128 + (*training)->interruption() : Success;
}

int runCommand(int argc, char **argv) {
  RunOptions options;
  std::string until;
  CLI::App app("", "run");
  app.add_option("STEP.mlir", options.input)->required();
  const CLI::Validator count = wholeNumber();
  CLI::Option *step = app.add_option("--step", options.step);
  app.add_option("--program", options.program)->excludes(step);
  // One value a flag: a second word is a mistake, not a list.
  app.add_option("--bind", options.bind)->expected(1)->take_all();
  app.add_option("--set", options.set)->expected(1)->take_all();
  app.add_option("--steps", options.steps)->check(count);
  app.add_option("--until", until);
  app.add_option("--data", options.data);
  app.add_option("--epochs", options.epochs)->check(count);
  app.add_option("--seed", options.seed)->check(count);
  app.add_option("--eval", options.eval);
  app.add_option("--load", options.load);
  CLI::Option *save = app.add_option("--save", options.save);
  app.add_option("--save-every", options.saveEvery)->check(count)->needs(save);
  app.add_option("--load-scaler", options.loadScaler);
  app.add_option("--save-scaler", options.saveScaler);
  app.add_option("--log", options.log);
  app.add_option("--threads", options.threads)->check(CLI::Range(1u, 4096u));
  addTargetOptions(app, options.target);
  if (std::optional<int> code = parse(app, argc, argv, help))
    return *code;
  if (!until.empty()) {
    constexpr std::string_view key = "applied=";
    if (until.starts_with(key))
      options.untilApplied = wholeNumberIn(until.substr(key.size()));
    if (!options.untilApplied) {
      error("expected --until applied=N, got '" + until + "'");
      return WrongUsage;
    }
  }
  // How they are written; what they name is known later.
  for (const std::string &text : options.bind)
    if (auto split = splitSetting("--bind", text, "NAME=FILE[:PREFIX]"); !split.ok())
      return wrongUsage(split.status());
  for (const std::string &text : options.set)
    if (auto split = splitSetting("--set", text, "NAME=VALUE"); !split.ok())
      return wrongUsage(split.status());
  return run(options);
}

} // namespace sawtooth::tool
