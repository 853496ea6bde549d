// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine can run.
#ifndef SAWTOOTH_RUNTIME_HOSTCPU_H
#define SAWTOOTH_RUNTIME_HOSTCPU_H

#include <string>
#include <string_view>
#include <vector>

namespace sawtooth::runtime {

/// First part of this machine's triple: "x86_64".
std::string_view hostArchitecture();

/// ELF's number (e_machine) of this machine.
unsigned hostElfMachine();

/// Whether processor and operating system support a feature of CpuFeatures.def; a name that is not
/// there is not supported.
bool hostSupports(std::string_view feature);

/// Those of CpuFeatures.def that are supported.
std::vector<std::string> hostFeatures();

/// Everything that code for "native" depends on: maker, family, model, stepping, features. The
/// same text on the same kind of processor.
std::string hostIdentity();

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_HOSTCPU_H
