// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_LIB_PLANCHECK_H
#define SAWTOOTH_RUNTIME_LIB_PLANCHECK_H

#include "sawtooth/runtime/Plan.h"

namespace sawtooth::runtime {

/// Whether the header and the tables' places hold; nothing else of `data` may be read before.
Status checkPlanFrame(const void *data, uint64_t bytes);
/// Whether everything that the rows refer to exists.
Status checkPlanRows(const Plan &plan);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_LIB_PLANCHECK_H
