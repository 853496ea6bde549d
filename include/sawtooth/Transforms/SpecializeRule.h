// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A rule with an instance's static choices made.
#ifndef SAWTOOTH_TRANSFORMS_SPECIALIZERULE_H
#define SAWTOOTH_TRANSFORMS_SPECIALIZERULE_H

#include "amp/Rules.h"

#include "mlir/IR/OwningOpRef.h"

namespace sawtooth {

/// A copy of `rule` in which the static parameters of `instance` are constants that have been
/// folded, and which no longer declares them. State that the folded rule neither reads nor changes
/// does not exist: it is gone from the declaration, the block arguments and the yield. The copy is
/// in no module. Its parameters and states keep their order and names; `instance` keeps its size,
/// so look settings up by name.
mlir::OwningOpRef<amp::RuleOp> specializeRule(amp::RuleOp rule, const amp::RuleInstance &instance);

} // namespace sawtooth

#endif // SAWTOOTH_TRANSFORMS_SPECIALIZERULE_H
