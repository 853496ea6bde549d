// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include "Gpu.h"
#include "Output.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Names.h"
#include "sawtooth/runtime/ScalerFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace sawtooth::runtime;

namespace sawtooth::tool {

static Status invalid(std::string text,
                      std::source_location where = std::source_location::current()) {
  return Status::error(StatusCode::Invalid, std::move(text), where);
}

Result<std::pair<std::string, std::string>>
splitSetting(const std::string &flag, const std::string &text, const std::string &form) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return invalid("expected " + flag + " " + form + ", got '" + printable(text) + "'");
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::string fileOfSetting(const std::string &text) {
  size_t equals = text.find('=');
  return equals == std::string::npos ? text : text.substr(equals + 1);
}

Result<std::unique_ptr<Session>> Session::open(const RunOptions &options) {
  std::unique_ptr<Session> session(new Session(options));
  for (auto phase : {&Session::compile, &Session::choose, &Session::chooseEvaluation,
                     &Session::fillStore, &Session::createEngine, &Session::prepareExecutors})
    if (Status status = ((*session).*phase)(); !status.ok())
      return status;
  for (auto &[step, executor] : session->executors)
    for (uint32_t i = 0; i < executor->tensorArgs().size(); ++i)
      if (const SawtoothTensorArgRow &arg = executor->tensorArgs()[i];
          !session->plan().text(arg.batch).empty() && options.data.empty())
        return invalid("argument '" + session->plan().string(arg.name) + "' of step '" +
                       executor->name() + "' comes from a data set: give --data FILE");
  return session;
}

Status Session::compile() {
  Result<Module> loaded = source.load(options.input);
  if (!loaded.ok())
    return loaded.status();
  module = std::move(*loaded);
  return {};
}

Status Session::choose() {
  const Plan &rows = plan();
  auto takeStep = [&](uint32_t step) {
    name = stepName(step);
    sequence = {step};
    return Status();
  };
  auto takeProgram = [&](uint32_t number) {
    const SawtoothProgramRow &program = rows.programs()[number];
    name = rows.string(program.name);
    for (const SawtoothIndex &step : Plan::rows(program.steps, rows.indices()))
      sequence.push_back(step.value);
    return sequence.empty() ? invalid("program '" + name + "' runs no step") : Status();
  };
  if (!options.step.empty()) {
    std::optional<uint32_t> step = rows.findStep(options.step);
    return step ? takeStep(*step)
                : Status::error(StatusCode::NotFound,
                                unknownName("step", options.step, rows.stepNames()));
  }
  if (!options.program.empty()) {
    std::optional<uint32_t> program = rows.findProgram(options.program);
    return program ? takeProgram(*program)
                   : Status::error(StatusCode::NotFound,
                                   unknownName("program", options.program, rows.programNames()));
  }
  if (rows.programs().size() == 1)
    return takeProgram(0);
  if (rows.programs().size() > 1)
    return invalid("expected --program NAME; there are " + quoteAll(rows.programNames()));
  std::vector<uint32_t> committing;
  for (uint32_t step = 0; step < rows.steps().size(); ++step)
    if (rows.steps()[step].commits)
      committing.push_back(step);
  if (committing.size() == 1)
    return takeStep(committing[0]);
  if (committing.empty() && rows.steps().size() == 1)
    return takeStep(0);
  if (rows.steps().empty())
    return invalid("the module has no step");
  return invalid("expected --step NAME; there are " + quoteAll(rows.stepNames()));
}

Status Session::chooseEvaluation() {
  std::string wanted = options.eval;
  if (options.data.empty())
    return wanted.empty() ? Status() : invalid("--eval needs --data FILE");
  if (wanted.empty() && !plan().runs().empty() && plan().runs()[0].eval != SAWTOOTH_NONE)
    wanted = stepName(plan().runs()[0].eval);
  // A step that commits nothing is an evaluation by itself.
  if (wanted.empty() || (sequence.size() == 1 && !plan().steps()[sequence[0]].commits))
    return {};
  std::optional<uint32_t> step = plan().findStep(wanted);
  if (!step)
    return Status::error(StatusCode::NotFound, unknownName("step", wanted, plan().stepNames()));
  if (plan().steps()[*step].commits)
    return invalid("step '" + wanted + "' commits, so it cannot evaluate");
  eval = *step;
  return {};
}

Status Session::fillStore() {
  uint64_t seed = 0;
  if (!plan().runs().empty() && plan().runs()[0].seed != UINT64_MAX)
    seed = plan().runs()[0].seed;
  Result<std::unique_ptr<Store>> created =
      Store::create(plan(), options.seed.value_or(seed), ParallelFor::openMp(options.threads));
  if (!created.ok())
    return created.status();
  store_ = std::move(*created);
  if (!options.load.empty()) {
    SAWTOOTH_TRY(loadState(*store_, options.load, position));
    if (options.seed && *options.seed != store_->seed()) {
      warning(options.load + " was saved with seed " + std::to_string(store_->seed()) +
              ", going on with " + std::to_string(*options.seed));
      store_->setSeed(*options.seed);
    }
    if (position.next && (position.program != name || position.next >= sequence.size())) {
      warning(options.load + " was saved within '" + printable(position.program) + "'; '" + name +
              "' starts from its first step");
      position.next = 0;
    }
  }
  SAWTOOTH_TRY(bindAll());
  SAWTOOTH_TRY(store_->finish());
  if (!options.loadScaler.empty()) {
    size_t equals = options.loadScaler.find('=');
    std::string scalerName =
        equals == std::string::npos ? "" : options.loadScaler.substr(0, equals);
    Result<uint32_t> scaler = scalerNamed(plan(), scalerName);
    if (!scaler.ok())
      return scaler.status();
    SAWTOOTH_TRY(loadScaler(*store_, *scaler, fileOfSetting(options.loadScaler)));
  }
  for (const std::string &text : store_->notes)
    note(text);
  for (const std::string &text : store_->warnings)
    warning(text);
  return {};
}

Status Session::bindAll() {
  std::map<uint32_t, std::string> boundBy;
  for (const std::string &text : options.bind) {
    auto split = splitSetting("--bind", text, "NAME=FILE[:PREFIX]");
    if (!split.ok())
      return split.status();
    auto &[listName, value] = *split;
    Result<std::vector<uint32_t>> lists = store_->listsNamed(listName);
    if (!lists.ok()) {
      if (Status status = bindTensorArgument(listName, value); status.ok())
        continue;
      else if (status.code() != StatusCode::NotFound)
        return status;
      return lists.status();
    }
    // A colon may also be part of the file's name.
    size_t colon = value.rfind(':');
    struct stat info;
    bool whole = colon == std::string::npos || stat(value.c_str(), &info) == 0;
    Result<std::shared_ptr<const TensorFile>> file =
        TensorFile::open(whole ? value : value.substr(0, colon));
    if (!file.ok())
      return file.status();
    files.push_back(*file);
    for (uint32_t list : *lists) {
      if (auto [before, fresh] = boundBy.insert({list, text}); !fresh)
        return invalid("list " + plan().listTitle(list) + " is bound twice, by '" +
                       printable(before->second) + "' and '" + printable(text) + "'");
      SAWTOOTH_TRY(store_->bindFile(list, *file, whole ? "" : value.substr(colon + 1)));
    }
  }
  return {};
}

Status Session::bindTensorArgument(const std::string &argName, const std::string &value) {
  for (uint32_t step : sequence)
    for (const SawtoothTensorArgRow &arg :
         Plan::rows(plan().steps()[step].tensorArgs, plan().tensorArgs()))
      if (plan().text(arg.name) == argName && plan().text(arg.batch).empty()) {
        tensorBindings.push_back({argName, value});
        return {};
      }
  return Status::error(StatusCode::NotFound, "no such argument");
}

// Rows that wait to be read: as many steps may be on their way to a GPU.
static constexpr uint64_t ringRows = 1024;

Status Session::createEngine() {
  if (!module->artifact().isForGpu()) {
    engine_ = createCpuEngine(*store_, ringRows);
    return {};
  }
  Result<std::unique_ptr<Engine>> created = createGpuEngine(*store_, ringRows);
  if (!created.ok())
    return created.status();
  engine_ = std::move(*created);
  return {};
}

Status Session::prepareExecutors() {
  std::vector<uint32_t> steps = sequence;
  if (eval)
    steps.push_back(*eval);
  for (uint32_t step : steps) {
    if (executors.count(step))
      continue;
    Result<std::unique_ptr<StepRunner>> created = engine_->prepare(module->artifact(), step);
    if (!created.ok())
      return created.status();
    executors[step] = std::move(*created);
  }
  if (std::string device = engine_->description(); options.target.verbose && !device.empty())
    note("runs on " + device);
  for (auto &[argName, value] : tensorBindings) {
    size_t colon = value.rfind(':');
    Result<std::shared_ptr<const TensorFile>> file = TensorFile::open(value.substr(0, colon));
    if (!file.ok())
      return file.status();
    files.push_back(*file);
    std::string tensorName = colon == std::string::npos ? argName : value.substr(colon + 1);
    const TensorEntry *entry = (*file)->find(tensorName);
    if (!entry)
      return invalid((*file)->path() + ": no tensor '" + printable(tensorName) + "'");
    for (auto &[step, executor] : executors)
      for (uint32_t i = 0; i < executor->tensorArgs().size(); ++i) {
        const SawtoothTensorArgRow &arg = executor->tensorArgs()[i];
        if (plan().text(arg.name) != argName)
          continue;
        std::span<const int64_t> dims(arg.dims, arg.rank);
        if (entry->type != SawtoothType(arg.type) || !std::ranges::equal(entry->dims, dims))
          return invalid((*file)->path() + ": tensor '" + printable(tensorName) + "': expected " +
                         dtypeName(SawtoothType(arg.type)) + " of " + shapeText(dims) + ", got " +
                         entry->dtype + " of " + shapeText(entry->dims));
        if (reinterpret_cast<uintptr_t>(entry->data) % typeBytes(*entry->type))
          return invalid((*file)->path() + ": tensor '" + printable(tensorName) +
                         "' does not lie at a multiple of its element's size");
        executor->setTensor(i, entry->data);
      }
  }
  return {};
}

bool Session::takesData(uint32_t step) const {
  for (const SawtoothTensorArgRow &arg :
       Plan::rows(plan().steps()[step].tensorArgs, plan().tensorArgs()))
    if (!plan().text(arg.batch).empty())
      return true;
  return false;
}

Result<StepRunner *> Session::executorForBatch(uint32_t step, uint64_t batch) {
  Result<Module> loaded = source.load(options.input, batch);
  if (!loaded.ok())
    return loaded.status();
  otherModule = std::move(*loaded);
  Result<std::unique_ptr<StepRunner>> created = engine_->prepare(otherModule->artifact(), step);
  if (!created.ok())
    return created.status();
  otherExecutor = std::move(*created);
  otherExecutor->takeArguments(executor(step));
  return otherExecutor.get();
}

Status Session::checkOutput(const std::string &path) const {
  struct stat target;
  if (path.empty() || stat(path.c_str(), &target) != 0)
    return {};
  std::vector<std::string> kept;
  for (const auto &file : files)
    kept.push_back(file->path());
  if (!options.data.empty())
    kept.push_back(options.data);
  kept.push_back(options.input);
  for (const std::string &other : kept) {
    struct stat info;
    if (stat(other.c_str(), &info) == 0 && info.st_dev == target.st_dev &&
        info.st_ino == target.st_ino)
      return invalid(path + " is one of the inputs and would be overwritten");
  }
  return {};
}

Status Session::checkReplaceable(const std::string &path) const {
  SAWTOOTH_TRY(checkOutput(path));
  struct stat info;
  if (path.empty())
    return {};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return invalid(path + ": expected a regular file to replace");
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return invalid(path + ": cannot create a file there: " + std::strerror(errno));
  return {};
}

} // namespace sawtooth::tool
