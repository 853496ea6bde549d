// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_SIGNALS_H
#define SAWTOOTH_TOOLS_SAWTOOTH_SIGNALS_H

namespace sawtooth::tool {

/// From now on SIGINT and SIGTERM are only noted; a second one ends the process as usual.
void noteSignals();
/// The signal that was noted, 0 for none.
int notedSignal();

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_SIGNALS_H
