// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State files: a safetensors file with every state list as `LIST/TENSOR`, every field of the step
// as a 0-d tensor `FIELD` of its type (i1 as BOOL), every per-tensor field as 0-d `FIELD/TENSOR`.
// The metadata holds the format's version, the seed, and the position in data and program, nothing
// else, so that equal runs give equal files.
#ifndef SAWTOOTH_RUNTIME_STATEFILE_H
#define SAWTOOTH_RUNTIME_STATEFILE_H

#include "sawtooth/runtime/Store.h"

namespace sawtooth::runtime {

/// How far a run has come.
struct Position {
  uint64_t epoch = 0;  // epochs completed, evaluation included
  uint64_t batch = 0;  // batches of the present epoch that were used
  std::string program; // whose `next` it is; empty between runs
  uint64_t next = 0;   // the step of the program that comes next

  bool operator==(const Position &) const = default;
};

/// Takes lists, fields, seed and position from a file, before anything is bound. All of it is
/// checked before any of it is taken: an unknown or mistyped entry is an error and leaves the store
/// as it was; what an older file lacks is a warning and keeps its initial value.
Status loadState(Store &store, const std::string &path, Position &position);

/// Writes a finished store.
Status saveState(const Store &store, const std::string &path, const Position &position);

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_STATEFILE_H
