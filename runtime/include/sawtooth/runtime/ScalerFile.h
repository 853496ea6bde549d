// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's GradScaler dictionary as JSON, both ways. Knows no policy: the keys are the aliases of
// the scaler's fields ("scale", "growth_factor", "_growth_tracker", …).
#ifndef SAWTOOTH_RUNTIME_SCALERFILE_H
#define SAWTOOTH_RUNTIME_SCALERFILE_H

#include "sawtooth/runtime/Store.h"

namespace sawtooth::runtime {

/// The scaler of that name; "" means the only one. `NotFound` lists them.
Result<uint32_t> scalerNamed(const Plan &plan, const std::string &name);

/// Sets the scaler's fields. All keys are checked before any is taken; one that is missing keeps
/// the field and is a warning.
Status loadScaler(Store &store, uint32_t scaler, const std::string &path);

Status saveScaler(const Store &store, uint32_t scaler, const std::string &path);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_SCALERFILE_H
