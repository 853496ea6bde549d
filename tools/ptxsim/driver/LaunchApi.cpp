// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: the checks that a driver makes before, the error that it gives after.

#include "driver/State.h"

#include <algorithm>
#include <cstring>

using namespace ptxsim;

/// The error that a GPU would give for a finding.
static CUresult errorOf(Finding finding) {
  switch (finding) {
  case Finding::OutOfBounds:
  case Finding::FreedMemory:
  case Finding::ReadOnlyWrite:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case Finding::Misaligned:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case Finding::NoProgress:
  case Finding::InstructionLimit:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case Finding::Trap:
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  case Finding::Assert:
    return CUDA_ERROR_ASSERT;
  case Finding::BadCall:
    return CUDA_ERROR_INVALID_PC;
  case Finding::StackOverflow:
    return CUDA_ERROR_HARDWARE_STACK_ERROR;
  default:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
}

CUresult ptxsim::executeLaunch(CUcontext context, CUfunction function, const LaunchConfig &config) {
  Driver &driver = Driver::get();
  if (context->sticky != CUDA_SUCCESS)
    return context->sticky;
  // Zero marks records of no launch.
  if (++driver.generation == 0)
    driver.generation = 1;
  if (driver.generation == 1)
    for (auto &[base, allocation] : driver.memory->all())
      allocation->shadow.reset();
  driver.reporter.start(driver.options.reports);
  Launch launch(*function->module->program, *function->code, config, driver.options, *driver.chip,
                *driver.memory, driver.reporter, driver.options.stats ? &driver.stats : nullptr,
                driver.generation);
  auto finding = launch.run();
  driver.publish();
  if (finding)
    context->sticky = errorOf(*finding);
  // Launches are asynchronous: the next call that looks gets the error.
  return CUDA_SUCCESS;
}

CUresult ptxsim::prepareLaunch(CUfunction function, LaunchConfig &config, void **parameters,
                               void **extra) {
  const Driver &driver = Driver::get();
  const Code &code = *function->code;
  uint64_t threads = 1;
  static constexpr uint32_t mostThreads[3] = {1024, 1024, 64};
  for (int i = 0; i < 3; ++i) {
    if (config.grid[i] == 0 || config.block[i] == 0 || config.block[i] > mostThreads[i] ||
        config.grid[i] > (i == 0 ? 2147483647u : 65535u))
      return CUDA_ERROR_INVALID_VALUE;
    threads *= config.block[i];
  }
  if (threads > 1024)
    return CUDA_ERROR_INVALID_VALUE;
  if (code.ast->requiredThreads[0])
    for (int i = 0; i < 3; ++i)
      if (config.block[i] != code.ast->requiredThreads[i])
        return CUDA_ERROR_INVALID_VALUE;
  if (const uint32_t *most = code.ast->maxThreads;
      most[0] && threads > uint64_t(most[0]) * most[1] * most[2])
    return CUDA_ERROR_INVALID_VALUE;
  if (int64_t(config.dynamicShared) > function->maxDynamicShared)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t shared = uint64_t(config.dynamicShared) + code.sharedBytes;
  unsigned resident = residentBlocks(*driver.chip, unsigned(threads), function->registers, shared);
  if (!resident)
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (config.cooperative && uint64_t(config.grid[0]) * config.grid[1] * config.grid[2] >
                                uint64_t(resident) * driver.chip->processors)
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  config.parameters.assign(code.parameterBytes, 0);
  if (parameters) {
    for (size_t i = 0; i < code.parameters.size(); ++i) {
      if (!parameters[i])
        return CUDA_ERROR_INVALID_VALUE;
      std::memcpy(&config.parameters[code.parameters[i].offset], parameters[i],
                  code.parameters[i].bytes);
    }
  } else if (extra) {
    // CU_LAUNCH_PARAM_BUFFER_POINTER is 1, _SIZE is 2, _END is 0.
    const void *buffer = nullptr;
    size_t size = 0;
    for (; *extra; extra += 2) {
      if (reinterpret_cast<uintptr_t>(*extra) == 1)
        buffer = extra[1];
      else if (reinterpret_cast<uintptr_t>(*extra) == 2)
        size = *static_cast<size_t *>(extra[1]);
      else
        return CUDA_ERROR_INVALID_VALUE;
    }
    // The buffer may be padded at its end.
    if (!buffer || size < code.parameterBytes)
      return CUDA_ERROR_INVALID_VALUE;
    std::copy_n(static_cast<const uint8_t *>(buffer), code.parameterBytes,
                config.parameters.begin());
  } else if (!code.parameters.empty()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

static bool known(CUcontext context, CUfunction function) {
  for (CUmodule module : context->modules)
    for (auto &[name, each] : module->functions)
      if (each.get() == function)
        return true;
  return false;
}

static CUresult launch(CUfunction function, LaunchConfig config, CUstream handle, void **parameters,
                       void **extra) {
  PTXSIM_ENTER(Context);
  CUstream stream = streamOf(call.context, handle);
  if (!stream || !known(call.context, function))
    return CUDA_ERROR_INVALID_HANDLE;
  config.stackLimit = uint32_t(call.context->stackLimit);
  CUresult result = prepareLaunch(function, config, parameters, extra);
  if (result != CUDA_SUCCESS)
    return result;
  auto node = std::make_unique<GraphNode>();
  node->type = graphNodeKernel;
  node->function = function;
  node->config = config;
  CUcontext context = call.context;
  node->work = [=] { return executeLaunch(context, function, config); };
  return enqueue(context, stream, std::move(node));
}

PTXSIM_API CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                   CUstream stream, void **parameters, void **extra) {
  LaunchConfig config;
  config.grid[0] = gx, config.grid[1] = gy, config.grid[2] = gz;
  config.block[0] = bx, config.block[1] = by, config.block[2] = bz;
  config.dynamicShared = shared;
  return launch(function, config, stream, parameters, extra);
}

PTXSIM_API CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy,
                                              unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                              unsigned shared, CUstream stream, void **parameters) {
  LaunchConfig config;
  config.grid[0] = gx, config.grid[1] = gy, config.grid[2] = gz;
  config.block[0] = bx, config.block[1] = by, config.block[2] = bz;
  config.dynamicShared = shared;
  config.cooperative = true;
  return launch(function, config, stream, parameters, nullptr);
}

PTXSIM_API CUresult cuLaunchKernelEx(const CUlaunchConfig *given, CUfunction function,
                                     void **parameters, void **extra) {
  if (!given || (given->numAttrs && !given->attrs))
    return CUDA_ERROR_INVALID_VALUE;
  LaunchConfig config;
  config.grid[0] = given->gridDimX, config.grid[1] = given->gridDimY;
  config.grid[2] = given->gridDimZ;
  config.block[0] = given->blockDimX, config.block[1] = given->blockDimY;
  config.block[2] = given->blockDimZ;
  config.dynamicShared = given->sharedMemBytes;
  for (unsigned i = 0; i < given->numAttrs; ++i) {
    const CUlaunchAttribute &attribute = given->attrs[i];
    if (attribute.id == launchAttributeCooperative)
      config.cooperative = attribute.value.number != 0;
    const unsigned *cluster = attribute.value.triple;
    if (attribute.id == launchAttributeClusterDimension &&
        uint64_t(cluster[0]) * cluster[1] * cluster[2] > 1)
      return unsupported("cuLaunchKernelEx with clusters of several blocks");
  }
  return launch(function, config, given->hStream, parameters, extra);
}
