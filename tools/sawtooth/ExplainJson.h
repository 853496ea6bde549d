// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_EXPLAINJSON_H
#define SAWTOOTH_TOOLS_SAWTOOTH_EXPLAINJSON_H

#include "Module.h"

#include <string>

namespace sawtooth::tool {

/// What `explain` says, for scripts: {"steps": [{"name", "sweeps": [{"reads": [{"list",
/// "bytes_per_element"}], "writes": […], "bytes_per_element", "results": […]}],
/// "bytes_per_parameter", "resident_bytes_per_parameter", "lower_bound_bytes_per_parameter",
/// "launches"}]}; for a GPU each step has "kernels" too, one a launch: [{"name", "threads",
/// "chips":
/// {"sm_90": {"registers", "spilled_bytes", "shared_bytes"}}}], with a chip for each cubin.
std::string explainJson(const ModuleSource::Description &module);

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_EXPLAINJSON_H
