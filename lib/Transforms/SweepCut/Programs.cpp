// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scalar programs: step values in a row, tensor values in sweep.each, folds between them.
#include "SweepCut.h"

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::sweepcut;

static Type getCrossingType(const Extents &extents, Value value) {
  ValueExtent extent = extents.get(value);
  if (extent.extent == amp::Extent::Step)
    return value.getType();
  return sweep::PerTensorType::get(value.getContext(), extent.model, value.getType());
}

StringAttr Emitter::getLabel(unsigned slot) {
  if (slot + 1 == schedule.getSlotCount())
    return builder.getStringAttr("final");
  if (slot == 0)
    return builder.getStringAttr("entry");
  return builder.getStringAttr(++middles == 1 ? "mid" : "mid" + Twine(middles));
}

bool Emitter::isUsedOutside(Value value, llvm::function_ref<bool(Operation *)> isInside) {
  if (passExternals.contains(value))
    return true;
  bool isRead = isEntryRead(value.getDefiningOp());
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isa<sweep::ForwardOp>(user))
      return true;
    return !isRead && schedule.getSlot(user) && !isInside(user);
  });
}

void Emitter::cloneInto(Operation *op, IRMapping &mapping) {
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp();
        !mapping.contains(operand) && (isConstant(producer) || isEntryRead(producer)))
      mapping.map(operand, builder.clone(*producer)->getResult(0));
  if (auto fold = dyn_cast<sweep::ReduceOp>(op))
    mapping.map(fold.getResult(),
                sweep::FoldOp::create(builder, fold.getLoc(), fold.getType(), fold.getKind(),
                                      mapping.lookup(fold.getValue()))
                    .getResult());
  else
    builder.clone(*op, mapping);
}

void Emitter::emitEach(FlatSymbolRefAttr model, ArrayRef<Operation *> ops, IRMapping &mapping) {
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  llvm::SetVector<Value> inputs, results;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (extents.isTensor(operand) && !inside.contains(operand.getDefiningOp()) &&
          !isEntryRead(operand.getDefiningOp()))
        inputs.insert(operand);
    for (Value result : op->getResults())
      if (isUsedOutside(result, [&](Operation *user) { return inside.contains(user); }))
        results.insert(result);
  }
  auto types =
      llvm::map_to_vector(results, [&](Value value) { return getCrossingType(extents, value); });
  auto crossed = llvm::map_to_vector(inputs, [&](Value value) { return mapping.lookup(value); });
  auto each = sweep::EachOp::create(builder, step.getLoc(), types, model, crossed);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&each.getBody());
  IRMapping inner = mapping;
  for (Value input : inputs)
    inner.map(input, body->addArgument(input.getType(), input.getLoc()));
  for (Operation *op : ops)
    cloneInto(op, inner);
  auto yielded = llvm::map_to_vector(results, [&](Value value) { return inner.lookup(value); });
  sweep::YieldOp::create(builder, step.getLoc(), yielded);
  for (auto [value, result] : llvm::zip(results, each.getResults()))
    mapping.map(value, result);
}

void Emitter::emitProgram(unsigned slot) {
  // Level of an op within the program: a fold waits for the sweep.each before it.
  SmallVector<Operation *> ops;
  DenseMap<Operation *, unsigned> depths;
  unsigned depth = 0;
  auto isEnd = [](Operation *op) { return isa<sweep::SetOp, sweep::LogOp, sweep::OutcomeOp>(op); };
  for (Operation *op : graph.live) {
    if (schedule.getSlot(op) != slot)
      continue;
    ops.push_back(op);
    unsigned &mine = depths[op];
    for (Value operand : op->getOperands())
      if (auto it = depths.find(operand.getDefiningOp()); it != depths.end())
        mine = std::max(mine, it->second + (isa<sweep::ReduceOp>(op) ? 1 : 0));
    depth = std::max(depth, mine);
  }
  // The fold of a pass's partial results is the head of the program that follows the pass, so there
  // is one even when nobody computes with the results before the end.
  bool followsReductions = llvm::any_of(schedule.passes, [&](const PassBody &body) {
    return schedule.getFirstSlot(body.cost->level) == slot && !body.cost->reductions.empty();
  });
  // The runtime finds a pass's flag in the frame: an argument gets there through the program
  // before.
  llvm::SetVector<Value> results;
  for (const PassBody &body : schedule.passes) {
    if (body.cost->gate == SweepGraph::kAlways ||
        schedule.getFirstSlot(body.cost->level) != slot + 1)
      continue;
    Value flag = graph.flags[body.cost->gate];
    if (isa<BlockArgument>(flag) && !crossing.contains(flag))
      results.insert(flag);
  }
  bool isFinal = slot + 1 == schedule.getSlotCount();
  if (ops.empty() && results.empty() && !isFinal && !followsReductions)
    return;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (isUsedOutside(result, [&](Operation *user) { return schedule.getSlot(user) == slot; }))
        results.insert(result);
  auto types =
      llvm::map_to_vector(results, [&](Value value) { return getCrossingType(extents, value); });
  auto program = sweep::ScalarOp::create(builder, step.getLoc(), types,
                                         FlatSymbolRefAttr::get(getLabel(slot)));
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&program.getBody());
  IRMapping mapping = crossing;
  SmallVector<sweep::SetOp> stepSets;
  for (unsigned now = 0; now <= depth; ++now) {
    llvm::MapVector<Attribute, SmallVector<Operation *>> byModel;
    for (Operation *op : ops) {
      if (auto set = dyn_cast<sweep::SetOp>(op)) {
        // Fields of tensors are written last too: every read of them stands before.
        if (now == depth) {
          auto field = symbols.lookup<sweep::FieldOp>(set.getField());
          if (field.getModelAttr())
            byModel[field.getModelAttr()].push_back(op);
          else
            stepSets.push_back(set);
        }
      } else if (!isEnd(op) && depths[op] == now) {
        if (extents.isTensor(op->getResult(0)))
          byModel[extents.get(op->getResult(0)).model].push_back(op);
        else
          cloneInto(op, mapping);
      }
    }
    for (auto &[model, tensorOps] : byModel)
      emitEach(cast<FlatSymbolRefAttr>(model), tensorOps, mapping);
  }
  for (sweep::SetOp set : stepSets)
    cloneInto(set, mapping);
  for (Operation *op : ops)
    if (isa<sweep::LogOp, sweep::OutcomeOp>(op))
      cloneInto(op, mapping);
  auto yielded =
      llvm::map_to_vector(results, [&](Value value) { return mapping.lookupOrDefault(value); });
  sweep::YieldOp::create(builder, step.getLoc(), yielded);
  for (auto [value, result] : llvm::zip(results, program.getResults()))
    crossing.map(value, result);
}
