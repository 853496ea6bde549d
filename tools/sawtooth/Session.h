// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `sawtooth run` was asked for, and everything that has to be there before the first step.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_SESSION_H
#define SAWTOOTH_TOOLS_SAWTOOTH_SESSION_H

#include "Module.h"
#include "sawtooth/runtime/Engine.h"
#include "sawtooth/runtime/StateFile.h"

#include <map>

namespace sawtooth::tool {

struct RunOptions {
  std::string input;
  TargetOptions target;
  unsigned threads = 0; // 0: as many as the machine has
  std::string program, step;
  std::vector<std::string> bind, set;
  std::optional<uint64_t> steps, untilApplied, epochs, seed;
  std::string data, eval;
  std::string load, save, loadScaler, saveScaler, log;
  uint64_t saveEvery = 0; // 0: at the end alone
};

/// "NAME=VALUE" in two; `Invalid` names the flag and its form.
runtime::Result<std::pair<std::string, std::string>>
splitSetting(const std::string &flag, const std::string &text, const std::string &form);

/// The file of "NAME=FILE" or "FILE".
std::string fileOfSetting(const std::string &text);

class Session {
public:
  /// Compiles, loads, binds, in this order, and says what was decided on the way.
  static runtime::Result<std::unique_ptr<Session>> open(const RunOptions &options);

  /// Then sets what --set says. `Invalid` for a value that makes no sense; what is wrong with a
  /// file of values is `Corrupt`.
  runtime::Status applySettings(); // Settings.cpp

  const runtime::Plan &plan() const { return module->plan(); }
  runtime::Store &store() { return *store_; }
  /// Where steps run. The store holds what they left only after engine().pull().
  runtime::Engine &engine() { return *engine_; }

  std::string name;               // of the program or step that runs
  std::vector<uint32_t> sequence; // its steps
  std::optional<uint32_t> eval;   // the step that evaluates, when there is data
  runtime::Position position;     // where a loaded state stopped

  /// The executor of a step of the sequence, or of the one that evaluates.
  runtime::StepRunner &executor(uint32_t step) { return *executors.at(step); }
  /// An executor of the same step compiled for another batch size, with the same arguments.
  runtime::Result<runtime::StepRunner *> executorForBatch(uint32_t step, uint64_t batch);

  /// Refuses to write to a file that was bound or holds the data; "" is no file.
  runtime::Status checkOutput(const std::string &path) const;
  /// The same for a file that will be replaced as a whole: before hours of work, not after.
  runtime::Status checkReplaceable(const std::string &path) const;

  /// Whether a step takes arguments from the data file.
  bool takesData(uint32_t step) const;
  std::string stepName(uint32_t step) const { return plan().string(plan().steps()[step].name); }

private:
  explicit Session(const RunOptions &options) : options(options), source(options.target) {}
  runtime::Status compile();
  runtime::Status choose();
  runtime::Status chooseEvaluation();
  runtime::Status fillStore();
  runtime::Status bindAll();
  runtime::Status bindTensorArgument(const std::string &name, const std::string &value);
  runtime::Status createEngine();
  runtime::Status prepareExecutors();
  runtime::Status applySetting(const std::string &name, const std::string &value);

  const RunOptions &options;
  ModuleSource source;
  std::optional<Module> module, otherModule; // otherModule: for a smaller last batch
  std::unique_ptr<runtime::Store> store_;
  std::unique_ptr<runtime::Engine> engine_;
  std::map<uint32_t, std::unique_ptr<runtime::StepRunner>> executors;
  std::unique_ptr<runtime::StepRunner> otherExecutor;
  std::vector<std::shared_ptr<const runtime::TensorFile>> files; // bound ones stay mapped
  std::vector<std::pair<std::string, std::string>> tensorBindings;
};

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_SESSION_H
