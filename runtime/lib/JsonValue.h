// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_LIB_JSONVALUE_H
#define SAWTOOTH_RUNTIME_LIB_JSONVALUE_H

#include "sawtooth/runtime/Abi.h"
#include "sawtooth/runtime/Status.h"

#include <nlohmann/json.hpp>

namespace sawtooth::runtime {

/// Parses the file; `Invalid` says at which byte it stops being JSON.
Result<nlohmann::json> readJsonFile(const std::string &path);
/// A number, or a truth value for an i1, as a slot of `type`, rounded once.
Result<uint64_t> jsonToSlot(SawtoothType type, const nlohmann::json &value);
/// The value of a slot; a float as the double that it is.
nlohmann::json slotToJson(SawtoothType type, uint64_t slot);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_LIB_JSONVALUE_H
