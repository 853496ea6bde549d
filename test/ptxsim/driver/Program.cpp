// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ordinary driver-API program: it opens libcuda.so.1 by dlopen as any program would and knows
// nothing of the simulator. Declarations are its own, as the public reference gives them.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace {

using Handle = void *;
using Pointer = unsigned long long;

/// The library and the functions of it, by name, with the argument types that are used.
class Cuda : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    library = dlopen(std::getenv("PTXSIM_LIBRARY") ? std::getenv("PTXSIM_LIBRARY") : "libcuda.so.1",
                     RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    ASSERT_EQ(call<int>("cuInit", 0u), 0);
  }
  void SetUp() override { ASSERT_EQ(call<int>("cuCtxCreate_v2", &context, 0u, 0), 0); }
  void TearDown() override { EXPECT_EQ(call<int>("cuCtxDestroy_v2", context), 0); }

  template <class Result, class... Arguments>
  static Result call(const char *name, Arguments... arguments) {
    void *symbol = dlsym(library, name);
    EXPECT_NE(symbol, nullptr) << name;
    return symbol ? reinterpret_cast<Result (*)(Arguments...)>(symbol)(arguments...) : Result(-1);
  }
  template <class... Arguments>
  static int cu(const char *name, Arguments... arguments) {
    return call<int>(name, arguments...);
  }

  Handle load(const char *text) {
    Handle module = nullptr;
    EXPECT_EQ(cu("cuModuleLoadData", &module, static_cast<const void *>(text)), 0);
    return module;
  }
  Handle function(Handle module, const char *name) {
    Handle result = nullptr;
    EXPECT_EQ(cu("cuModuleGetFunction", &result, module, name), 0);
    return result;
  }
  Pointer allocate(size_t bytes) {
    Pointer address = 0;
    EXPECT_EQ(cu("cuMemAlloc_v2", &address, bytes), 0);
    return address;
  }
  Pointer upload(const std::vector<int> &values) {
    Pointer address = allocate(values.size() * 4);
    EXPECT_EQ(
        cu("cuMemcpyHtoD_v2", address, static_cast<const void *>(values.data()), values.size() * 4),
        0);
    return address;
  }
  std::vector<int> download(Pointer address, size_t count) {
    std::vector<int> values(count);
    EXPECT_EQ(cu("cuMemcpyDtoH_v2", static_cast<void *>(values.data()), address, count * 4), 0);
    return values;
  }
  int launch(Handle kernel, unsigned grid, unsigned block, Handle stream, void **arguments) {
    return cu("cuLaunchKernel", kernel, grid, 1u, 1u, block, 1u, 1u, 0u, stream, arguments,
              static_cast<void **>(nullptr));
  }

  static void *library;
  Handle context = nullptr;
};
void *Cuda::library = nullptr;

const char addOne[] = R"(.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 factor = 1;
.visible .entry add(.param .u64 p, .param .u32 n) {
  .reg .b64 %a, %x; .reg .b32 %t, %c, %v, %n, %f; .reg .pred %p;
  ld.param.u64 %a, [p]; ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %v, %ntid.x; mad.lo.u32 %t, %c, %v, %t;
  setp.ge.u32 %p, %t, %n;
  @%p ret;
  mul.wide.u32 %x, %t, 4; add.s64 %a, %a, %x;
  ld.global.u32 %v, [%a]; ld.global.u32 %f, [factor]; add.u32 %v, %v, %f; st.global.u32 [%a], %v;
  ret;
}
)";

TEST_F(Cuda, DescribesItsDevice) {
  int count = 0, major = 0, minor = 0, warp = 0, version = 0;
  EXPECT_EQ(cu("cuDeviceGetCount", &count), 0);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cu("cuDeviceGetAttribute", &major, 75, 0), 0);
  EXPECT_EQ(cu("cuDeviceGetAttribute", &minor, 76, 0), 0);
  EXPECT_EQ(cu("cuDeviceGetAttribute", &warp, 10, 0), 0);
  EXPECT_EQ(major * 10 + minor, 90); // chip=sm_90 in this test's options
  EXPECT_EQ(warp, 32);
  EXPECT_EQ(cu("cuDriverGetVersion", &version), 0);
  EXPECT_GE(version, 12000);
  char name[64] = {};
  EXPECT_EQ(cu("cuDeviceGetName", name, 64, 0), 0);
  EXPECT_GT(std::strlen(name), 0u);
  EXPECT_EQ(cu("cuDeviceGetAttribute", &major, 75, 1), 101);
}

TEST_F(Cuda, RunsAKernelAndChangesAGlobal) {
  Handle module = load(addOne), kernel = function(module, "add");
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  Pointer data = upload(values), global = 0;
  size_t bytes = 0;
  unsigned n = 100;
  void *arguments[] = {&data, &n};
  ASSERT_EQ(launch(kernel, 4, 32, nullptr, arguments), 0);
  EXPECT_EQ(cu("cuModuleGetGlobal_v2", &global, &bytes, module, "factor"), 0);
  EXPECT_EQ(bytes, 4u);
  int ten = 10;
  EXPECT_EQ(cu("cuMemcpyHtoD_v2", global, static_cast<const void *>(&ten), size_t(4)), 0);
  // The second way to hand over arguments: one buffer.
  struct {
    Pointer p;
    unsigned n;
  } packed{data, 50};
  size_t size = sizeof packed;
  void *extra[] = {reinterpret_cast<void *>(1), &packed, reinterpret_cast<void *>(2), &size,
                   nullptr};
  ASSERT_EQ(cu("cuLaunchKernel", kernel, 4u, 1u, 1u, 32u, 1u, 1u, 0u, static_cast<Handle>(nullptr),
               static_cast<void **>(nullptr), extra),
            0);
  std::vector<int> result = download(data, 100);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(result[size_t(i)], i + 1 + (i < 50 ? 10 : 0)) << i;
}

TEST_F(Cuda, KeepsTheOrderOfStreamsAndEvents) {
  Handle kernel = function(load(addOne), "add"), first = nullptr, second = nullptr;
  Handle start = nullptr, end = nullptr;
  ASSERT_EQ(cu("cuStreamCreate", &first, 1u), 0);
  ASSERT_EQ(cu("cuStreamCreate", &second, 1u), 0);
  ASSERT_EQ(cu("cuEventCreate", &start, 0u), 0);
  ASSERT_EQ(cu("cuEventCreate", &end, 0u), 0);
  Pointer data = upload(std::vector<int>(64, 5));
  unsigned n = 64;
  void *arguments[] = {&data, &n};
  int *pinned = nullptr;
  ASSERT_EQ(cu("cuMemHostAlloc", &pinned, size_t(256), 0u), 0);
  EXPECT_EQ(cu("cuEventRecord", start, first), 0);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(launch(kernel, 2, 32, first, arguments), 0);
  EXPECT_EQ(cu("cuEventRecord", end, first), 0);
  EXPECT_EQ(cu("cuStreamWaitEvent", second, end, 0u), 0);
  EXPECT_EQ(cu("cuMemcpyDtoHAsync_v2", static_cast<void *>(pinned), data, size_t(256), second), 0);
  EXPECT_EQ(cu("cuStreamSynchronize", second), 0);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(pinned[i], 8);
  EXPECT_EQ(cu("cuEventQuery", end), 0);
  float milliseconds = -1;
  EXPECT_EQ(cu("cuEventElapsedTime", &milliseconds, start, end), 0);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(cu("cuMemFreeHost", static_cast<void *>(pinned)), 0);
  EXPECT_EQ(cu("cuStreamDestroy_v2", first), 0);
  EXPECT_EQ(cu("cuStreamDestroy_v2", second), 0);
}

TEST_F(Cuda, CapturesAGraphOfTwoStreams) {
  Handle kernel = function(load(addOne), "add"), stream = nullptr, side = nullptr;
  Handle fork = nullptr, back = nullptr, graph = nullptr, exec = nullptr;
  ASSERT_EQ(cu("cuStreamCreate", &stream, 1u), 0);
  ASSERT_EQ(cu("cuStreamCreate", &side, 1u), 0);
  ASSERT_EQ(cu("cuEventCreate", &fork, 2u), 0);
  ASSERT_EQ(cu("cuEventCreate", &back, 2u), 0);
  Pointer data = upload(std::vector<int>(64, 0)), other = upload(std::vector<int>(64, 0));
  unsigned n = 64;
  void *arguments[] = {&data, &n}, *more[] = {&other, &n};
  ASSERT_EQ(cu("cuStreamBeginCapture_v2", stream, 0), 0);
  EXPECT_EQ(cu("cuMemsetD32Async", data, 7u, size_t(64), stream), 0);
  EXPECT_EQ(cu("cuEventRecord", fork, stream), 0);
  EXPECT_EQ(cu("cuStreamWaitEvent", side, fork, 0u), 0);
  EXPECT_EQ(launch(kernel, 2, 32, side, more), 0);
  EXPECT_EQ(launch(kernel, 2, 32, stream, arguments), 0);
  EXPECT_EQ(cu("cuEventRecord", back, side), 0);
  EXPECT_EQ(cu("cuStreamWaitEvent", stream, back, 0u), 0);
  ASSERT_EQ(cu("cuStreamEndCapture", stream, &graph), 0);
  size_t nodes = 0;
  EXPECT_EQ(cu("cuGraphGetNodes", graph, static_cast<Handle *>(nullptr), &nodes), 0);
  EXPECT_EQ(nodes, 3u);
  // Captured work has not run.
  EXPECT_EQ(download(data, 1)[0], 0);
  ASSERT_EQ(cu("cuGraphInstantiateWithFlags", &exec, graph, 0ull), 0);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(cu("cuGraphLaunch", exec, stream), 0);
  EXPECT_EQ(cu("cuStreamSynchronize", stream), 0);
  EXPECT_EQ(download(data, 64), std::vector<int>(64, 8));
  EXPECT_EQ(download(other, 64), std::vector<int>(64, 3));
  EXPECT_EQ(cu("cuGraphExecDestroy", exec), 0);
  EXPECT_EQ(cu("cuGraphDestroy", graph), 0);
}

TEST_F(Cuda, RefusesWhatACaptureForbids) {
  Handle kernel = function(load(addOne), "add"), stream = nullptr, graph = nullptr;
  ASSERT_EQ(cu("cuStreamCreate", &stream, 1u), 0);
  Pointer data = upload(std::vector<int>(4, 0)), fresh = 0;
  unsigned n = 4;
  void *arguments[] = {&data, &n};
  // Not on the legacy stream.
  EXPECT_EQ(cu("cuStreamBeginCapture_v2", static_cast<Handle>(nullptr), 0), 900);
  ASSERT_EQ(cu("cuStreamBeginCapture_v2", stream, 0), 0);
  EXPECT_EQ(launch(kernel, 1, 4, stream, arguments), 0);
  EXPECT_EQ(cu("cuMemAlloc_v2", &fresh, size_t(16)), 900);
  EXPECT_EQ(cu("cuStreamEndCapture", stream, &graph), 901);
  EXPECT_EQ(graph, nullptr);
  ASSERT_EQ(cu("cuStreamBeginCapture_v2", stream, 2), 0);
  EXPECT_EQ(cu("cuMemAlloc_v2", &fresh, size_t(16)), 0); // relaxed mode allows it
  EXPECT_EQ(cu("cuStreamSynchronize", stream), 900);
  EXPECT_EQ(cu("cuStreamEndCapture", stream, &graph), 901);
  EXPECT_EQ(cu("cuStreamEndCapture", stream, &graph), 401);
}

TEST_F(Cuda, BuildsAGraphByHand) {
  Handle kernel = function(load(addOne), "add"), graph = nullptr, exec = nullptr, node[3];
  Pointer data = upload(std::vector<int>(8, 1));
  unsigned n = 8;
  void *arguments[] = {&data, &n};
  struct {
    Handle function;
    unsigned grid[3], block[3], shared;
    void **parameters, **extra;
    Handle kern, context;
  } parameters{kernel, {1, 1, 1}, {8, 1, 1}, 0, arguments, nullptr, nullptr, nullptr};
  struct {
    Pointer target;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
  } fill{data, 0, 40, 4, 8, 1};
  ASSERT_EQ(cu("cuGraphCreate", &graph, 0u), 0);
  ASSERT_EQ(cu("cuGraphAddKernelNode_v2", &node[1], graph, static_cast<const Handle *>(nullptr),
               size_t(0), &parameters),
            0);
  ASSERT_EQ(cu("cuGraphAddMemsetNode", &node[0], graph, static_cast<const Handle *>(nullptr),
               size_t(0), &fill, context),
            0);
  ASSERT_EQ(cu("cuGraphAddDependencies", graph, &node[0], &node[1], size_t(1)), 0);
  ASSERT_EQ(cu("cuGraphInstantiateWithFlags", &exec, graph, 0ull), 0);
  // A launch after this change adds to four elements only.
  n = 4;
  ASSERT_EQ(cu("cuGraphExecKernelNodeSetParams_v2", exec, node[1], &parameters), 0);
  EXPECT_EQ(cu("cuGraphLaunch", exec, static_cast<Handle>(nullptr)), 0);
  EXPECT_EQ(download(data, 8), (std::vector<int>{41, 41, 41, 41, 40, 40, 40, 40}));
  // A cycle cannot be instantiated.
  ASSERT_EQ(cu("cuGraphAddDependencies", graph, &node[1], &node[0], size_t(1)), 0);
  EXPECT_EQ(cu("cuGraphInstantiateWithFlags", &exec, graph, 0ull), 1);
}

TEST_F(Cuda, HonoursTheLogOfAModule) {
  char log[300];
  std::memset(log, 'x', sizeof log);
  int options[] = {5, 6};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  const char text[] =
      ".version 7.0\n.target sm_75\n.address_size 64\n.entry k() {\n  frobnicate.s32 %r1;\n}\n";
  Handle module = nullptr;
  EXPECT_EQ(cu("cuModuleLoadDataEx", &module, static_cast<const void *>(text), 2u, options, values),
            218);
  std::string message = log;
  EXPECT_NE(message.find(":5: error: unknown instruction 'frobnicate'"), std::string::npos)
      << message;
  EXPECT_EQ(reinterpret_cast<size_t>(values[1]), message.size());
  // A short buffer gets what fits, and its end.
  char tiny[8];
  void *small[] = {tiny, reinterpret_cast<void *>(sizeof tiny)};
  EXPECT_EQ(cu("cuModuleLoadDataEx", &module, static_cast<const void *>(text), 2u, options, small),
            218);
  EXPECT_EQ(std::strlen(tiny), 7u);
  // A module for a newer chip than this one.
  std::string newer = addOne;
  newer.replace(newer.find("sm_75"), 5, "sm_120");
  EXPECT_EQ(cu("cuModuleLoadData", &module, static_cast<const void *>(newer.c_str())), 209);
}

TEST_F(Cuda, ReportsAnIllegalAddressLikeAGpu) {
  Handle kernel = function(load(addOne), "add");
  Pointer data = upload(std::vector<int>(8, 0)), fresh = 0;
  unsigned n = 64;
  void *arguments[] = {&data, &n};
  EXPECT_EQ(launch(kernel, 2, 32, nullptr, arguments),
            0); // asynchronous: the launch itself is fine
  EXPECT_EQ(cu("cuCtxSynchronize"), 700);
  // The context is lost.
  EXPECT_EQ(cu("cuMemAlloc_v2", &fresh, size_t(16)), 700);
  EXPECT_EQ(launch(kernel, 1, 1, nullptr, arguments), 700);
}

TEST_F(Cuda, ChecksLaunches) {
  Handle kernel = function(load(addOne), "add");
  Pointer data = upload(std::vector<int>(8, 0));
  unsigned n = 8;
  void *arguments[] = {&data, &n};
  EXPECT_EQ(launch(kernel, 0, 32, nullptr, arguments), 1);
  EXPECT_EQ(launch(kernel, 1, 1025, nullptr, arguments), 1);
  EXPECT_EQ(launch(kernel, 1, 32, nullptr, nullptr), 1);
  EXPECT_EQ(cu("cuLaunchKernel", kernel, 1u, 1u, 1u, 32u, 1u, 1u, 49u << 10,
               static_cast<Handle>(nullptr), arguments, static_cast<void **>(nullptr)),
            1);
  EXPECT_EQ(cu("cuFuncSetAttribute", kernel, 8, 100 << 10), 0); // opts in to more shared memory
  EXPECT_EQ(cu("cuLaunchKernel", kernel, 1u, 1u, 1u, 32u, 1u, 1u, 49u << 10,
               static_cast<Handle>(nullptr), arguments, static_cast<void **>(nullptr)),
            0);
  EXPECT_EQ(cu("cuFuncSetAttribute", kernel, 8, 300 << 10), 1);
  EXPECT_EQ(cu("cuLaunchCooperativeKernel", kernel, 1u << 20, 1u, 1u, 32u, 1u, 1u, 0u,
               static_cast<Handle>(nullptr), arguments),
            720);
  int blocks = 0;
  EXPECT_EQ(cu("cuOccupancyMaxActiveBlocksPerMultiprocessor", &blocks, kernel, 256, size_t(0)), 0);
  EXPECT_EQ(blocks, 8); // 2048 threads a multiprocessor
  EXPECT_EQ(launch(reinterpret_cast<Handle>(&n), 1, 1, nullptr, arguments), 400);
}

TEST_F(Cuda, CopiesRectanglesAndFills) {
  struct {
    size_t srcX, srcY;
    int srcType;
    const void *srcHost;
    Pointer srcDevice;
    void *srcArray;
    size_t srcPitch, dstX, dstY;
    int dstType;
    void *dstHost;
    Pointer dstDevice;
    void *dstArray;
    size_t dstPitch, width, height;
  } copy{};
  Pointer data = 0;
  size_t pitch = 0;
  ASSERT_EQ(cu("cuMemAllocPitch_v2", &data, &pitch, size_t(12), size_t(3), 4u), 0);
  EXPECT_EQ(pitch, 512u);
  int source[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, target[3][3] = {};
  copy.srcType = 1, copy.srcHost = source, copy.srcPitch = 16, copy.srcX = 4;
  copy.dstType = 2, copy.dstDevice = data, copy.dstPitch = pitch, copy.width = 12, copy.height = 3;
  ASSERT_EQ(cu("cuMemcpy2D_v2", &copy), 0);
  EXPECT_EQ(cu("cuMemsetD32_v2", data + 512, 77u, size_t(1)), 0);
  copy = {};
  copy.srcType = 2, copy.srcDevice = data, copy.srcPitch = pitch;
  copy.dstType = 1, copy.dstHost = target, copy.dstPitch = 12, copy.width = 12, copy.height = 3;
  ASSERT_EQ(cu("cuMemcpy2D_v2", &copy), 0);
  int expected[3][3] = {{2, 3, 4}, {77, 7, 8}, {10, 11, 12}};
  EXPECT_EQ(std::memcmp(target, expected, sizeof expected), 0);
  EXPECT_EQ(cu("cuMemFree_v2", data), 0);
  EXPECT_EQ(cu("cuMemFree_v2", data), 1); // twice
  EXPECT_EQ(cu("cuMemsetD8_v2", data, 1, size_t(4)), 1);
}

TEST_F(Cuda, FindsEntryPointsByName) {
  void *found = nullptr;
  int status = -1;
  EXPECT_EQ(cu("cuGetProcAddress_v2", "cuMemAlloc", &found, 12000, 0ull, &status), 0);
  EXPECT_EQ(found, dlsym(library, "cuMemAlloc_v2"));
  EXPECT_EQ(cu("cuGetProcAddress_v2", "cuNoSuchThing", &found, 12000, 0ull, &status), 500);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(cu("cuGetProcAddress_v2", "cuTexObjectCreate", &found, 12000, 0ull, &status), 0);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(reinterpret_cast<int (*)()>(found)(), 801);
  const char *text = nullptr;
  EXPECT_EQ(cu("cuGetErrorName", 700, &text), 0);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_F(Cuda, CallsTheHostInOrder) {
  Handle kernel = function(load(addOne), "add"), stream = nullptr;
  ASSERT_EQ(cu("cuStreamCreate", &stream, 0u), 0);
  Pointer data = upload(std::vector<int>(1, 1));
  unsigned n = 1;
  void *arguments[] = {&data, &n};
  std::vector<int> seen;
  auto note = [](void *list) { static_cast<std::vector<int> *>(list)->push_back(1); };
  EXPECT_EQ(launch(kernel, 1, 1, stream, arguments), 0);
  EXPECT_EQ(cu("cuLaunchHostFunc", stream, static_cast<void (*)(void *)>(note),
               static_cast<void *>(&seen)),
            0);
  EXPECT_EQ(cu("cuStreamSynchronize", stream), 0);
  EXPECT_EQ(seen.size(), 1u);
}

} // namespace
