// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Analysis/SweepGraph.h"

using namespace mlir;
using namespace sawtooth;

SmallVector<SweepGraph::Set> SweepGraph::getNeeds() const {
  SmallVector<Set> result;
  for (const Value &value : values) {
    Set set(reductions.size());
    for (unsigned need : value.needs)
      set.set(need);
    for (unsigned operand : value.operands)
      set |= result[operand];
    result.push_back(set);
  }
  return result;
}

SmallVector<SweepGraph::Set> SweepGraph::getStoreNeeds(ArrayRef<Set> valueNeeds) const {
  SmallVector<Set> result;
  for (const Store &store : stores) {
    Set set = valueNeeds[store.value];
    for (unsigned need : store.needs)
      set.set(need);
    if (store.flag != kAlways)
      for (unsigned need : flags[store.flag].needs)
        set.set(need);
    result.push_back(set);
  }
  return result;
}

namespace {

class GraphBuilder {
public:
  GraphBuilder(sweep::StepOp step, const Extents &extents)
      : step(step), extents(extents), symbols(step->getParentOfType<ModuleOp>()) {}

  StepGraph build() {
    findLive();
    findConditions();
    for (Operation *op : result.live)
      if (auto reduce = dyn_cast<sweep::ReduceOp>(op); reduce && extents.isElementReduction(reduce))
        result.reductions.push_back(reduce);
    for (Operation *op : result.live)
      add(op);
    for (mlir::Value flag : result.flags)
      result.graph.flags.push_back({toVector(getDepends(flag))});
    protectLeaves();
    return std::move(result);
  }

private:
  /// A step does what it stores, sets, logs and reports; the rest serves that or is dead.
  void findLive() {
    SmallVector<Operation *> live;
    llvm::SmallPtrSet<Operation *, 32> needed;
    for (Operation &op : llvm::reverse(step.getBody().front())) {
      if (!isa<sweep::StoreOp, sweep::SetOp, sweep::LogOp, sweep::OutcomeOp, sweep::ForwardOp>(
              op) &&
          !needed.contains(&op))
        continue;
      live.push_back(&op);
      for (mlir::Value operand : op.getOperands())
        if (Operation *producer = operand.getDefiningOp())
          needed.insert(producer);
    }
    result.live.insert(live.rbegin(), live.rend());
  }

  int getFlag(mlir::Value flag) {
    if (!flag)
      return SweepGraph::kAlways;
    auto it = llvm::find(result.flags, flag);
    if (it != result.flags.end())
      return it - result.flags.begin();
    result.flags.push_back(flag);
    return result.flags.size() - 1;
  }

  /// Under which flag a value matters: the one flag of all its uses, else always.
  void findConditions() {
    auto use = [&](mlir::Value value, int flag) {
      auto [it, isNew] = conditions.try_emplace(value, flag);
      if (!isNew && it->second != flag)
        it->second = SweepGraph::kAlways;
    };
    for (Operation *op : llvm::reverse(result.live)) {
      int flag = SweepGraph::kAlways;
      if (auto store = dyn_cast<sweep::StoreOp>(op)) {
        flag = getFlag(store.getFlag());
      } else if (auto set = dyn_cast<sweep::SetOp>(op)) {
        flag = getFlag(set.getFlag());
      } else if (op->getNumResults() == 1 && !isa<sweep::ForwardOp>(op)) {
        flag = conditions.lookup_or(op->getResult(0), SweepGraph::kAlways);
      }
      for (OpOperand &operand : op->getOpOperands()) {
        bool isFlag = isa<sweep::StoreOp, sweep::SetOp>(op) && operand.getOperandNumber() == 1;
        use(operand.get(), isFlag ? SweepGraph::kAlways : flag);
      }
    }
  }

  unsigned getModel(FlatSymbolRefAttr model) {
    auto it = llvm::find(result.models, model);
    if (it != result.models.end())
      return it - result.models.begin();
    result.models.push_back(model);
    return result.graph.models++;
  }

  unsigned getList(StringRef symbol) {
    auto list = symbols.lookup<sweep::ListOp>(symbol);
    auto it = llvm::find(result.lists, list);
    if (it != result.lists.end())
      return it - result.lists.begin();
    result.lists.push_back(list);
    result.graph.lists.push_back({getModel(list.getTensors().getModel()),
                                  list.getTensors().getElementType().getIntOrFloatBitWidth() / 8});
    return result.lists.size() - 1;
  }

  SweepGraph::Set getDepends(mlir::Value value) {
    auto it = result.depends.find(value);
    return it == result.depends.end() ? SweepGraph::Set(result.reductions.size()) : it->second;
  }

  static SmallVector<unsigned, 2> toVector(const SweepGraph::Set &set) {
    return SmallVector<unsigned, 2>(set.set_bits());
  }

  /// The graph's value of `value`, which is used as an element of `model`.
  unsigned getValue(mlir::Value value, FlatSymbolRefAttr model) {
    auto it = result.valueIndex.find(value);
    if (it != result.valueIndex.end() && result.graph.values[it->second].model == getModel(model))
      return it->second;
    SweepGraph::Value node;
    node.model = getModel(model);
    Operation *op = value.getDefiningOp();
    if (!extents.isElement(value)) {
      node.needs = toVector(getDepends(value));
    } else if (auto element = dyn_cast<sweep::ElementOp>(op)) {
      node.list = getList(element.getList());
      node.needs = toVector(getDepends(value));
    } else {
      SweepGraph::Set needs(result.reductions.size());
      for (mlir::Value operand : op->getOperands()) {
        if (!extents.isElement(operand))
          needs |= getDepends(operand);
        else if (unsigned index = result.valueIndex.at(operand);
                 !llvm::is_contained(node.operands, index))
          node.operands.push_back(index);
      }
      node.needs = toVector(needs);
      if (isa<Float16Type, BFloat16Type, Float32Type>(value.getType()))
        node.bytes = value.getType().getIntOrFloatBitWidth() / 8;
    }
    result.graph.values.push_back(node);
    result.values.push_back(value);
    return result.valueIndex[value] = result.values.size() - 1;
  }

  void add(Operation *op) {
    SweepGraph::Set depends(result.reductions.size());
    for (mlir::Value operand : op->getOperands())
      depends |= getDepends(operand);
    if (auto element = dyn_cast<sweep::ElementOp>(op))
      if (auto it = packedBy.find(element.getListAttr()); it != packedBy.end())
        depends |= it->second;
    if (auto forward = dyn_cast<sweep::ForwardOp>(op)) {
      for (Attribute list : forward.getPackLists())
        packedBy.try_emplace(list, depends);
      for (Attribute list : forward.getLeafLists()) {
        auto [it, isNew] = leafOf.try_emplace(list, depends);
        it->second |= depends;
      }
    }
    if (auto reduce = dyn_cast<sweep::ReduceOp>(op); reduce && extents.isElementReduction(reduce)) {
      depends.set(llvm::find(result.reductions, reduce) - result.reductions.begin());
      result.graph.reductions.push_back(
          {getValue(reduce.getValue(), reduce.getModelAttr()),
           conditions.lookup_or(reduce.getResult(), SweepGraph::kAlways)});
    }
    for (mlir::Value value : op->getResults()) {
      result.depends[value] = depends;
      if (extents.isElement(value))
        getValue(value, extents.get(value).model);
    }
    if (auto store = dyn_cast<sweep::StoreOp>(op)) {
      unsigned list = getList(store.getList());
      unsigned value = getValue(store.getValue(), result.lists[list].getTensors().getModel());
      result.stores.push_back(store);
      result.graph.stores.push_back({list, value, getFlag(store.getFlag()), {}});
    }
  }

  /// The forward part reads its leaves as they were at entry: stores wait until it has run.
  void protectLeaves() {
    for (SweepGraph::Store &store : result.graph.stores) {
      auto it = leafOf.find(FlatSymbolRefAttr::get(result.lists[store.list].getSymNameAttr()));
      if (it != leafOf.end())
        llvm::append_range(store.needs, it->second.set_bits());
    }
  }

  sweep::StepOp step;
  const Extents &extents;
  SymbolTable symbols;
  StepGraph result;
  DenseMap<mlir::Value, int> conditions;
  DenseMap<Attribute, SweepGraph::Set> packedBy, leafOf;
};

} // namespace

StepGraph StepGraph::build(sweep::StepOp step, const Extents &extents) {
  return GraphBuilder(step, extents).build();
}
