// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs of kernel, memory, host and empty nodes.

#include "driver/State.h"

#include <algorithm>
#include <cstring>

using namespace ptxsim;

PTXSIM_API CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  PTXSIM_ENTER(Initialised);
  if (!graph || flags)
    return CUDA_ERROR_INVALID_VALUE;
  *graph = new DriverGraph;
  call.driver.graphs.insert(*graph);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuGraphDestroy(CUgraph graph) {
  PTXSIM_ENTER(Initialised);
  if (!call.driver.graphs.erase(graph))
    return CUDA_ERROR_INVALID_VALUE;
  delete graph;
  return CUDA_SUCCESS;
}

static CUresult add(Call &call, CUgraphNode *result, CUgraph graph, const CUgraphNode *dependencies,
                    size_t count, std::unique_ptr<GraphNode> node) {
  if (!call.driver.graphs.count(graph) || !result || (count && !dependencies))
    return CUDA_ERROR_INVALID_VALUE;
  node->graph = graph;
  for (size_t i = 0; i < count; ++i) {
    if (!dependencies[i] || dependencies[i]->graph != graph)
      return CUDA_ERROR_INVALID_VALUE;
    node->dependencies.push_back(dependencies[i]);
  }
  *result = node.get();
  graph->nodes.push_back(std::move(node));
  return CUDA_SUCCESS;
}

static CUresult fillKernel(CUcontext context, GraphNode &node, const CUDA_KERNEL_NODE_PARAMS *p) {
  bool found = false;
  for (CUmodule module : context->modules)
    for (auto &[name, each] : module->functions)
      found |= p && each.get() == p->func;
  if (!found)
    return p ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  LaunchConfig config;
  config.grid[0] = p->gridDimX, config.grid[1] = p->gridDimY, config.grid[2] = p->gridDimZ;
  config.block[0] = p->blockDimX, config.block[1] = p->blockDimY, config.block[2] = p->blockDimZ;
  config.dynamicShared = p->sharedMemBytes;
  config.stackLimit = uint32_t(context->stackLimit);
  CUresult result = prepareLaunch(p->func, config, p->kernelParams, p->extra);
  if (result != CUDA_SUCCESS)
    return result;
  node.type = graphNodeKernel;
  node.function = p->func;
  node.config = config;
  CUfunction function = p->func;
  node.work = [=] { return executeLaunch(context, function, config); };
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuGraphAddKernelNode_v2(CUgraphNode *result, CUgraph graph,
                                            const CUgraphNode *dependencies, size_t count,
                                            const CUDA_KERNEL_NODE_PARAMS *parameters) {
  PTXSIM_ENTER(Context);
  auto node = std::make_unique<GraphNode>();
  CUresult error = fillKernel(call.context, *node, parameters);
  return error != CUDA_SUCCESS ? error
                               : add(call, result, graph, dependencies, count, std::move(node));
}
/// The first version of the structure ends before `kern`, which is not read.
PTXSIM_API CUresult cuGraphAddKernelNode(CUgraphNode *result, CUgraph graph,
                                         const CUgraphNode *dependencies, size_t count,
                                         const CUDA_KERNEL_NODE_PARAMS *parameters) {
  return cuGraphAddKernelNode_v2(result, graph, dependencies, count, parameters);
}
PTXSIM_API CUresult cuGraphAddMemcpyNode(CUgraphNode *result, CUgraph graph,
                                         const CUgraphNode *dependencies, size_t count,
                                         const CUDA_MEMCPY3D *copy, CUcontext context) {
  PTXSIM_ENTER(Context);
  if (!copy)
    return CUDA_ERROR_INVALID_VALUE;
  if (copy->srcMemoryType == memoryTypeArray || copy->dstMemoryType == memoryTypeArray)
    return unsupported("cuGraphAddMemcpyNode with arrays");
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeMemcpy;
  node->memcpy = *copy;
  node->work = rectangleWork(context ? context : call.context, *copy);
  return add(call, result, graph, dependencies, count, std::move(node));
}
PTXSIM_API CUresult cuGraphAddMemsetNode(CUgraphNode *result, CUgraph graph,
                                         const CUgraphNode *dependencies, size_t count,
                                         const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext context) {
  PTXSIM_ENTER(Context);
  if (!fill || (fill->elementSize != 1 && fill->elementSize != 2 && fill->elementSize != 4))
    return CUDA_ERROR_INVALID_VALUE;
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeMemset;
  node->memset = *fill;
  CUcontext owner = context ? context : call.context;
  node->work = [owner, p = *fill] {
    for (size_t row = 0; row < p.height; ++row)
      if (CUresult error = fillBytes(owner, p.dst + row * p.pitch, p.value, p.elementSize, p.width);
          error != CUDA_SUCCESS)
        return error;
    return CUDA_SUCCESS;
  };
  return add(call, result, graph, dependencies, count, std::move(node));
}
PTXSIM_API CUresult cuGraphAddHostNode(CUgraphNode *result, CUgraph graph,
                                       const CUgraphNode *dependencies, size_t count,
                                       const CUDA_HOST_NODE_PARAMS *host) {
  PTXSIM_ENTER(Initialised);
  if (!host || !host->fn)
    return CUDA_ERROR_INVALID_VALUE;
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeHost;
  node->host = *host;
  node->work = [p = *host] {
    p.fn(p.userData);
    return CUDA_SUCCESS;
  };
  return add(call, result, graph, dependencies, count, std::move(node));
}
PTXSIM_API CUresult cuGraphAddEmptyNode(CUgraphNode *result, CUgraph graph,
                                        const CUgraphNode *dependencies, size_t count) {
  PTXSIM_ENTER(Initialised);
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeEmpty;
  node->work = [] { return CUDA_SUCCESS; };
  return add(call, result, graph, dependencies, count, std::move(node));
}

PTXSIM_API CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                           const CUgraphNode *to, size_t count) {
  PTXSIM_ENTER(Initialised);
  if (!call.driver.graphs.count(graph) || (count && (!from || !to)))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    if (!from[i] || !to[i] || from[i]->graph != graph || to[i]->graph != graph)
      return CUDA_ERROR_INVALID_VALUE;
    to[i]->dependencies.push_back(from[i]);
  }
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                              const CUgraphNode *to, const void *, size_t count) {
  return cuGraphAddDependencies(graph, from, to, count);
}

PTXSIM_API CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  PTXSIM_ENTER(Initialised);
  if (!call.driver.graphs.count(graph) || !count)
    return CUDA_ERROR_INVALID_VALUE;
  size_t most = nodes ? std::min(*count, graph->nodes.size()) : 0;
  for (size_t i = 0; i < most; ++i)
    nodes[i] = graph->nodes[i].get();
  *count = nodes ? most : graph->nodes.size();
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuGraphNodeGetType(CUgraphNode node, int *type) {
  PTXSIM_ENTER(Initialised);
  if (!node || !type)
    return CUDA_ERROR_INVALID_VALUE;
  *type = node->type;
  return CUDA_SUCCESS;
}
static CUresult edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
  std::vector<std::pair<CUgraphNode, CUgraphNode>> all;
  for (auto &node : graph->nodes)
    for (CUgraphNode dependency : node->dependencies)
      all.push_back({dependency, node.get()});
  if (from && to)
    for (size_t i = 0; i < std::min(*count, all.size()); ++i) {
      from[i] = all[i].first;
      to[i] = all[i].second;
    }
  *count = all.size();
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                                    size_t *count) {
  PTXSIM_ENTER(Initialised);
  if (!call.driver.graphs.count(graph) || !count)
    return CUDA_ERROR_INVALID_VALUE;
  return edges(graph, from, to, count);
}
PTXSIM_API CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p) {
  PTXSIM_ENTER(Initialised);
  if (!node || !p || node->type != graphNodeKernel)
    return CUDA_ERROR_INVALID_VALUE;
  node->pointers.clear();
  for (const ParameterSlot &slot : node->function->code->parameters)
    node->pointers.push_back(&node->config.parameters[slot.offset]);
  *p = CUDA_KERNEL_NODE_PARAMS();
  p->func = node->function;
  p->gridDimX = node->config.grid[0];
  p->gridDimY = node->config.grid[1];
  p->gridDimZ = node->config.grid[2];
  p->blockDimX = node->config.block[0];
  p->blockDimY = node->config.block[1];
  p->blockDimZ = node->config.block[2];
  p->sharedMemBytes = node->config.dynamicShared;
  p->kernelParams = node->pointers.data();
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                                                  const CUDA_KERNEL_NODE_PARAMS *parameters) {
  PTXSIM_ENTER(Context);
  if (!node || node->type != graphNodeKernel)
    return CUDA_ERROR_INVALID_VALUE;
  return fillKernel(call.context, *node, parameters);
}

PTXSIM_API CUresult cuGraphInstantiateWithFlags(CUgraphExec *result, CUgraph graph,
                                                unsigned long long) {
  PTXSIM_ENTER(Initialised);
  if (!result || !call.driver.graphs.count(graph))
    return CUDA_ERROR_INVALID_VALUE;
  auto exec = std::make_unique<DriverGraphExec>();
  // Nodes in an order that keeps dependencies; a cycle leaves some over.
  std::set<CUgraphNode> placed;
  for (bool more = true; more;) {
    more = false;
    for (auto &node : graph->nodes) {
      bool ready = !placed.count(node.get()) &&
                   std::all_of(node->dependencies.begin(), node->dependencies.end(),
                               [&](CUgraphNode dependency) { return placed.count(dependency); });
      if (!ready)
        continue;
      placed.insert(node.get());
      exec->nodes.push_back(std::make_unique<GraphNode>(*node));
      exec->from[node.get()] = exec->nodes.back().get();
      more = true;
    }
  }
  if (placed.size() != graph->nodes.size())
    return CUDA_ERROR_INVALID_VALUE;
  *result = exec.release();
  call.driver.graphExecs.insert(*result);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuGraphInstantiate_v2(CUgraphExec *result, CUgraph graph, CUgraphNode *,
                                          char *log, size_t size) {
  if (log && size)
    *log = 0;
  return cuGraphInstantiateWithFlags(result, graph, 0);
}
PTXSIM_API CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                                      const CUDA_KERNEL_NODE_PARAMS *parameters) {
  PTXSIM_ENTER(Context);
  if (!call.driver.graphExecs.count(exec) || !exec->from.count(node))
    return CUDA_ERROR_INVALID_VALUE;
  return fillKernel(call.context, *exec->from[node], parameters);
}
PTXSIM_API CUresult cuGraphExecDestroy(CUgraphExec exec) {
  PTXSIM_ENTER(Initialised);
  if (!call.driver.graphExecs.count(exec))
    return CUDA_ERROR_INVALID_VALUE;
  // A launch of it may still be queued.
  if (CUcontext context = currentContext())
    drainAll(context);
  call.driver.graphExecs.erase(exec);
  delete exec;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  PTXSIM_ENTER(Context);
  if (!call.driver.graphExecs.count(exec) || !streamOf(call.context, stream))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuGraphLaunch(CUgraphExec exec, CUstream handle) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!call.driver.graphExecs.count(exec))
    return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture)
    return unsupported("cuGraphLaunch during capture");
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeEmpty;
  CUcontext context = call.context;
  // What is launched is the graph as it is now; later changes of parameters are for later launches.
  std::vector<Work> list;
  for (auto &each : exec->nodes)
    list.push_back(each->work);
  node->work = [context, list] {
    for (const Work &work : list) {
      CUresult result = work();
      if (context->sticky != CUDA_SUCCESS || result != CUDA_SUCCESS)
        return result;
    }
    return CUDA_SUCCESS;
  };
  return enqueue(context, stream, std::move(node));
}
