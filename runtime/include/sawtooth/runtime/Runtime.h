// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime as a C library: run a compiled module on buffers of the caller's, on a CPU or a GPU.
// In order: create, load (a state file, if any), bind, prepare, set, then run as often as wanted.
// One thread at a time for each SawtoothRuntime, but for sawtoothRuntimePoll, which may have a
// thread of its own. C++ programs can use the classes beside this header (Store.h, Executor.h,
// Report.h) instead.
#ifndef SAWTOOTH_RUNTIME_RUNTIME_H
#define SAWTOOTH_RUNTIME_RUNTIME_H

#include "sawtooth/runtime/Abi.h"

#ifdef __cplusplus
extern "C" {
#endif

//===------------------------------------------------------------------------------------------===//
// Errors
//===------------------------------------------------------------------------------------------===//

// What went wrong, to be destroyed by whoever got it. Null is success.
typedef struct SawtoothError SawtoothError;

typedef enum SawtoothErrorCode {
  SAWTOOTH_OK,
  SAWTOOTH_INVALID,
  SAWTOOTH_NOT_FOUND,
  SAWTOOTH_MISMATCH,
  SAWTOOTH_CORRUPT,
  SAWTOOTH_UNSUPPORTED,
  SAWTOOTH_IO,
  SAWTOOTH_OUT_OF_MEMORY,
  SAWTOOTH_STUCK,
  SAWTOOTH_DEVICE_FAILED
} SawtoothErrorCode;

// Null is SAWTOOTH_OK with an empty message. Texts live as long as the error.
uint32_t sawtoothErrorCode(const SawtoothError *error);
const char *sawtoothErrorMessage(const SawtoothError *error);
const char *sawtoothErrorFile(const SawtoothError *error);
uint32_t sawtoothErrorLine(const SawtoothError *error);
void sawtoothErrorDestroy(SawtoothError *error);

//===------------------------------------------------------------------------------------------===//
// Before the first step
//===------------------------------------------------------------------------------------------===//

typedef struct SawtoothRuntime SawtoothRuntime;

typedef void SawtoothParallelBody(void *context, uint64_t begin, uint64_t end);

// A scheduler of the caller's: covers [0, count) by calls of `body` on ranges of at most `grain`,
// each element once, from any threads, and returns when all have returned.
typedef struct SawtoothParallelFor {
  void (*run)(void *user, uint64_t count, uint64_t grain, SawtoothParallelBody *body,
              void *context);
  void *user;
  uint32_t threads; // how many work at once
} SawtoothParallelFor;

// A GPU to run on. Context and stream are the caller's and outlive the runtime.
typedef struct SawtoothDeviceOptions {
  int32_t ordinal; // of the device whose primary context is used when `context` is null
  void *context;   // a CUcontext, or null
  // A CUstream of it that runs the steps, and on which the tensors are written that steps read;
  // null: one of the runtime's own, which and the default stream wait for each other.
  void *stream;
} SawtoothDeviceOptions;

typedef struct SawtoothRuntimeOptions {
  uint64_t seed;                          // of random initial values
  uint32_t threads;                       // of OpenMP; 0: as many as the machine has
  const SawtoothParallelFor *parallelFor; // instead of OpenMP, or null
  uint64_t ringRows;                      // rows that wait for sawtoothRuntimePoll; 0: 1024
  const SawtoothDeviceOptions *device;    // of code for a GPU; null: the first one
} SawtoothRuntimeOptions;

// The artifact's code and plan must outlive the runtime. `options` may be null.
SawtoothError *sawtoothRuntimeCreate(const SawtoothArtifact *artifact,
                                     const SawtoothRuntimeOptions *options,
                                     SawtoothRuntime **runtime);
void sawtoothRuntimeDestroy(SawtoothRuntime *runtime);

// One tensor of a list: row-major, without gaps, at a multiple of its element's size.
typedef struct SawtoothBuffer {
  const char *name;
  uint32_t type; // SawtoothType
  uint32_t rank;
  const int64_t *dims;
  void *data;
} SawtoothBuffer;

// Takes all state from a file that sawtoothRuntimeSave wrote.
SawtoothError *sawtoothRuntimeLoad(SawtoothRuntime *runtime, const char *path);
// Binds a list ("w", "opt.m", "g", "train.g") to buffers, which steps then use in place: state is
// written, arguments are read. Allowed again after sawtoothRuntimePrepare, for a list bound before.
SawtoothError *sawtoothRuntimeBind(SawtoothRuntime *runtime, const char *list,
                                   const SawtoothBuffer *tensors, uint64_t count);
// The same for buffers on the GPU, `data` being their addresses there. For code for a GPU; what
// sawtoothRuntimeBind takes is copied to the GPU once, when it is bound.
SawtoothError *sawtoothRuntimeBindDevice(SawtoothRuntime *runtime, const char *list,
                                         const SawtoothBuffer *tensors, uint64_t count);
// Binds a list to the tensors of a .safetensors file whose names begin with `prefix`.
SawtoothError *sawtoothRuntimeBindFile(SawtoothRuntime *runtime, const char *list, const char *path,
                                       const char *prefix);
// Gives unbound state its initial value and allocates all that steps need. Steps with list
// arguments that are not bound cannot run.
SawtoothError *sawtoothRuntimePrepare(SawtoothRuntime *runtime);

//===------------------------------------------------------------------------------------------===//
// Steps
//===------------------------------------------------------------------------------------------===//

// Sets a scalar argument ("lr", "train.lr") or a field ("s.growth_interval"; all tensors of one
// that is per tensor), rounded once to its type.
SawtoothError *sawtoothRuntimeSet(SawtoothRuntime *runtime, const char *name, double value);
// The same with the value as text: "1e-3", "true", "9007199254740993".
SawtoothError *sawtoothRuntimeSetText(SawtoothRuntime *runtime, const char *name,
                                      const char *value);
// Reads a field; `tensor` counts by the byte order of names, 0 for a field of the step. Waits for a
// GPU; a loop that must not wait reads rows, or the address below.
SawtoothError *sawtoothRuntimeGet(SawtoothRuntime *runtime, const char *name, uint64_t tensor,
                                  double *value);
// Where a field lies: an 8-byte slot that holds the value in its own type, on the GPU for code for
// one. The loss scale, for whoever scales the loss: "s.scale". Once prepared, it stays there.
SawtoothError *sawtoothRuntimeField(const SawtoothRuntime *runtime, const char *name,
                                    uint64_t tensor, void **address);
// A tensor argument of a step, in the host's memory: read by every run until set again.
SawtoothError *sawtoothRuntimeSetTensor(SawtoothRuntime *runtime, const char *step,
                                        const char *argument, const void *data);
// The same in the GPU's memory: its address there, which the other function undoes.
SawtoothError *sawtoothRuntimeSetDeviceTensor(SawtoothRuntime *runtime, const char *step,
                                              const char *argument, void *address);
// The buffer of a list's tensor: the caller's, or the runtime's own; on the GPU for code for one,
// and then only once prepared.
SawtoothError *sawtoothRuntimeBuffer(const SawtoothRuntime *runtime, const char *list,
                                     uint64_t tensor, void **data);

// Runs a step once. `applied` (may be null) becomes 1 when every flag of the step held. A GPU is
// only told to run it, unless `applied` is asked for, which waits.
SawtoothError *sawtoothRuntimeRun(SawtoothRuntime *runtime, const char *step, int *applied);

// For code for a GPU; on a CPU the first three do nothing.
// Returns when all runs have ended, with the error of one that failed.
SawtoothError *sawtoothRuntimeWait(SawtoothRuntime *runtime);
// Another stream of the same context from now on (null: the default stream); the caller orders it
// after the one before.
SawtoothError *sawtoothRuntimeSetStream(SawtoothRuntime *runtime, void *stream);
// For a graph: uploads the arguments of a step as they are now, before each replay that shall see
// others ...
SawtoothError *sawtoothRuntimeUpload(SawtoothRuntime *runtime, const char *step);
// ... and enqueues its launches and nothing else, which a capture records. On a CPU, runs it.
SawtoothError *sawtoothRuntimeLaunch(SawtoothRuntime *runtime, const char *step);

// What one run came to.
typedef struct SawtoothRow {
  uint64_t sequence; // counts runs from 0; a gap is a row that found the ring full
  uint32_t step;     // number in the plan
  uint32_t applied;
  uint64_t causes; // of a skip, a bit each
  int64_t attempted, appliedSteps, skipped, consecutiveSkips, calibrationSkips;
  double scale;  // of the first scaler, after the step; NaN without one
  uint64_t logs; // how many values the step logged
} SawtoothRow;

// Takes the oldest row and up to `capacity` of its logged values. Returns 0 when there is none.
int sawtoothRuntimePoll(SawtoothRuntime *runtime, SawtoothRow *row, double *logs,
                        uint64_t capacity);
uint64_t sawtoothRuntimeDropped(const SawtoothRuntime *runtime);

// Writes all state: under a temporary name, then renamed. Waits for a GPU.
SawtoothError *sawtoothRuntimeSave(SawtoothRuntime *runtime, const char *path);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // SAWTOOTH_RUNTIME_RUNTIME_H
