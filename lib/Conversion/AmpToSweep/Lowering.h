// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the files of amp-to-sweep share: declarations are lowered first (ModuleLowering), then one
// step after another (StepLowering), by one overload of `lower` for each op.
#ifndef SAWTOOTH_LIB_CONVERSION_AMPTOSWEEP_LOWERING_H
#define SAWTOOTH_LIB_CONVERSION_AMPTOSWEEP_LOWERING_H

#include "amp/Amp.h"
#include "amp/Rules.h"
#include "sweep/Sweep.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

namespace sawtooth::amptosweep {

using namespace mlir;

inline constexpr llvm::StringLiteral kTensorHint =
    "tensors are computed in the outlined part of the step (amp-outline-forward)";

/// Where a rule's state lives: a list for the elements, a field for the step or the tensors.
struct StateHome {
  FlatSymbolRefAttr symbol;
  Type type;
  bool isList = false;
  bool isChanged = false;
};

/// One optimizer or scaler.
struct Instance {
  std::string name;
  amp::RuleOp original;
  amp::RuleInstance settings;    // of `original`
  OwningOpRef<amp::RuleOp> rule; // with its static parameters folded
  FlatSymbolRefAttr model;       // of an optimizer
  /// Of each parameter of `rule`: its field, null when `hyper` always gives it.
  SmallVector<FlatSymbolRefAttr> params;
  SmallVector<StateHome> states; // of `rule`
  /// The field with role `scale` of a scaler.
  FlatSymbolRefAttr scale;
  Type scaleType;
};

/// Clones the ops of `body` but its terminator, its arguments mapped by `mapping`; amp's scalar
/// ops become sweep's over `model` (null: a policy, at step extent). Returns the operands of the
/// terminator, or failure after a diagnostic.
FailureOr<SmallVector<Value>> inlineBody(OpBuilder &builder, Block &body, IRMapping &mapping,
                                         FlatSymbolRefAttr model);

/// Clones `op` if it is a scalar op of arith or math (or amp.powi or opaque), without fast-math
/// flags.
FailureOr<Operation *> cloneScalarOp(OpBuilder &builder, Operation &op, IRMapping &mapping);

/// Declarations of a module.
class ModuleLowering {
public:
  explicit ModuleLowering(ModuleOp module) : module(module), builder(module.getContext()) {}
  LogicalResult run();

  const Instance *getOptimizer(FlatSymbolRefAttr symbol) const { return lookup(symbol, true); }
  const Instance *getScaler(FlatSymbolRefAttr symbol) const { return lookup(symbol, false); }
  sweep::ListOp getList(StringRef symbol) const { return lists.lookup(symbol); }
  sweep::FieldOp getField(StringRef symbol) const { return fields.lookup(symbol); }
  /// Lists that copy `source`, in the order declared.
  SmallVector<sweep::ListOp> getCopies(StringRef source) const;

  /// New declarations before the current op; fields and state refuse a symbol that is taken.
  sweep::ListOp declareList(Location loc, sweep::ListKind kind, StringRef symbol,
                            amp::TensorsType type, StringRef label, Attribute init,
                            FlatSymbolRefAttr copyOf, FlatSymbolRefAttr step);
  sweep::FieldOp declareField(Location loc, sweep::FieldKind kind, StringRef symbol, Type type,
                              Attribute init, FlatSymbolRefAttr model = {}, StringAttr alias = {},
                              amp::Role role = amp::Role::None, FlatSymbolRefAttr scaler = {});
  /// `base`, or with a number when that is taken.
  std::string uniqueSymbol(StringRef base) const;

  ModuleOp module;
  OpBuilder builder;

private:
  const Instance *lookup(FlatSymbolRefAttr symbol, bool optimizer) const;
  LogicalResult checkFree(Location loc, StringRef symbol);
  LogicalResult lowerState(amp::StateOp op);
  LogicalResult instantiateAll();
  LogicalResult lowerPerTensor(amp::PerTensorOp op);
  LogicalResult lowerScaler(amp::ScalerOp op);
  LogicalResult lowerOptimizer(amp::OptimizerOp op);
  LogicalResult lowerStep(amp::StepOp op);
  /// Reads the dictionary of `op` and folds its rule.
  template <typename OpTy>
  LogicalResult instantiate(OpTy op, FlatSymbolRefAttr ruleName);
  LogicalResult declareParams(Operation *op, Instance &instance);
  LogicalResult declareStates(Operation *op, Instance &instance);
  /// Whether every amp.apply of `optimizer` gives parameter `name` itself, and there is one.
  bool alwaysGiven(StringRef optimizer, StringRef name);

  llvm::StringMap<Operation *> symbols;
  llvm::StringMap<sweep::ListOp> lists;
  llvm::StringMap<sweep::FieldOp> fields;
  SmallVector<sweep::ListOp> listOrder;
  llvm::StringMap<std::unique_ptr<Instance>> instances;
};

/// One step.
class StepLowering {
public:
  StepLowering(ModuleLowering &module, amp::StepOp step)
      : module(module), step(step), builder(step.getContext()) {}
  LogicalResult run();

private:
  // Values.cpp
  LogicalResult lower(amp::ReadOp op);
  LogicalResult lower(amp::ScaleOp op);
  LogicalResult lower(amp::UnscaleOp op);
  LogicalResult lower(amp::ClipByNormOp op);
  LogicalResult lower(amp::ClipByValueOp op);
  LogicalResult lower(amp::CastOp op);
  LogicalResult lower(amp::MapOp op);
  LogicalResult lower(amp::ApplyOp op);
  // Checks.cpp
  LogicalResult lower(amp::IsFiniteOp op);
  LogicalResult lower(amp::NormOp op);
  // Outcome.cpp
  LogicalResult lower(amp::CommitOp op);
  LogicalResult lower(amp::UpdateOp op);
  LogicalResult lower(amp::LogOp op);
  LogicalResult writeCounters();
  // Forward.cpp
  LogicalResult lower(func::CallOp op);
  LogicalResult lower(tensor::ExtractOp op);

  LogicalResult declareArguments();
  LogicalResult lowerOp(Operation &op);
  FailureOr<SmallVector<Value>> lookupAll(ValueRange values, Operation *user);

  /// The scalar of a step value or the element of a list, in its own type; null after an error.
  Value lookup(Value value, Operation *user);
  /// The same widened to f32; an error for lists per tensor.
  Value lookupF32(Value value, Operation *user);
  Value widen(Value value);
  Value narrow(Value value, Type type);
  Value constant(Type type, double value);
  /// Class test on the bits: exponent all ones.
  Value isNotFinite(Value value);
  Value getField(FlatSymbolRefAttr symbol, Type type);
  /// r = f32(1 / f64(S)) of a scaler.
  Value getReciprocal(const Instance &scaler);
  /// Runs the rule of `instance` on `inputs`.
  FailureOr<SmallVector<Value>> inlineRule(Operation *op, const Instance &instance,
                                           ValueRange inputs, const llvm::StringMap<Value> &hyper);
  LogicalResult storeState(Operation *op, StringRef list, Value value, Value flag);
  /// A short name of a list value for labels: of the list that it comes from.
  std::string describe(Value value);
  FlatSymbolRefAttr findSource(Value value);
  /// Scalers by whose reciprocal `value` was multiplied.
  void collectScalers(Value value, SmallVectorImpl<FlatSymbolRefAttr> &scalers);

  struct Cause {
    std::string label;
    std::string source; // tells causes of one label apart
    Value bad;
  };

  ModuleLowering &module;
  amp::StepOp step;
  sweep::StepOp target;
  OpBuilder builder;
  IRMapping scalars;
  DenseMap<Value, SmallVector<Value>> nextStates;
  DenseMap<Value, FlatSymbolRefAttr> plainLists; // list values that are a list as it stands
  llvm::StringMap<Value> reciprocals, unusable;  // by scaler
  SmallVector<Cause> causes;
  SmallVector<Value> flags;
  bool commits = false;
};

} // namespace sawtooth::amptosweep

#endif // SAWTOOTH_LIB_CONVERSION_AMPTOSWEEP_LOWERING_H
