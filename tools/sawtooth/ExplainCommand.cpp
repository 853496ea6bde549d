// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "ExplainJson.h"
#include "Footprint.h"
#include "Module.h"
#include "Output.h"
#include "Ptxas.h"
#include "sawtooth/runtime/Convert.h"

using namespace sawtooth::runtime;

namespace sawtooth::tool {

static const char *const help = R"(usage: sawtooth explain STEP.mlir|STEP.so [--json] [OPTION...]

Says how often each step reads and writes memory: its sweeps (passes over all
elements), what each reads, writes and finds out, what runs between them, what
is computed again or stored and why, what a skipped step keeps, and the lower
bound of bytes that no fusion can go below.

  --json           for scripts
  --target TARGET  cpu (default) or nvptx
  --chip CHIP      native (default), x86-64-v3 or x86-64-v4; sm_75 to sm_121
  --ptxas FILE     tells the registers of a GPU's kernels; without it, the ptxas in
                   CUDA_HOME, PATH, Python's nvidia-cuda-nvcc or /usr/local/cuda
  --batch B        examples a batch, where the module leaves it open

example:
  sawtooth explain examples/adamw/step.mlir
)";

namespace {

// Width of a text, and where the columns of a line begin.
constexpr size_t width = 92, labelColumn = 2, textColumn = 13, wordColumn = 21;

class StepPrinter {
public:
  StepPrinter(const ModuleSource::Description &module, const SawtoothStepRow &step)
      : plan(module.plan), kernels(module.kernels), step(step) {}

  std::string print() {
    Footprint footprint = footprintOf(plan, step);
    head(footprint);
    std::span<const SawtoothActionRow> actions = Plan::rows(step.actions, plan.actions());
    for (size_t i = 0; i < actions.size(); ++i) {
      if (actions[i].kind != SAWTOOTH_PARALLEL) {
        actions[i].kind == SAWTOOTH_PASS ? sweep(actions[i]) : scalar(actions[i]);
        continue;
      }
      size_t first = i;
      while (i + 1 < actions.size() && actions[i + 1].kind == SAWTOOTH_PARALLEL)
        ++i;
      forward(i + 1 - first);
    }
    for (auto [kind, label] : reasons)
      for (const std::string &text : notesOf(plan, step.notes, kind))
        line(label, text);
    resident(footprint);
    cubins();
    return out;
  }

private:
  static constexpr std::pair<const char *, const char *> reasons[] = {
      {"store", "stored"}, {"recompute", "again"}, {"skip", "on a skip"}, {"missed", "missed"}};
  const Plan &plan;
  const std::vector<ArtifactKernel> &kernels;
  const SawtoothStepRow &step;
  unsigned sweeps = 0;
  std::string out;

  static std::string count(uint64_t number, const std::string &one, const std::string &many) {
    return grouped(number) + " " + (number == 1 ? one : many);
  }

  void head(const Footprint &footprint) {
    out += "step " + plan.string(step.name) + ": " + count(footprint.sweeps, "sweep", "sweeps") +
           ", " + count(footprint.launches, "launch", "launches");
    if (footprint.sweeps) {
      out += ", " + count(footprint.moved, "byte", "bytes") + " moved per parameter";
      out += footprint.moved == step.lowerBound
                 ? " (the lower bound)"
                 : " (lower bound " + std::to_string(step.lowerBound) + ")";
    }
    out += step.commits ? "\n" : "; commits nothing\n";
  }

  // A label, then words, wrapped to the width under their first.
  void line(const std::string &label, const std::string &text, size_t indent = labelColumn,
            size_t column = textColumn) {
    std::string current(indent, ' ');
    current += label;
    current.append(current.size() < column ? column - current.size() : 1, ' ');
    bool empty = true;
    for (size_t at = 0; at < text.size();) {
      size_t end = std::min(text.find(' ', at), text.size());
      std::string word = text.substr(at, end - at);
      if (!empty && current.size() + 1 + word.size() > width) {
        out += current + "\n";
        current.assign(column, ' ');
        empty = true;
      }
      current += (empty ? "" : " ") + word;
      empty = false;
      at = end + 1;
    }
    out += current + "\n";
  }
  void detail(const std::string &label, const std::string &text) {
    line(label, text, textColumn, wordColumn);
  }

  // "g f16, w f32", or with other bytes than the type's: "g f16 (4 B)".
  std::string accesses(SawtoothRange range) {
    std::string text;
    for (const SawtoothAccess &access : Plan::rows(range, plan.accesses())) {
      const SawtoothListRow &list = plan.lists()[access.list];
      text += (text.empty() ? "" : ", ") + plan.string(list.name) + " " +
              typeName(SawtoothType(list.type));
      if (access.bytes != typeBytes(SawtoothType(list.type)))
        text += " (" + std::to_string(access.bytes) + " B)";
    }
    return text.empty() ? "nothing" : text;
  }

  void sweep(const SawtoothActionRow &action) {
    uint64_t reads = accessBytes(plan, action.reads), writes = accessBytes(plan, action.writes);
    std::string title = "over " + plan.string(plan.models()[action.model].name);
    if (action.flag != SAWTOOTH_NONE)
      title += action.flag == step.applied ? ", unless the step is skipped" : ", if its flag holds";
    std::string left(labelColumn, ' ');
    left += "sweep " + std::to_string(++sweeps);
    left.append(left.size() < textColumn ? textColumn - left.size() : 1, ' ');
    left += title;
    std::string right = std::to_string(reads + writes) + " B";
    size_t used = left.size() + right.size();
    out += left + std::string(used < width ? width - used : 1, ' ') + right + "\n";
    detail("reads", accesses(action.reads));
    if (writes)
      detail("writes", accesses(action.writes));
    std::string found;
    for (const std::string &text : notesOf(plan, action.notes, "result"))
      found += (found.empty() ? "" : ", ") + text;
    if (!found.empty())
      detail("finds", found);
    for (auto [kind, label] : reasons)
      for (const std::string &text : notesOf(plan, action.notes, kind))
        detail(label, text);
  }

  void scalar(const SawtoothActionRow &action) {
    // "train.2_mid" is the function's symbol; what people know is "mid".
    std::string name = plan.string(action.name), prefix = plan.string(step.name) + ".";
    if (name.starts_with(prefix))
      name = name.substr(std::min(name.find('_', prefix.size()), name.size() - 1) + 1);
    line("scalars", "@" + name);
    for (const SawtoothNote &note : Plan::rows(action.notes, plan.notes()))
      detail("", plan.string(note.text));
  }

  void forward(size_t loops) {
    std::string text = count(loops, "parallel loop", "parallel loops");
    if (step.arenaBytes)
      text += ", " + byteText(step.arenaBytes) + " of temporaries";
    line("forward", text);
  }

  // "64 registers on sm_75, 58 on sm_90; 2,080 bytes shared", or "" when there is no cubin.
  std::string usesOf(const std::string &kernel) {
    std::string registers, spilled;
    uint64_t shared = 0;
    for (const ArtifactKernel &use : kernels) {
      if (use.name != kernel)
        continue;
      if (use.spilled)
        spilled += "; " + count(use.spilled, "byte", "bytes") + " spilled on " + use.chip;
      registers += registers.empty() ? count(use.registers, "register", "registers")
                                     : ", " + grouped(use.registers);
      registers += " on " + use.chip;
      shared = std::max(shared, use.shared);
    }
    return registers +
           (shared ? "; " + count(shared, "byte", "bytes") + " shared" : std::string()) + spilled;
  }

  uint64_t registersOf(const std::string &kernel) {
    uint64_t most = 0;
    for (const ArtifactKernel &use : kernels)
      most = std::max(most, use.name == kernel ? use.registers : 0);
    return most;
  }

  // What ptxas says of the kernels, of a forward part's many loops that of the greediest.
  void cubins() {
    std::string label = "kernels", greediest;
    auto print = [&](const std::string &title, const std::string &kernel) {
      if (std::string uses = usesOf(kernel); !uses.empty())
        line(std::exchange(label, ""), title + ": " + uses);
    };
    for (const SawtoothLaunchRow &launch : Plan::rows(step.launches, plan.launches())) {
      std::string kernel = plan.string(launch.kernel);
      if (!launch.units)
        print(kernel, kernel);
      else if (greediest.empty() || registersOf(kernel) > registersOf(greediest))
        greediest = kernel;
    }
    print("parallel loops, most in " + greediest, greediest);
    for (const ArtifactKernel &function : kernels)
      if (!function.registers)
        line(std::exchange(label, ""),
             function.name + ", which kernels call: " + count(function.spilled, "byte", "bytes") +
                 " spilled on " + function.chip);
  }

  void resident(const Footprint &footprint) {
    std::string lists;
    uint32_t number = static_cast<uint32_t>(&step - plan.steps().data());
    for (const SawtoothListRow &list : plan.lists())
      if (list.step == SAWTOOTH_NONE || list.step == number)
        lists += (lists.empty() ? "" : ", ") + plan.string(list.name) + " " +
                 typeName(SawtoothType(list.type));
    if (!lists.empty())
      line("resident", count(footprint.resident, "byte", "bytes") + " per parameter: " + lists);
  }
};

} // namespace

int explainCommand(int argc, char **argv) {
  TargetOptions target;
  std::string input;
  bool json = false;
  CLI::App app("", "explain");
  app.add_option("STEP.mlir", input)->required();
  app.add_flag("--json", json);
  addTargetOptions(app, target);
  app.add_option("--ptxas", target.ptxas);
  if (std::optional<int> code = parse(app, argc, argv, help))
    return *code;
  if (Status status = resolveTarget(target, /*runs=*/false); !status.ok())
    return failTarget(status);
  std::string searched;
  if (target.target == "nvptx" && target.ptxas.empty())
    target.ptxas = findPtxas(searched);
  Result<ModuleSource::Description> module = ModuleSource(target).describe(input);
  if (!module.ok())
    return fail(module.status());
  const Plan &plan = module->plan;
  if (namesGpu(module->chips) && module->kernels.empty())
    note("what kernels take of a GPU is not known, since there is no cubin" +
         (target.ptxas.empty() && !searched.empty() ? ": no ptxas in " + searched : ""));
  if (json) {
    result(explainJson(*module));
    return Success;
  }
  std::string text = plan.string(plan.header().source) + " for " +
                     plan.string(plan.header().target) + " " + module->chips + "\n";
  for (const SawtoothStepRow &step : plan.steps())
    text += "\n" + StepPrinter(*module, step).print();
  result(text);
  return Success;
}

} // namespace sawtooth::tool
