// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an optimizer or scaler makes of its rule: the value of every parameter, the initial value
// of every state, the extent of everything that is computed.
#ifndef SAWTOOTH_AMP_RULES_H
#define SAWTOOTH_AMP_RULES_H

#include "amp/Amp.h"

namespace sawtooth::amp {

/// One parameter of an instance. At most one of `constant` and `perTensor` is set; with neither,
/// the parameter has no default and every amp.apply must give it in `hyper`.
struct ParamSetting {
  ParamAttr param;
  mlir::TypedAttr constant;          ///< of the parameter's type
  mlir::FlatSymbolRefAttr perTensor; ///< the name of an amp.per_tensor
  bool given;                        ///< by the instance; otherwise it is the rule's default
};

/// A rule as an amp.optimizer or amp.scaler uses it.
struct RuleInstance {
  llvm::SmallVector<ParamSetting> params;     ///< in the rule's order
  llvm::SmallVector<mlir::TypedAttr> initial; ///< of each state, of its type, in the rule's order
  bool counterPerTensor = false;              ///< the rule's per-step state is kept per tensor
};

/// Reads the dictionary of `instance` (an amp.optimizer or amp.scaler of `rule`): parameters and
/// initial states by name or by `as` name; `init` of a scaler is the initial loss scale, `counter`
/// of an optimizer is "step" or "tensor". Says what is wrong with it and fails.
mlir::FailureOr<RuleInstance> resolveInstance(OptimizerOp instance, RuleOp rule);
mlir::FailureOr<RuleInstance> resolveInstance(ScalerOp instance, RuleOp rule);

/// `value`, a constant as written in a dictionary, as a constant of `type`: floats are rounded to
/// nearest, integers become floats, nothing else changes kind. Null when that cannot be, as with a
/// finite number beyond the range of `type`.
mlir::TypedAttr convertConstant(mlir::Attribute value, mlir::Type type);

/// The extent of every value of a rule's body: inputs exist once an element, states as declared, a
/// parameter once a step unless `paramExtents` (in the rule's order) says otherwise; an operation
/// takes the highest extent of its operands, and reductions lower it. With `counterPerTensor`,
/// per-step state exists once a tensor.
llvm::DenseMap<mlir::Value, Extent>
inferExtents(RuleOp rule, llvm::ArrayRef<Extent> paramExtents = {}, bool counterPerTensor = false);

} // namespace sawtooth::amp

#endif // SAWTOOTH_AMP_RULES_H
