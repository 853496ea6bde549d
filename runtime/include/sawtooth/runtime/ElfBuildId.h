// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_ELFBUILDID_H
#define SAWTOOTH_RUNTIME_ELFBUILDID_H

#include <string>

namespace sawtooth::runtime {

/// The build id that the linker gave an ELF file of this machine's word size, in hexadecimal; ""
/// when there is none or the file cannot be read. Reads a page or two and loads nothing.
std::string elfBuildId(const std::string &path);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_ELFBUILDID_H
