// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tool takes from its surroundings. Libraries take values.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_ENVIRONMENT_H
#define SAWTOOTH_TOOLS_SAWTOOTH_ENVIRONMENT_H

#include <string>

namespace sawtooth::tool {

/// The folder of the cache: SAWTOOTH_CACHE_DIR, by default `sawtooth` in the XDG cache directory
/// (https://specifications.freedesktop.org/basedir-spec/). "" for no cache; `why` then says why,
/// unless the user wanted it so.
std::string cacheFolder(std::string &why);

/// The value of an environment variable; "" when it is not set.
std::string variable(const char *name);

/// The first program of that name in PATH, or "".
std::string programInPath(const std::string &name);

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_ENVIRONMENT_H
