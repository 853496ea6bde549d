// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last net: no input may end the tool by a signal, whatever parser or code generator it breaks.
#ifndef SAWTOOTH_TOOLS_SAWTOOTH_CRASHES_H
#define SAWTOOTH_TOOLS_SAWTOOTH_CRASHES_H

namespace sawtooth::tool {

/// From here on a fault of this process, an abort or the end of its stack included, ends it with a
/// message and WrongInput.
void reportCrashes();

} // namespace sawtooth::tool

#endif // SAWTOOTH_TOOLS_SAWTOOTH_CRASHES_H
