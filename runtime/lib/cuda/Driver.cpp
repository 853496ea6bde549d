// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/cuda/Driver.h"

#include "Cat.h"

#include <algorithm>
#include <dlfcn.h>
#include <iterator>
#include <mutex>
#include <unistd.h>

namespace sawtooth::runtime::cuda {

static Status unsupported(std::string message,
                          std::source_location where = std::source_location::current()) {
  return Status::error(StatusCode::Unsupported, std::move(message), where);
}

// CUDA 11.3 brought cuGetProcAddress, without which no version of an entry point can be asked for.
static constexpr int oldestVersion = 11030;

std::string versionText(int version) { return cat(version / 1000, ".", version % 1000 / 10); }

static Status stub() {
  return unsupported("libcuda.so.1 is the toolkit's stub, not a driver: take the toolkit's folder "
                     "'stubs' out of LD_LIBRARY_PATH");
}

Result<const Driver *> Driver::get() {
  // Nothing of this is done before somebody asks, and never in a constructor of the program: a host
  // may fork, or choose its device by the environment, before its first step.
  static std::mutex mutex;
  static Driver *driver = nullptr; // never destroyed: others' destructors may still free memory
  std::lock_guard lock(mutex);
  if (driver) {
    Status alive = driver->checkProcess();
    return alive.ok() ? Result<const Driver *>(driver) : Result<const Driver *>(alive);
  }
  auto *opened = new Driver;
  if (Status status = opened->open(); !status.ok()) {
    delete opened;
    return status;
  }
  driver = opened;
  return static_cast<const Driver *>(driver);
}

Status Driver::open() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return unsupported(cat("there is no CUDA driver: ", dlerror()));
  SAWTOOTH_TRY(findSymbols(library));
  switch (CUresult result = cuInit(0)) {
  case success:
    break;
  case errorStubLibrary:
    return stub();
  case errorNoDevice:
    return Status::error(StatusCode::NotFound, "the CUDA driver finds no device");
  default:
    return check(result, "cuInit");
  }
  process = getpid();
  int devices = 0;
  SAWTOOTH_TRY(check(cuDriverGetVersion(&driverVersion), "cuDriverGetVersion"));
  SAWTOOTH_TRY(check(cuDeviceGetCount(&devices), "cuDeviceGetCount"));
  return devices ? Status()
                 : Status::error(StatusCode::NotFound, "the CUDA driver finds no device");
}

Status Driver::findSymbols(void *library) {
  using GetVersion = CUresult(int *);
  using Find = CUresult(const char *, void **, int, uint64_t);
  using FindWithStatus = CUresult(const char *, void **, int, uint64_t, int *);
  auto *getVersion = reinterpret_cast<GetVersion *>(dlsym(library, "cuDriverGetVersion"));
  auto *find = reinterpret_cast<Find *>(dlsym(library, "cuGetProcAddress"));
  auto *findNew = reinterpret_cast<FindWithStatus *>(dlsym(library, "cuGetProcAddress_v2"));
  int found = 0;
  if (CUresult result = getVersion ? getVersion(&found) : errorNotFound; result != success) {
    if (result == errorStubLibrary)
      return stub();
    return unsupported("libcuda.so.1 is no CUDA driver: it does not say its version");
  }
  if (!find && !findNew)
    return unsupported(cat("expected a driver for CUDA ", versionText(oldestVersion),
                           " or newer, got one for ", versionText(found),
                           ": install a newer driver"));
  const char *missing = nullptr;
  bool isStub = false;
  auto take = [&](auto &function, const char *name, int version, bool needed) {
    void *address = nullptr;
    constexpr uint64_t flags = 0;
    CUresult result = findNew ? findNew(name, &address, version, flags, nullptr)
                              : find(name, &address, version, flags);
    isStub |= result == errorStubLibrary;
    if (result == success && address)
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
    else if (needed && !missing)
      missing = name;
  };
#define SAWTOOTH_CUDA_SYMBOL(name, version, parameters) take(name, #name, version, true);
#define SAWTOOTH_CUDA_EXTRA_SYMBOL(name, version, parameters) take(name, #name, version, false);
#include "sawtooth/runtime/cuda/Symbols.def"
  if (isStub)
    return stub();
  if (missing)
    return unsupported(cat("the driver for CUDA ", versionText(found), " lacks ", missing));
  return {};
}

unsigned Driver::newestPtx() const {
  // "PTX ISA", release history: which PTX came with which CUDA. From 11.0 on minor versions go
  // together, but for three that brought one more, or one fewer.
  struct Row {
    int cuda;
    unsigned ptx;
  };
  static constexpr Row rows[] = {{11030, 73}, {11040, 74}, {11050, 75}, {11060, 76}, {11070, 77},
                                 {11080, 78}, {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83},
                                 {12040, 84}, {12050, 85}, {12060, 85}, {12070, 86}, {12080, 87},
                                 {12090, 88}, {13000, 90}, {13010, 91}};
  const Row *after =
      std::upper_bound(std::begin(rows), std::end(rows), driverVersion,
                       [](int version, const Row &row) { return version < row.cuda; });
  return after == std::begin(rows) ? 0 : after[-1].ptx;
}

Status Driver::check(CUresult result, const char *call, std::source_location where) const {
  if (result == success)
    return {};
  if (result == errorStubLibrary)
    return stub();
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName)
    (void)cuGetErrorName(result, &name);
  if (cuGetErrorString)
    (void)cuGetErrorString(result, &text);
  std::string said = name ? name : cat("error ", result);
  if (text)
    said += cat(" (", text, ")");
  StatusCode code = result == errorOutOfMemory ? StatusCode::OutOfMemory : StatusCode::DeviceFailed;
  return Status::error(code, cat(call, ": ", said), where);
}

Status Driver::checkProcess() const {
  if (getpid() == process)
    return {};
  return unsupported("this process is a fork of one that has used the CUDA driver, which does not "
                     "survive fork(): start a new process, or fork before the first use");
}

ContextScope::ContextScope(const Driver &driver, CUcontext context) : driver(driver) {
  CUcontext current = nullptr;
  state = driver.checkProcess();
  if (state.ok())
    state = driver.check(driver.cuCtxGetCurrent(&current), "cuCtxGetCurrent");
  if (!state.ok() || current == context)
    return;
  state = driver.check(driver.cuCtxPushCurrent(context), "cuCtxPushCurrent");
  pushed = state.ok();
}

ContextScope::~ContextScope() {
  CUcontext ignored;
  if (pushed)
    (void)driver.cuCtxPopCurrent(&ignored);
}

OutsideCapture::OutsideCapture(const Driver &driver) : driver(driver) {
  if (driver.checkProcess().ok())
    exchanged = driver.cuThreadExchangeStreamCaptureMode(&mode) == success;
}
OutsideCapture::~OutsideCapture() {
  if (exchanged)
    (void)driver.cuThreadExchangeStreamCaptureMode(&mode);
}

} // namespace sawtooth::runtime::cuda
