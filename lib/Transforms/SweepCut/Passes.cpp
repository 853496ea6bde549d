// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes, and the order of everything.
#include "SweepCut.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::sweepcut;

void Emitter::declareScratch() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(step);
  for (auto [index, kept] : llvm::enumerate(plan.scratch)) {
    Value value = graph.values[kept.value];
    std::string label = "kept" + std::to_string(index);
    auto type = amp::TensorsType::get(step.getContext(), extents.get(value).model, value.getType(),
                                      /*perTensor=*/false);
    auto list = sweep::ListOp::create(builder, value.getLoc(), sweep::ListKind::Scratch,
                                      (step.getSymName() + "." + label).str(), type, label, {}, {},
                                      FlatSymbolRefAttr::get(step.getSymNameAttr()));
    symbols.insert(list);
    scratch.push_back(list);
  }
}

sweep::PassOp Emitter::emitPass(PassBody &body) {
  const SweepGraph &plain = graph.graph;
  const PassCost &cost = *body.cost;
  MLIRContext *context = step.getContext();
  SmallVector<Attribute> reads, writes, reductions;
  SmallVector<Type> readTypes, resultTypes;
  auto read = [&](sweep::ListOp list) {
    reads.push_back(FlatSymbolRefAttr::get(list.getSymNameAttr()));
    readTypes.push_back(list.getTensors().getElementType());
  };
  for (unsigned list : cost.reads)
    read(graph.lists[list]);
  for (unsigned index : cost.loadedScratch)
    read(scratch[index]);

  SmallVector<Value> tensorValues, tensors, flags;
  for (Value value : body.externals)
    if (extents.isTensor(value)) {
      tensorValues.push_back(value);
      tensors.push_back(crossing.lookup(value));
    }
  Value gate;
  if (cost.gate != SweepGraph::kAlways)
    gate = crossing.lookupOrDefault(graph.flags[cost.gate]);
  SmallVector<int32_t> writeFlags;
  for (unsigned index : cost.stores) {
    const SweepGraph::Store &store = plain.stores[index];
    sweep::ListOp list = graph.lists[store.list];
    writes.push_back(FlatSymbolRefAttr::get(list.getSymNameAttr()));
    writeFlags.push_back(-1);
    if (store.flag == SweepGraph::kAlways || gate)
      continue;
    Value flag = crossing.lookupOrDefault(graph.flags[store.flag]);
    auto it = llvm::find(flags, flag);
    writeFlags.back() = it - flags.begin();
    if (it == flags.end())
      flags.push_back(flag);
  }
  for (unsigned index : cost.scratch) {
    writes.push_back(FlatSymbolRefAttr::get(scratch[index].getSymNameAttr()));
    writeFlags.push_back(-1);
  }
  for (unsigned index : cost.reductions) {
    sweep::ReduceOp reduce = graph.reductions[index];
    reductions.push_back(sweep::ReductionAttr::get(context, reduce.getKind(), reduce.getExtent()));
    resultTypes.push_back(
        reduce.getExtent() == amp::Extent::Step
            ? reduce.getType()
            : sweep::PerTensorType::get(context, reduce.getModelAttr(), reduce.getType()));
  }
  auto pass = sweep::PassOp::create(builder, step.getLoc(), resultTypes, graph.models[cost.model],
                                    builder.getArrayAttr(reads), builder.getArrayAttr(writes),
                                    tensors, gate, flags, builder.getDenseI32ArrayAttr(writeFlags),
                                    builder.getArrayAttr(reductions), ArrayAttr());

  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&pass.getBody());
  IRMapping outer = crossing;
  block->addArguments(readTypes, SmallVector<Location>(readTypes.size(), step.getLoc()));
  for (Value value : tensorValues)
    outer.map(value, block->addArgument(value.getType(), value.getLoc()));
  for (Operation *op : graph.live)
    if (auto element = dyn_cast<sweep::ElementOp>(op))
      for (auto [index, symbol] : llvm::enumerate(ArrayRef(reads).take_front(cost.reads.size())))
        if (symbol == element.getListAttr())
          outer.map(element.getResult(), block->getArgument(index));
  std::map<int, IRMapping> mappings;
  for (auto &[flag, group] : body.groups) {
    IRMapping &mapping = mappings[flag] = outer;
    for (auto [value, position] : group.loads)
      mapping.map(graph.values[value], block->getArgument(position));
    SmallVector<Operation *> ops = llvm::to_vector(group.ops);
    llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : ops)
      cloneInto(op, mapping);
  }
  auto lookup = [&](unsigned index, int flag) {
    Value value = graph.values[index];
    IRMapping &mapping = mappings[body.shared ? SweepGraph::kAlways : flag];
    if (!mapping.contains(value) && isConstant(value.getDefiningOp()))
      mapping.map(value, builder.clone(*value.getDefiningOp())->getResult(0));
    return mapping.lookupOrDefault(value);
  };
  SmallVector<Value> written, reduced;
  for (unsigned index : cost.stores)
    written.push_back(lookup(plain.stores[index].value, plain.stores[index].flag));
  for (unsigned index : cost.scratch) {
    unsigned value = plan.scratch[index].value;
    written.push_back(lookup(value, getScratchFlag(plain, value)));
  }
  for (unsigned index : cost.reductions)
    reduced.push_back(lookup(plain.reductions[index].value, plain.reductions[index].flag));
  sweep::LeaveOp::create(builder, step.getLoc(), written, reduced);
  for (auto [index, result] : llvm::zip(cost.reductions, pass.getResults())) {
    sweep::ReduceOp reduce = graph.reductions[index];
    crossing.map(reduce.getResult(), result);
  }
  return pass;
}

SmallVector<sweep::PassOp> Emitter::run() {
  declareScratch();
  for (const PassBody &body : schedule.passes)
    passExternals.insert(body.externals.begin(), body.externals.end());
  Block &block = step.getBody().front();
  SmallVector<Operation *> old = llvm::map_to_vector(block, [](Operation &op) { return &op; });
  builder.setInsertionPointToEnd(&block);
  SmallVector<sweep::PassOp> passes;
  for (unsigned level = 0; level < schedule.getLevels(); ++level) {
    for (PassBody &body : schedule.passes)
      if (body.cost->level == level)
        passes.push_back(emitPass(body));
    for (unsigned slot = schedule.getFirstSlot(level); slot < schedule.getFirstSlot(level + 1);
         ++slot) {
      emitProgram(slot);
      for (sweep::ForwardOp forward : schedule.getForwards(slot))
        builder.clone(*forward, crossing);
    }
  }
  for (Operation *op : llvm::reverse(old))
    op->erase();
  step.setCut(true);
  return passes;
}
