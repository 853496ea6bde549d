// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules, functions and their attributes.

#include "driver/State.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace ptxsim;

namespace {
/// Log buffers of cuModuleLoadDataEx. Sizes go in and out through the option values themselves.
struct JitLogs {
  struct Buffer {
    char *text = nullptr;
    size_t size = 0;
    void **sizeOption = nullptr;
  };
  Buffer info, error;
  void *wallTime = nullptr;

  JitLogs(unsigned count, const int *options, void **values) {
    for (unsigned i = 0; options && values && i < count; ++i)
      switch (options[i]) {
      case 2:
        wallTime = &values[i];
        break;
      case 3:
        info.text = static_cast<char *>(values[i]);
        break;
      case 4:
        setSize(info, values[i]);
        break;
      case 5:
        error.text = static_cast<char *>(values[i]);
        break;
      case 6:
        setSize(error, values[i]);
        break;
      default:
        break; // how to optimise is nothing that an interpreter could honour
      }
    if (wallTime) {
      float zero = 0;
      std::memcpy(wallTime, &zero, sizeof zero);
    }
    fill(info, "");
    fill(error, "");
  }
  static void setSize(Buffer &buffer, void *&value) {
    buffer.size = unsigned(reinterpret_cast<uintptr_t>(value));
    buffer.sizeOption = &value;
  }
  static void fill(Buffer &buffer, const std::string &text) {
    size_t length = 0;
    if (buffer.text && buffer.size) {
      length = std::min(text.size(), buffer.size - 1);
      std::memcpy(buffer.text, text.data(), length);
      buffer.text[length] = 0;
    }
    if (buffer.sizeOption)
      *buffer.sizeOption = reinterpret_cast<void *>(length);
  }
};
} // namespace

static CUresult load(Call &call, CUmodule *module, const std::string &name, std::string text,
                     JitLogs &logs) {
  Driver &driver = call.driver;
  auto complain = [&](CUresult result, const std::string &message) {
    JitLogs::fill(logs.error, message);
    if (!logs.error.text)
      driver.printText("ptxsim: " + message + "\n");
    return result;
  };
  uint32_t magic = 0;
  std::memcpy(&magic, text.data(), std::min<size_t>(4, text.size()));
  if (magic == 0x464c457f || magic == 0xba55ed50)
    return complain(CUDA_ERROR_NO_BINARY_FOR_GPU,
                    "the simulator runs PTX text, got a binary image");
  auto loaded = std::make_unique<DriverModule>();
  loaded->context = call.context;
  try {
    Module ast = parse(std::make_shared<Source>(name, text));
    if (!runsOn(ast.target, *driver.chip))
      return complain(CUDA_ERROR_NO_BINARY_FOR_GPU,
                      "module for " + ast.target + " does not run on " + driver.chip->name);
    std::string log, target = ast.target;
    LoadOptions options;
    options.approx = driver.options.approx;
    loaded->program = std::make_unique<Program>(std::move(ast), *driver.memory, options);
    char last = target.back();
    if (!assemble(driver.options, text, last == 'a' || last == 'f' ? target : driver.chip->name,
                  log, loaded->registers))
      return complain(CUDA_ERROR_INVALID_PTX, "ptxas refuses the module:\n" + log);
    JitLogs::fill(logs.info, log);
  } catch (const SourceError &error) {
    return complain(CUDA_ERROR_INVALID_PTX, error.what());
  }
  *module = loaded.release();
  call.context->modules.insert(*module);
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                                       int *options, void **values) {
  PTXSIM_ENTER(Context);
  if (!module || !image || (count && (!options || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  JitLogs logs(count, options, values);
  // A binary image is not a string: its first word is all that is read of it.
  uint32_t magic = 0;
  std::memcpy(&magic, image, 1);
  std::string text;
  if ((magic & 0xff) == 0x7f || (magic & 0xff) == 0x50) {
    char head[4];
    std::memcpy(head, image, 4);
    text.assign(head, 4);
  } else {
    text = static_cast<const char *>(image);
  }
  return load(call, module, "module.ptx", std::move(text), logs);
}
PTXSIM_API CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
PTXSIM_API CUresult cuModuleLoad(CUmodule *module, const char *path) {
  PTXSIM_ENTER(Context);
  if (!module || !path)
    return CUDA_ERROR_INVALID_VALUE;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return CUDA_ERROR_FILE_NOT_FOUND;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  JitLogs logs(0, nullptr, nullptr);
  return load(call, module, path, std::move(text), logs);
}
PTXSIM_API CUresult cuModuleUnload(CUmodule module) {
  PTXSIM_ENTER(Context);
  if (!call.context->modules.count(module))
    return CUDA_ERROR_INVALID_HANDLE;
  drainAll(call.context);
  call.context->modules.erase(module);
  delete module;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuModuleGetLoadingMode(int *mode) {
  PTXSIM_ENTER(Initialised);
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  *mode = 1; // eager
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  PTXSIM_ENTER(Context);
  if (!function || !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.context->modules.count(module))
    return CUDA_ERROR_INVALID_HANDLE;
  const Code *code = module->program->entry(name);
  if (!code)
    return CUDA_ERROR_NOT_FOUND;
  auto &slot = module->functions[name];
  if (!slot) {
    slot = std::make_unique<DriverFunction>();
    slot->module = module;
    slot->code = code;
    slot->name = name;
    if (auto found = module->registers.find(name); found != module->registers.end())
      slot->registers = found->second;
    slot->maxDynamicShared = std::max(0, (48 << 10) - int(code->sharedBytes));
  }
  *function = slot.get();
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
  PTXSIM_ENTER(Context);
  if (!call.context->modules.count(module))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = unsigned(module->program->entryNames().size());
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                         const char *name) {
  PTXSIM_ENTER(Context);
  if (!call.context->modules.count(module))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  const Program::Symbol *symbol = module->program->symbol(name);
  if (!symbol || !symbol->allocation)
    return CUDA_ERROR_NOT_FOUND;
  if (address)
    *address = symbol->allocation->base;
  if (bytes)
    *bytes = symbol->allocation->size;
  return CUDA_SUCCESS;
}

static bool known(CUcontext context, CUfunction function) {
  for (CUmodule module : context->modules)
    for (auto &[name, each] : module->functions)
      if (each.get() == function)
        return true;
  return false;
}

PTXSIM_API CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  PTXSIM_ENTER(Context);
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (!known(call.context, function))
    return CUDA_ERROR_INVALID_HANDLE;
  const Code &code = *function->code;
  unsigned maxThreads = 1024;
  if (code.ast->maxThreads[0])
    maxThreads = code.ast->maxThreads[0] * code.ast->maxThreads[1] * code.ast->maxThreads[2];
  unsigned perWarp = (function->registers * 32 + 255) / 256 * 256;
  switch (attribute) {
  case 0:
    *value = int(std::min(maxThreads, perWarp ? 65536 / perWarp * 32 : 1024));
    break;
  case 1:
    *value = int(code.sharedBytes);
    break;
  case 2:
    *value = 0;
    break;
  case 3:
    *value = int(code.stackBytes);
    break;
  case 4:
    *value = int(function->registers);
    break;
  case 5:
    *value = int(function->module->program->module().version);
    break;
  case 6:
    *value = int(call.driver.chip->capability);
    break;
  case 8:
    *value = function->maxDynamicShared;
    break;
  case 9:
    *value = -1;
    break;
  default:
    *value = 0;
    break;
  }
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  PTXSIM_ENTER(Context);
  if (!known(call.context, function))
    return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == 8) {
    if (value < 0 ||
        uint64_t(value) + function->code->sharedBytes > call.driver.chip->sharedPerBlockOptIn)
      return CUDA_ERROR_INVALID_VALUE;
    function->maxDynamicShared = value;
    return CUDA_SUCCESS;
  }
  return attribute == 9 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
PTXSIM_API CUresult cuFuncSetCacheConfig(CUfunction, int) {
  PTXSIM_ENTER(Context);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuFuncSetSharedMemConfig(CUfunction, int) {
  PTXSIM_ENTER(Context);
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  PTXSIM_ENTER(Context);
  if (!module || !known(call.context, function))
    return module ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  *module = function->module;
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuFuncGetName(const char **name, CUfunction function) {
  PTXSIM_ENTER(Context);
  if (!name || !known(call.context, function))
    return name ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  *name = function->name.c_str();
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                                       size_t *size) {
  PTXSIM_ENTER(Context);
  if (!known(call.context, function))
    return CUDA_ERROR_INVALID_HANDLE;
  if (index >= function->code->parameters.size())
    return CUDA_ERROR_INVALID_VALUE;
  if (offset)
    *offset = function->code->parameters[index].offset;
  if (size)
    *size = function->code->parameters[index].bytes;
  return CUDA_SUCCESS;
}

PTXSIM_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                         CUfunction function,
                                                                         int threads, size_t shared,
                                                                         unsigned) {
  PTXSIM_ENTER(Context);
  if (!blocks || threads <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (!known(call.context, function))
    return CUDA_ERROR_INVALID_HANDLE;
  *blocks = int(residentBlocks(*call.driver.chip, unsigned(threads), function->registers,
                               function->code->sharedBytes + shared));
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                                int threads, size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}
PTXSIM_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                              CUfunction function,
                                                              size_t (*sharedOf)(int),
                                                              size_t shared, int limit, unsigned) {
  PTXSIM_ENTER(Context);
  if (!grid || !block)
    return CUDA_ERROR_INVALID_VALUE;
  if (!known(call.context, function))
    return CUDA_ERROR_INVALID_HANDLE;
  unsigned most = limit > 0 ? unsigned(std::min(limit, 1024)) : 1024;
  unsigned best = 0;
  *grid = *block = 0;
  for (unsigned threads = most / 32 * 32; threads >= 32; threads -= 32) {
    unsigned blocks =
        residentBlocks(*call.driver.chip, threads, function->registers,
                       function->code->sharedBytes + (sharedOf ? sharedOf(int(threads)) : shared));
    if (blocks * threads > best) {
      best = blocks * threads;
      *block = int(threads);
      *grid = int(blocks * call.driver.chip->processors);
    }
  }
  return CUDA_SUCCESS;
}
PTXSIM_API CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                                     size_t (*sharedOf)(int), size_t shared,
                                                     int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, sharedOf, shared, limit,
                                                   0);
}
