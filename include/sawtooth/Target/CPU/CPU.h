// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// x86-64, from x86-64-v3 (AVX2, F16C) up: code generation through LLVM, loading through ORC.
#ifndef SAWTOOTH_TARGET_CPU_CPU_H
#define SAWTOOTH_TARGET_CPU_CPU_H

#include "sawtooth/Target/TargetBackend.h"

namespace sawtooth {

/// Chips: "native", "x86-64-v3", "x86-64-v4".
std::unique_ptr<TargetBackend> createCPUBackend();

} // namespace sawtooth

#endif // SAWTOOTH_TARGET_CPU_CPU_H
