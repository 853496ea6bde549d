// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every op of the dialect.
#ifndef SAWTOOTH_AMP_OPS
#define SAWTOOTH_AMP_OPS

include "amp/AmpDeclarationOps.td"
include "amp/AmpRuleOps.td"
include "amp/AmpStepOps.td"
include "amp/AmpValueOps.td"
include "amp/AmpEffectOps.td"

#endif // SAWTOOTH_AMP_OPS
