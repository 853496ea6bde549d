// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Environment.h"

#include <cstdlib>
#include <unistd.h>

namespace sawtooth::tool {

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string cacheFolder(std::string &why) {
  if (const char *own = std::getenv("SAWTOOTH_CACHE_DIR"))
    return own;
  // The specification has relative paths ignored.
  if (std::string xdg = variable("XDG_CACHE_HOME"); xdg.starts_with('/'))
    return xdg + "/sawtooth";
  if (std::string home = variable("HOME"); home.starts_with('/'))
    return home + "/.cache/sawtooth";
  why = "none of SAWTOOTH_CACHE_DIR, XDG_CACHE_HOME and HOME names a folder";
  return "";
}

std::string programInPath(const std::string &name) {
  std::string path = variable("PATH");
  for (size_t at = 0; at <= path.size();) {
    size_t end = std::min(path.find(':', at), path.size());
    std::string file = path.substr(at, end - at) + "/" + name;
    if (end != at && access(file.c_str(), X_OK) == 0)
      return file;
    at = end + 1;
  }
  return "";
}

} // namespace sawtooth::tool
