// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is behind the handles of Runtime.h.
#ifndef SAWTOOTH_RUNTIME_LIB_RUNTIMEOBJECT_H
#define SAWTOOTH_RUNTIME_LIB_RUNTIMEOBJECT_H

#include "sawtooth/runtime/Runtime.h"
#include "sawtooth/runtime/StateFile.h"
#include "sawtooth/runtime/cuda/DeviceEngine.h"

#include <new>

struct SawtoothError {
  sawtooth::runtime::Status status;
};

struct SawtoothRuntime {
  sawtooth::runtime::Artifact artifact;
  std::unique_ptr<sawtooth::runtime::Store> store;
  sawtooth::runtime::cuda::DevicePointer device; // of code for a GPU
  sawtooth::runtime::cuda::CUstream stream = nullptr;
  uint64_t ringRows = 0;
  std::unique_ptr<sawtooth::runtime::Engine> engine;                   // once prepared
  std::vector<std::unique_ptr<sawtooth::runtime::StepRunner>> runners; // by step; null: not bound
  sawtooth::runtime::StatusRow row; // what sawtoothRuntimePoll reads into
  sawtooth::runtime::Position position;

  /// The engine of code for a GPU, once prepared; else null.
  sawtooth::runtime::cuda::DeviceEngine *gpu() const {
    return device ? static_cast<sawtooth::runtime::cuda::DeviceEngine *>(engine.get()) : nullptr;
  }
  /// The runner of a prepared step.
  sawtooth::runtime::Status find(const char *step, sawtooth::runtime::StepRunner *&runner) const;
};

namespace sawtooth::runtime {

/// Nothing is thrown across a C API: what the C++ library throws becomes a status.
template <typename Function>
SawtoothError *guarded(Function &&function) {
  Status status;
  try {
    status = function();
    return status.ok() ? nullptr : new SawtoothError{std::move(status)};
  } catch (const std::bad_alloc &) {
    status = Status::error(StatusCode::OutOfMemory, "out of memory");
  } catch (const std::exception &problem) {
    status = Status::error(StatusCode::Invalid, problem.what());
  }
  return new (std::nothrow) SawtoothError{std::move(status)};
}

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_LIB_RUNTIMEOBJECT_H
