// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA driver of this process, loaded when it is first asked for. Nothing of CUDA is needed to
// build the runtime or to run it on a CPU.
#ifndef SAWTOOTH_RUNTIME_CUDA_DRIVER_H
#define SAWTOOTH_RUNTIME_CUDA_DRIVER_H

#include "sawtooth/runtime/Status.h"
#include "sawtooth/runtime/cuda/Types.h"

namespace sawtooth::runtime::cuda {

class Driver {
public:
  /// The driver behind libcuda.so.1, initialised. Every call after the first gives the same. Lives
  /// until the process ends. `Unsupported` says what to do when there is no driver, a stub of the
  /// toolkit stands in for it, it is too old, or this process is a fork of one that has used it;
  /// `NotFound` when there is no device.
  static Result<const Driver *> get();

#define SAWTOOTH_CUDA_SYMBOL(name, version, parameters) CUresult(*name) parameters = nullptr;
#define SAWTOOTH_CUDA_EXTRA_SYMBOL(name, version, parameters) CUresult(*name) parameters = nullptr;
#include "sawtooth/runtime/cuda/Symbols.def"

  /// As cuDriverGetVersion: 12040 for CUDA 12.4.
  int version() const { return driverVersion; }
  /// 10 * major + minor of the newest PTX that the driver compiles.
  unsigned newestPtx() const;

  /// Ok for success, else what `call` said: "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  Status check(CUresult result, const char *call,
               std::source_location where = std::source_location::current()) const;
  /// `Unsupported` in a child of the process that initialised the driver: CUDA does not survive
  /// fork().
  Status checkProcess() const;

private:
  Driver() = default;
  Status open();
  Status findSymbols(void *library);

  int driverVersion = 0;
  int process = 0;
};

/// "13.0" for 13000, as CUDA writes versions.
std::string versionText(int version);

/// Makes a context current for a scope, and what was current before again at its end. In a fork of
/// the process that uses the driver it does nothing but say so; whoever frees leaves it at that.
class ContextScope {
public:
  ContextScope(const Driver &driver, CUcontext context);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;
  /// Whether the context is current.
  const Status &status() const { return state; }

private:
  const Driver &driver;
  bool pushed = false;
  Status state;
};

/// Lets this thread allocate, load and free for a scope although some stream is being captured:
/// none of it belongs to the capture.
class OutsideCapture {
public:
  explicit OutsideCapture(const Driver &driver);
  ~OutsideCapture();
  OutsideCapture(const OutsideCapture &) = delete;
  OutsideCapture &operator=(const OutsideCapture &) = delete;

private:
  const Driver &driver;
  int mode = captureModeRelaxed;
  bool exchanged = false;
};

} // namespace sawtooth::runtime::cuda

#endif // SAWTOOTH_RUNTIME_CUDA_DRIVER_H
