// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's objects. One mutex guards all of them: the simulator runs one thing at a time.

#ifndef PTXSIM_DRIVER_STATE_H
#define PTXSIM_DRIVER_STATE_H

#include "driver/Cuda.h"
#include "exec/Launch.h"

#include <deque>
#include <functional>
#include <mutex>
#include <set>

namespace ptxsim {

using Work = std::function<CUresult()>;

struct Capture;

struct DriverModule {
  CUcontext context;
  std::unique_ptr<Program> program;
  std::map<std::string, std::unique_ptr<DriverFunction>> functions;
  std::map<std::string, unsigned> registers; ///< a kernel, from ptxas
};

struct DriverFunction {
  CUmodule module;
  const Code *code;
  unsigned registers = 32;
  int maxDynamicShared = 48 << 10;
  std::string name;
};

struct DriverStream {
  CUcontext context;
  unsigned flags = 0; ///< 1: does not wait for the legacy stream
  int priority = 0;
  std::deque<Work> queue; ///< with lazy=1
  uint64_t enqueued = 0, executed = 0;
  std::shared_ptr<Capture> capture;
  std::vector<CUgraphNode> tips; ///< of the capture: what the next node depends on
};

struct DriverEvent {
  CUcontext context;
  unsigned flags = 0;
  bool recorded = false;
  CUstream stream = nullptr;
  uint64_t ticket = 0; ///< done when the stream has executed this many
  double milliseconds = 0;
  std::shared_ptr<Capture> capture; ///< when last recorded in a capturing stream
  std::vector<CUgraphNode> tips;
};

struct GraphNode {
  DriverGraph *graph;
  int type;
  Work work;
  std::vector<CUgraphNode> dependencies;
  // Of a kernel node, so that its parameters can be read and replaced.
  CUfunction function = nullptr;
  LaunchConfig config;
  std::vector<void *> pointers; ///< into config.parameters
  CUDA_MEMSET_NODE_PARAMS memset{};
  CUDA_MEMCPY3D memcpy{};
  CUDA_HOST_NODE_PARAMS host{};
};
struct DriverGraph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
};
struct DriverGraphExec {
  std::vector<std::unique_ptr<GraphNode>> nodes; ///< in an order that keeps dependencies
  std::map<CUgraphNode, GraphNode *> from;       ///< by the node of the graph
};

/// A capture sequence: its streams share it.
struct Capture {
  std::unique_ptr<DriverGraph> graph = std::make_unique<DriverGraph>();
  CUstream origin = nullptr;
  int mode = 0; ///< 0 global, 1 thread-local, 2 relaxed
  uint64_t thread = 0, id = 0;
  bool invalid = false;
  std::vector<CUstream> streams;
};

struct DriverContext {
  bool isPrimary = false;
  unsigned flags = 0, primaryUsers = 0;
  CUresult sticky = CUDA_SUCCESS; ///< after a failed launch every call returns it
  std::set<CUmodule> modules;
  std::set<CUstream> streams;
  std::set<CUevent> events;
  std::set<uint64_t> allocations;
  DriverStream legacy{};
  size_t stackLimit = 64 << 10, printfLimit = 1 << 20, heapLimit = 8 << 20;
};

class Driver {
public:
  static Driver &get();

  std::recursive_mutex mutex;
  bool initialised = false;
  Options options;
  std::string optionError;
  const Chip *chip = nullptr;
  std::unique_ptr<DeviceMemory> memory;
  DriverContext primary;
  std::set<CUcontext> contexts;
  std::set<CUgraph> graphs;
  std::set<CUgraphExec> graphExecs;
  std::vector<std::shared_ptr<Capture>> captures; ///< in progress
  Stats stats;
  Reporter reporter;
  uint16_t generation = 0;
  uint64_t captureCount = 0;

  /// Prints or files the reports collected since `start`, and says whether there were any.
  bool publish();
  void printText(const std::string &text);

private:
  Driver();
  ~Driver();
};

/// Locks the driver and checks what every call needs: initialisation, a current context, no sticky
/// error. `error()` is the result when one of them is missing.
class Call {
public:
  enum Need { Nothing, Initialised, Context };
  explicit Call(Need need = Context);
  CUresult error() const { return result; }
  CUcontext context = nullptr;
  Driver &driver;

private:
  std::lock_guard<std::recursive_mutex> lock;
  CUresult result = CUDA_SUCCESS;
};

CUcontext currentContext();
std::vector<CUcontext> &contextStack();

/// Refuses calls that a capture in progress forbids (CUDA Driver API, "cuStreamBeginCapture":
/// potentially unsafe calls), and invalidates that capture.
CUresult refuseDuringCapture();

/// The stream that a handle names: null and 1 are the legacy stream, 2 the per-thread one, which
/// is the legacy stream here. Null when the handle is none.
CUstream streamOf(CUcontext context, CUstream handle);

/// Puts work on a stream: runs it, queues it, or adds it as a node to the stream's capture.
CUresult enqueue(CUcontext context, CUstream stream, std::unique_ptr<GraphNode> node);
/// Runs what is queued, up to `ticket` when given.
CUresult drain(CUstream stream, uint64_t ticket = ~uint64_t(0));
CUresult drainAll(CUcontext context);

/// A launch that all checks have passed; sets the context's sticky error when it fails.
CUresult executeLaunch(CUcontext context, CUfunction function, const LaunchConfig &config);
CUresult prepareLaunch(CUfunction function, LaunchConfig &config, void **parameters, void **extra);

/// Copies between any two of host and device memory, with all checks.
CUresult copyBytes(CUcontext context, uint64_t to, uint64_t from, size_t bytes);
CUresult fillBytes(CUcontext context, uint64_t to, uint32_t value, unsigned element, size_t count);
Work rectangleWork(CUcontext context, const CUDA_MEMCPY3D &copy);

/// Runs ptxas on a module if it is there. False with `log` filled when it complains.
bool assemble(const Options &options, const std::string &text, const std::string &target,
              std::string &log, std::map<std::string, unsigned> &registers);

CUresult unsupported(const char *name);

} // namespace ptxsim

/// First statement of most entry points.
#define PTXSIM_ENTER(need)                                                                         \
  ptxsim::Call call(ptxsim::Call::need);                                                           \
  if (call.error() != CUDA_SUCCESS)                                                                \
  return call.error()

#endif
