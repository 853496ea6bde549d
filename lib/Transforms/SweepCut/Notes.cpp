// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Why the step was cut as it was: what `explain` prints, and remarks for what was missed.
#include "SweepCut.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::sweepcut;

namespace {

class Notes {
public:
  explicit Notes(MLIRContext *context) : builder(context) {}

  void add(StringRef kind, const Twine &text) {
    notes.push_back(
        builder.getDictionaryAttr({builder.getNamedAttr("kind", builder.getStringAttr(kind)),
                                   builder.getNamedAttr("text", builder.getStringAttr(text))}));
  }
  /// A missed opportunity, for whoever listens to remarks of `sweep-cut` too.
  void addMissed(Location loc, StringRef step, StringRef name, const std::string &text) {
    add("missed", text);
    remark::missed(loc, remark::RemarkOpts::name(name).category("sweep-cut").function(step))
        << remark::reason("{0}", text);
  }
  ArrayAttr get() { return builder.getArrayAttr(notes); }

private:
  Builder builder;
  SmallVector<Attribute> notes;
};

std::string join(ArrayRef<std::string> names) {
  std::string result;
  for (auto [index, name] : llvm::enumerate(names))
    result += (index == 0 ? "" : index + 1 == names.size() ? " and " : ", ") + name;
  return result;
}

std::string describe(sweep::ReduceOp reduce) {
  if (reduce.getWhat())
    return reduce.getWhat()->str();
  return (amp::stringifyReduceKind(reduce.getKind()) + " over " +
          amp::stringifyExtent(reduce.getExtent()))
      .str();
}

} // namespace

/// Facts of one pass. What names the reductions must be read before the step's old body goes.
static ArrayAttr describePass(sweep::StepOp step, const StepGraph &graph, const CutPlan &plan,
                              const PlanCost &cost, const Schedule &schedule, size_t number) {
  const PassBody &body = schedule.passes[number];
  const PassCost &pass = *body.cost;
  Notes notes(step.getContext());
  auto label = [&](unsigned list) {
    return graph.lists[list]->getAttrOfType<StringAttr>("label").str();
  };
  for (unsigned index : pass.reductions)
    notes.add("result", describe(graph.reductions[index]));

  llvm::SetVector<Operation *> again;
  llvm::SetVector<unsigned> from;
  for (const PassBody &other : ArrayRef(schedule.passes).take_front(number)) {
    if (other.cost->model != pass.model)
      continue;
    for (auto &mine : body.groups)
      for (auto &theirs : other.groups)
        for (Operation *op : mine.second.ops)
          if (theirs.second.ops.contains(op))
            again.insert(op);
    for (unsigned list : pass.reads)
      if (llvm::is_contained(other.cost->reads, list) ||
          llvm::is_contained(other.cost->stores, list))
        from.insert(list);
  }
  if (!again.empty()) {
    auto lists = llvm::map_to_vector(from, label);
    notes.add(
        "recompute",
        Twine(again.size()) +
            (again.size() == 1 ? " value of an earlier pass is" : " values of earlier passes are") +
            " computed again" + (lists.empty() ? "" : " from " + join(lists)) + ": keeping " +
            (again.size() == 1 ? "it" : "them") + " would move no fewer bytes");
  }

  SmallVector<std::string> early;
  for (unsigned index : pass.stores)
    for (const PassCost &later : cost.passes)
      if (llvm::is_contained(later.loadedStores, index)) {
        early.push_back(label(graph.graph.stores[index].list));
        break;
      }
  if (!early.empty())
    notes.add("store", join(early) + (early.size() == 1 ? " is" : " are") +
                           " written here, before the last pass, and read back: every flag is "
                           "known and nobody needs the old values");
  for (unsigned index : pass.scratch) {
    unsigned bytes = graph.graph.values[plan.scratch[index].value].bytes;
    notes.add("store", "kept" + Twine(index) + " (" + Twine(bytes) +
                           " bytes) is kept for later passes: computing it again would read more");
  }

  bool hasFlags = llvm::any_of(graph.graph.stores, [](const SweepGraph::Store &store) {
    return store.flag != SweepGraph::kAlways;
  });
  if (pass.gate != SweepGraph::kAlways) {
    notes.add("skip", "does not run in a skipped step");
  } else if (hasFlags && pass.level > 1) {
    SmallVector<std::string> always;
    for (unsigned index : pass.reductions)
      if (graph.graph.reductions[index].flag == SweepGraph::kAlways)
        always.push_back(describe(graph.reductions[index]));
    for (unsigned index : pass.stores)
      if (graph.graph.stores[index].flag == SweepGraph::kAlways)
        always.push_back("the store to " + label(graph.graph.stores[index].list));
    notes.addMissed(step.getLoc(), step.getSymName(), "skip",
                    "runs in a skipped step too: " +
                        (always.empty() ? "its writes have different flags"
                                        : join(always) + " must happen whatever the flag"));
  }
  return notes.get();
}

static ArrayAttr describeStep(sweep::StepOp step, const StepGraph &graph, const PlanCost &cost,
                              unsigned lowerBound) {
  Notes notes(step.getContext());
  SmallVector<std::string> kept, written;
  for (Operation *op : graph.live) {
    std::string name;
    Value flag;
    if (auto store = dyn_cast<sweep::StoreOp>(op)) {
      for (sweep::ListOp list : graph.lists)
        if (list.getSymName() == store.getList())
          name = list.getLabel().str();
      flag = store.getFlag();
    } else if (auto set = dyn_cast<sweep::SetOp>(op)) {
      name = set.getField().str();
      flag = set.getFlag();
    } else {
      continue;
    }
    (flag ? kept : written).push_back(name);
  }
  if (!kept.empty())
    notes.add("skip", "a skipped step keeps " + join(kept));
  SmallVector<std::string> lists;
  for (auto [store, op] : llvm::zip(graph.graph.stores, graph.stores))
    if (store.flag == SweepGraph::kAlways)
      lists.push_back(sweep::ListOp(graph.lists[store.list]).getLabel().str());
  if (!kept.empty() && !lists.empty())
    notes.add("skip", "a skipped step still writes " + join(lists));
  if (cost.bytes > lowerBound)
    notes.addMissed(step.getLoc(), step.getSymName(), "bytes",
                    "moves " + std::to_string(cost.bytes) + " bytes per parameter, " +
                        std::to_string(lowerBound) + " may be possible");
  return notes.get();
}

void sweepcut::annotate(sweep::StepOp step, const StepGraph &graph, const CutPlan &plan,
                        const PlanCost &cost, const Schedule &schedule, unsigned lowerBound,
                        SmallVectorImpl<ArrayAttr> &passNotes) {
  for (size_t number = 0; number < schedule.passes.size(); ++number)
    passNotes.push_back(describePass(step, graph, plan, cost, schedule, number));
  step.setNotesAttr(describeStep(step, graph, cost, lowerBound));
  step.setLowerBound(lowerBound);
}
