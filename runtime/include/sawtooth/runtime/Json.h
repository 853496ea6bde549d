// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON files that people write: values by name pattern.
#ifndef SAWTOOTH_RUNTIME_JSON_H
#define SAWTOOTH_RUNTIME_JSON_H

#include "sawtooth/runtime/Abi.h"
#include "sawtooth/runtime/Status.h"

#include <string>
#include <utility>
#include <vector>

namespace sawtooth::runtime {

/// Reads `[["*.bias", 0.0], ["*", 0.01]]`: an array, since objects have no order. Values become
/// slots of `type`. `Invalid` or `Io`, naming the file.
Result<std::vector<std::pair<std::string, uint64_t>>> readPatternFile(const std::string &path,
                                                                      SawtoothType type);

/// The whole file as text.
Result<std::string> readTextFile(const std::string &path);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_JSON_H
