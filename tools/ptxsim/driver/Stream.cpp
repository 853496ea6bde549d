// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events.

#include "driver/State.h"

#include <algorithm>
#include <chrono>

using namespace ptxsim;

/// Calls that wait for a stream are illegal while it captures, and spoil the capture.
static CUresult refuseOnCapturing(CUstream stream) {
  if (!stream->capture)
    return CUDA_SUCCESS;
  stream->capture->invalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

PTXSIM_API CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  PTXSIM_ENTER(Context);
  if (!stream || flags > 1)
    return CUDA_ERROR_INVALID_VALUE;
  *stream = new DriverStream{};
  (*stream)->context = call.context;
  (*stream)->flags = flags;
  (*stream)->priority = priority;
  call.context->streams.insert(*stream);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

PTXSIM_API CUresult cuStreamDestroy_v2(CUstream handle) {
  PTXSIM_ENTER(Context);
  if (!call.context->streams.count(handle))
    return CUDA_ERROR_INVALID_HANDLE;
  CUresult result = drain(handle);
  if (handle->capture) {
    handle->capture->invalid = true;
    auto &streams = handle->capture->streams;
    streams.erase(std::remove(streams.begin(), streams.end(), handle), streams.end());
  }
  for (CUevent event : call.context->events)
    if (event->stream == handle)
      event->stream = nullptr;
  call.context->streams.erase(handle);
  delete handle;
  return result;
}

PTXSIM_API CUresult cuStreamSynchronize(CUstream handle) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult refused = refuseOnCapturing(stream); refused != CUDA_SUCCESS)
    return refused;
  if (stream == &call.context->legacy)
    return drainAll(call.context);
  return drain(stream);
}

PTXSIM_API CUresult cuStreamQuery(CUstream handle) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult refused = refuseOnCapturing(stream); refused != CUDA_SUCCESS)
    return refused;
  if (stream->queue.empty())
    return CUDA_SUCCESS;
  // Asking twice must show progress, or a polling program would never end.
  drain(stream, stream->executed + 1);
  return stream->context->sticky != CUDA_SUCCESS ? stream->context->sticky : CUDA_ERROR_NOT_READY;
}

PTXSIM_API CUresult cuStreamGetFlags(CUstream handle, unsigned *flags) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream || !flags)
    return stream ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
  *flags = stream->flags;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuStreamGetPriority(CUstream handle, int *priority) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream || !priority)
    return stream ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
  *priority = stream->priority;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuStreamGetCtx(CUstream handle, CUcontext *context) {
  PTXSIM_ENTER(Context);
  if (!streamOf(call.context, handle) || !context)
    return CUDA_ERROR_INVALID_HANDLE;
  *context = call.context;
  return CUDA_SUCCESS;
}

static std::unique_ptr<GraphNode> hostNode(CUhostFn fn, void *data) {
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeHost;
  node->host = {fn, data};
  node->work = [fn, data] {
    fn(data);
    return CUDA_SUCCESS;
  };
  return node;
}

PTXSIM_API CUresult cuLaunchHostFunc(CUstream handle, CUhostFn fn, void *data) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream || !fn)
    return stream ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
  return enqueue(call.context, stream, hostNode(fn, data));
}

PTXSIM_API CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback fn, void *data,
                                        unsigned flags) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream || !fn || flags)
    return stream ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
  if (CUresult refused = refuseOnCapturing(stream); refused != CUDA_SUCCESS)
    return refused;
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeHost;
  node->work = [=] {
    fn(handle, stream->context->sticky, data);
    return CUDA_SUCCESS;
  };
  return enqueue(call.context, stream, std::move(node));
}

PTXSIM_API CUresult cuEventCreate(CUevent *event, unsigned flags) {
  PTXSIM_ENTER(Context);
  if (!event || flags > 7)
    return CUDA_ERROR_INVALID_VALUE;
  *event = new DriverEvent{};
  (*event)->context = call.context;
  (*event)->flags = flags;
  call.context->events.insert(*event);
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuEventDestroy_v2(CUevent event) {
  PTXSIM_ENTER(Context);
  if (!call.context->events.count(event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (event->stream)
    drain(event->stream, event->ticket);
  call.context->events.erase(event);
  delete event;
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuEventRecord(CUevent event, CUstream handle) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream || !call.context->events.count(event))
    return CUDA_ERROR_INVALID_HANDLE;
  event->recorded = true;
  event->capture = stream->capture;
  event->tips = stream->tips;
  event->stream = nullptr;
  if (stream->capture)
    return stream->capture->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeEmpty;
  node->work = [event] {
    event->milliseconds = std::chrono::duration<double, std::milli>(
                              std::chrono::steady_clock::now().time_since_epoch())
                              .count();
    return CUDA_SUCCESS;
  };
  CUresult result = enqueue(call.context, stream, std::move(node));
  event->stream = stream;
  event->ticket = stream->enqueued;
  return result;
}
PTXSIM_API CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned) {
  return cuEventRecord(event, stream);
}

static bool done(CUevent event) {
  return !event->recorded || !event->stream || event->stream->executed >= event->ticket;
}

PTXSIM_API CUresult cuEventQuery(CUevent event) {
  PTXSIM_ENTER(Context);
  if (!call.context->events.count(event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture)
    return CUDA_ERROR_CAPTURED_EVENT;
  if (done(event))
    return CUDA_SUCCESS;
  drain(event->stream, event->stream->executed + 1);
  return call.context->sticky != CUDA_SUCCESS ? call.context->sticky : CUDA_ERROR_NOT_READY;
}

PTXSIM_API CUresult cuEventSynchronize(CUevent event) {
  PTXSIM_ENTER(Context);
  if (!call.context->events.count(event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture)
    return CUDA_ERROR_CAPTURED_EVENT;
  return done(event) ? CUDA_SUCCESS : drain(event->stream, event->ticket);
}

PTXSIM_API CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  PTXSIM_ENTER(Context);
  if (!milliseconds || !call.context->events.count(start) || !call.context->events.count(end))
    return CUDA_ERROR_INVALID_HANDLE;
  // Flag 2 is CU_EVENT_DISABLE_TIMING.
  if ((start->flags | end->flags) & 2 || !start->recorded || !end->recorded)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!done(start) || !done(end))
    return CUDA_ERROR_NOT_READY;
  *milliseconds = float(end->milliseconds - start->milliseconds);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime(milliseconds, start, end);
}

PTXSIM_API CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream || !call.context->events.count(event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture) {
    // Waiting for captured work draws the stream into that capture.
    if (stream == &call.context->legacy)
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    if (stream->capture && stream->capture != event->capture) {
      stream->capture->invalid = event->capture->invalid = true;
      return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    bool inProgress = std::find(call.driver.captures.begin(), call.driver.captures.end(),
                                event->capture) != call.driver.captures.end();
    if (!inProgress)
      return CUDA_ERROR_INVALID_VALUE;
    if (!stream->capture) {
      stream->capture = event->capture;
      stream->capture->streams.push_back(stream);
      stream->tips.clear();
    }
    for (CUgraphNode tip : event->tips)
      if (std::find(stream->tips.begin(), stream->tips.end(), tip) == stream->tips.end())
        stream->tips.push_back(tip);
    return CUDA_SUCCESS;
  }
  if (stream->capture) {
    if (event->recorded) {
      stream->capture->invalid = true;
      return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    return CUDA_SUCCESS;
  }
  if (done(event))
    return CUDA_SUCCESS;
  CUstream other = event->stream;
  uint64_t ticket = event->ticket;
  CUcontext context = call.context;
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeEmpty;
  node->work = [=] {
    // The event's stream may be gone by now, and then it was drained.
    return context->streams.count(other) || other == &context->legacy ? drain(other, ticket)
                                                                      : CUDA_SUCCESS;
  };
  return enqueue(call.context, stream, std::move(node));
}
