// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_LIB_CAPI_HANDLES_H
#define SAWTOOTH_LIB_CAPI_HANDLES_H

#include "sawtooth-c/Compiler.h"

#include "sawtooth/Compiler/Session.h"

struct SawtoothCompiled {
  std::unique_ptr<sawtooth::LoadedObject> object;
};

namespace sawtooth {

/// The options of C in those of C++; what is null takes its default.
SessionOptions sessionOptions(const SawtoothCompileOptions *options);

} // namespace sawtooth

#endif // SAWTOOTH_LIB_CAPI_HANDLES_H
