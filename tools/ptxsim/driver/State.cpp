// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "driver/State.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

using namespace ptxsim;

Driver &Driver::get() {
  // Never destroyed: programs call the driver from their own static destructors.
  static Driver *driver = new Driver;
  return *driver;
}

static void printStats() {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  driver.printText(toText(driver.stats));
}

Driver::Driver() {
  if (const char *text = std::getenv("PTXSIM_OPTIONS"))
    optionError = options.parse(text);
  chip = findChip(options.chip);
  if (!chip)
    chip = findChip("sm_80");
  memory = std::make_unique<DeviceMemory>(options.memory);
  primary.isPrimary = true;
  primary.legacy.context = &primary;
  if (options.stats)
    std::atexit(printStats);
}

void Driver::printText(const std::string &text) { std::fputs(text.c_str(), stderr); }

bool Driver::publish() {
  if (reporter.reports().empty())
    return false;
  std::FILE *file = nullptr;
  if (!options.report.empty() && !(file = std::fopen(options.report.c_str(), "a")))
    std::fprintf(stderr, "ptxsim: cannot write '%s'\n", options.report.c_str());
  for (const Report &report : reporter.reports()) {
    if (file)
      std::fprintf(file, "%s\n", toJson(report).c_str());
    else
      printText(toText(report));
  }
  if (reporter.suppressed() && !file)
    printText("========= " + std::to_string(reporter.suppressed()) + " more findings not shown\n");
  if (file)
    std::fclose(file);
  reporter.start(options.reports);
  return true;
}

std::vector<CUcontext> &ptxsim::contextStack() {
  static thread_local std::vector<CUcontext> stack;
  return stack;
}

CUcontext ptxsim::currentContext() {
  auto &stack = contextStack();
  return stack.empty() ? nullptr : stack.back();
}

Call::Call(Need need) : driver(Driver::get()), lock(driver.mutex) {
  if (need == Nothing)
    return;
  if (!driver.initialised) {
    result = CUDA_ERROR_NOT_INITIALIZED;
    return;
  }
  if (need == Initialised)
    return;
  context = currentContext();
  if (!context) {
    result = CUDA_ERROR_INVALID_CONTEXT;
    return;
  }
  if (context != &driver.primary && !driver.contexts.count(context)) {
    result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return;
  }
  result = context->sticky;
}

static uint64_t threadNumber() { return std::hash<std::thread::id>()(std::this_thread::get_id()); }

/// Set by cuThreadExchangeStreamCaptureMode.
static thread_local int threadCaptureMode = 0;

PTXSIM_API CUresult cuThreadExchangeStreamCaptureMode(int *mode) {
  PTXSIM_ENTER(Initialised);
  if (!mode || *mode < 0 || *mode > 2)
    return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, threadCaptureMode);
  return CUDA_SUCCESS;
}

CUresult ptxsim::refuseDuringCapture() {
  Driver &driver = Driver::get();
  if (threadCaptureMode == 2)
    return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for (auto &capture : driver.captures) {
    bool mine = capture->thread == threadNumber();
    bool forbids = mine ? capture->mode != 2 : capture->mode == 0 && threadCaptureMode == 0;
    if (!forbids)
      continue;
    capture->invalid = true;
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return result;
}

CUstream ptxsim::streamOf(CUcontext context, CUstream handle) {
  if (reinterpret_cast<uintptr_t>(handle) <= 2)
    return &context->legacy;
  return context->streams.count(handle) ? handle : nullptr;
}

CUresult ptxsim::drain(CUstream stream, uint64_t ticket) {
  // A launch in the queue may fail; what follows it on a device never runs.
  while (!stream->queue.empty() && stream->executed < ticket) {
    Work work = std::move(stream->queue.front());
    stream->queue.pop_front();
    ++stream->executed;
    if (stream->context->sticky == CUDA_SUCCESS)
      work();
  }
  return stream->context->sticky;
}

CUresult ptxsim::drainAll(CUcontext context) {
  drain(&context->legacy);
  for (CUstream stream : context->streams)
    drain(stream);
  return context->sticky;
}

CUresult ptxsim::enqueue(CUcontext context, CUstream stream, std::unique_ptr<GraphNode> node) {
  Driver &driver = Driver::get();
  if (stream->capture) {
    Capture &capture = *stream->capture;
    if (capture.invalid)
      return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    node->graph = capture.graph.get();
    node->dependencies = stream->tips;
    stream->tips = {node.get()};
    capture.graph->nodes.push_back(std::move(node));
    return CUDA_SUCCESS;
  }
  // The legacy stream and blocking streams wait for each other.
  bool legacy = stream == &context->legacy;
  for (auto &capture : driver.captures)
    for (CUstream captured : capture->streams)
      if (legacy && captured->context == context && !(captured->flags & 1)) {
        capture->invalid = true;
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
      }
  ++stream->enqueued;
  if (!driver.options.lazy) {
    ++stream->executed;
    return node->work();
  }
  if (legacy) {
    for (CUstream other : context->streams)
      if (!(other->flags & 1))
        drain(other);
  } else if (!(stream->flags & 1)) {
    drain(&context->legacy);
  }
  stream->queue.push_back(std::move(node->work));
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuStreamBeginCapture_v2(CUstream handle, int mode) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (mode < 0 || mode > 2)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream == &call.context->legacy)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  auto capture = std::make_shared<Capture>();
  capture->origin = stream;
  capture->mode = mode;
  capture->thread = threadNumber();
  capture->id = ++call.driver.captureCount;
  capture->streams = {stream};
  stream->capture = capture;
  stream->tips.clear();
  call.driver.captures.push_back(std::move(capture));
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuStreamBeginCapture(CUstream stream) {
  return cuStreamBeginCapture_v2(stream, 0);
}

PTXSIM_API CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!graph)
    return CUDA_ERROR_INVALID_VALUE;
  *graph = nullptr;
  std::shared_ptr<Capture> capture = stream->capture;
  if (!capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  CUresult result = CUDA_SUCCESS;
  if (capture->origin != stream)
    result = CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  else if (capture->mode != 2 && capture->thread != threadNumber())
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  else if (capture->invalid)
    result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (result == CUDA_SUCCESS) {
    // Every node must be reachable from where the origin stands.
    std::set<CUgraphNode> joined;
    std::vector<CUgraphNode> work = stream->tips;
    while (!work.empty()) {
      CUgraphNode node = work.back();
      work.pop_back();
      if (joined.insert(node).second)
        work.insert(work.end(), node->dependencies.begin(), node->dependencies.end());
    }
    if (joined.size() != capture->graph->nodes.size())
      result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  }
  for (CUstream each : capture->streams) {
    each->capture.reset();
    each->tips.clear();
  }
  auto &captures = call.driver.captures;
  captures.erase(std::remove(captures.begin(), captures.end(), capture), captures.end());
  if (result == CUDA_SUCCESS) {
    *graph = capture->graph.release();
    call.driver.graphs.insert(*graph);
  }
  return result;
}

PTXSIM_API CUresult cuStreamIsCapturing(CUstream handle, int *status) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!status)
    return CUDA_ERROR_INVALID_VALUE;
  // 0 none, 1 active, 2 invalidated.
  *status = !stream->capture ? 0 : stream->capture->invalid ? 2 : 1;
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuStreamGetCaptureInfo_v2(CUstream handle, int *status, uint64_t *id,
                                              CUgraph *graph, const CUgraphNode **dependencies,
                                              size_t *count) {
  CUresult result = cuStreamIsCapturing(handle, status);
  if (result != CUDA_SUCCESS || *status == 0)
    return result;
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (id)
    *id = stream->capture->id;
  if (graph)
    *graph = stream->capture->graph.get();
  if (dependencies)
    *dependencies = stream->tips.data();
  if (count)
    *count = stream->tips.size();
  return CUDA_SUCCESS;
}

CUresult ptxsim::unsupported(const char *name) {
  std::fprintf(stderr, "ptxsim: %s is not supported\n", name);
  return CUDA_ERROR_NOT_SUPPORTED;
}
