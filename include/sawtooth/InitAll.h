// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Registration of everything: for tools, and for programs that build their own pipelines.
#ifndef SAWTOOTH_INITALL_H
#define SAWTOOTH_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace sawtooth {

/// Adds amp, sweep and every upstream dialect that a stage of the pipeline may hold.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the passes of every room, and those of upstream that the pipelines use. Call it once
/// in a process.
void registerAllPasses();

} // namespace sawtooth

#endif // SAWTOOTH_INITALL_H
