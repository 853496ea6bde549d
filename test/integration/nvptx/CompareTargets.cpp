// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the steps of a module on the CPU and on a GPU, or the simulator, with the same data, and
// compares every bit: elements of state, fields, status rows.
//
//   CompareTargets STEP.mlir CHIP STEPS [offset=E] [special=N] [spread=D] SIZE...
//
// Every model whose tensors the module does not name gets some of SIZE elements; tensor arguments
// get small numbers. Buffers start E elements behind an aligned address.
// Step N (from 0) finds a NaN, an infinity and the largest number among its arguments.
// Chunks differ in size by powers of two up to 2^D, in f32 alone: sums of them in f64 then depend
// on their order, which sums of values of one size do not.
#include "sawtooth-c/Compiler.h"
#include "sawtooth/runtime/Artifact.h"
#include "sawtooth/runtime/cuda/DeviceEngine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <random>
#include <string>

using namespace sawtooth::runtime;

namespace {

[[noreturn]] void die(const std::string &text) {
  std::fprintf(stderr, "error: %s\n", text.c_str());
  std::exit(2);
}

template <typename T>
T take(Result<T> result) {
  if (!result.ok())
    die(result.status().message());
  return std::move(*result);
}
void check(Status status) {
  if (!status.ok())
    die(status.message());
}

struct Request {
  std::string path, chip;
  unsigned steps;
  size_t offset = 0, special = SIZE_MAX;
  unsigned spread = 0;
  std::vector<int64_t> sizes;
};

size_t bytesOf(uint32_t type) { return type == SAWTOOTH_F16 || type == SAWTOOTH_BF16 ? 2 : 4; }

/// Bits of a number of about 1 / 64 to 1 in size, or of something that is none.
uint32_t randomBits(uint32_t type, std::mt19937 &random, bool special) {
  uint32_t bits = random(), sign = bits >> 31, exponent = bits % 6, kind = random() % 3;
  switch (type) {
  case SAWTOOTH_F16:
    return special ? (kind == 0   ? 0x7e01
                      : kind == 1 ? 0xfc00
                                  : 0x7bff)
                   : sign << 15 | (9 + exponent) << 10 | (bits >> 8 & 0x3ff);
  case SAWTOOTH_BF16:
    return special ? (kind == 0   ? 0x7fc1
                      : kind == 1 ? 0xff80
                                  : 0x7f7f)
                   : sign << 15 | (121 + exponent) << 7 | (bits >> 8 & 0x7f);
  default:
    return special ? (kind == 0   ? 0x7fc00001
                      : kind == 1 ? 0xff800000
                                  : 0x7f7fffff)
                   : sign << 31 | (121 + exponent) << 23 | (bits & 0x7fffff);
  }
}

/// One target's copy of everything.
class Side {
public:
  Side(const Request &request, const char *target, const char *chip) : request(request) {
    SawtoothCompileOptions options{};
    options.target = target;
    options.chip = chip;
    options.diagnostic = [](const char *text, size_t size, void *) {
      std::fwrite(text, 1, size, stderr);
    };
    compiled.reset(sawtoothCompileFile(request.path.c_str(), &options));
    if (!compiled)
      std::exit(2);
    artifact = take(Artifact::read(sawtoothCompiledArtifact(compiled.get())));
    store = take(Store::create(artifact.plan, /*seed=*/7));
    if (artifact.isForGpu()) {
      device = take(cuda::Device::primary(0));
      cuda::fetchFrom(*store, device);
    }
    bind();
    check(store->finish());
    if (device)
      engine = take(cuda::DeviceEngine::create(*store, device, 64));
    else
      engine = createCpuEngine(*store, 64);
    for (uint32_t step = 0; step < artifact.plan.steps().size(); ++step)
      runners.push_back(take(engine->prepare(artifact, step)));
  }

  /// New values for the arguments of all steps, then each step once.
  void run(unsigned round) {
    fill(SAWTOOTH_LIST_ARGUMENT, 1000 + round, round == request.special);
    for (uint32_t l = 0; l < artifact.plan.lists().size(); ++l)
      if (artifact.plan.lists()[l].kind == SAWTOOTH_LIST_ARGUMENT)
        upload(l);
    for (auto &runner : runners) {
      setTensors(*runner, 500 + round);
      check(engine->start(*runner));
    }
    check(engine->wait());
    for (StatusRow row; engine->next(row);)
      rows.push_back(row);
  }

  const Request &request;
  cuda::DevicePointer device; // of code for a GPU
  std::unique_ptr<SawtoothCompiled, decltype(&sawtoothCompiledDestroy)> compiled{
      nullptr, sawtoothCompiledDestroy};
  Artifact artifact;
  std::unique_ptr<Store> store;
  std::unique_ptr<Engine> engine;
  std::vector<std::unique_ptr<StepRunner>> runners;
  std::vector<StatusRow> rows;

private:
  std::vector<std::vector<cuda::DeviceMemory>> onDevice; // by list, tensor

  void bind() {
    const Plan &plan = artifact.plan;
    buffers.resize(plan.lists().size());
    for (uint32_t l = 0; l < plan.lists().size(); ++l) {
      const SawtoothListRow &list = plan.lists()[l];
      bool required =
          list.init.count > 0 && plan.inits()[list.init.first].kind == SAWTOOTH_INIT_REQUIRED;
      if (list.kind == SAWTOOTH_LIST_SCRATCH || (list.kind == SAWTOOTH_LIST_STATE && !required))
        continue;
      for (int64_t size : sizesOf(list))
        buffers[l].emplace_back(size * bytesOf(list.type) + 256);
    }
    fill(SAWTOOTH_LIST_STATE, 1, false);
    fill(SAWTOOTH_LIST_ARGUMENT, 2, false);
    for (uint32_t l = 0; l < plan.lists().size(); ++l) {
      if (buffers[l].empty())
        continue;
      std::vector<TensorRef> tensors;
      std::vector<int64_t> sizes = sizesOf(plan.lists()[l]);
      for (size_t t = 0; t < sizes.size(); ++t)
        tensors.push_back({"t" + std::to_string(t) + (t % 2 ? ".bias" : ".weight"),
                           {sizes[t]},
                           SawtoothType(plan.lists()[l].type),
                           address(l, t)});
      if (!device) {
        check(store->bind(l, tensors));
        continue;
      }
      // On the device too, tensors begin where they do here: what the runtime allocates is aligned.
      onDevice.resize(plan.lists().size());
      for (size_t t = 0; t < sizes.size(); ++t) {
        onDevice[l].push_back(
            take(cuda::DeviceMemory::allocate(device, buffers[l][t].size(), "a test")));
        tensors[t].data = reinterpret_cast<void *>(deviceAddress(l, t));
      }
      upload(l);
      check(store->bindDevice(l, tensors));
    }
  }

  uint64_t deviceAddress(uint32_t list, size_t tensor) const {
    return onDevice[list][tensor].address() +
           request.offset * bytesOf(artifact.plan.lists()[list].type);
  }

  // The elements of a list that was filled, to the device.
  void upload(uint32_t l) {
    if (!device || buffers[l].empty())
      return;
    const cuda::Driver &api = device->driver();
    cuda::ContextScope scope(api, device->context());
    std::vector<int64_t> sizes = sizesOf(artifact.plan.lists()[l]);
    for (size_t t = 0; t < sizes.size(); ++t)
      if (uint64_t bytes = sizes[t] * bytesOf(artifact.plan.lists()[l].type))
        check(api.check(api.cuMemcpyHtoDAsync(deviceAddress(l, t), address(l, t), bytes, nullptr),
                        "cuMemcpyHtoDAsync"));
    check(api.check(api.cuStreamSynchronize(nullptr), "cuStreamSynchronize"));
  }

  /// None for a list whose tensors the module names: its state has initial values.
  std::vector<int64_t> sizesOf(const SawtoothListRow &list) const {
    bool named = artifact.plan.models()[list.model].tensors.count > 0;
    return named ? std::vector<int64_t>() : request.sizes;
  }

  void setTensors(StepRunner &runner, unsigned seed) {
    auto rows = runner.tensorArgs();
    for (uint32_t a = 0; a < rows.size(); ++a) {
      int64_t count = 1;
      for (uint32_t d = 0; d < rows[a].rank; ++d)
        count *= rows[a].dims[d];
      auto &data = tensors.emplace_back(count * sizeof(uint64_t));
      std::mt19937 random(seed + a);
      for (int64_t i = 0; i < count; ++i) {
        // Whole numbers serve as labels.
        uint32_t bits =
            rows[a].type == SAWTOOTH_I32 ? random() % 10 : randomBits(rows[a].type, random, false);
        std::memcpy(data.data() + i * bytesOf(rows[a].type), &bits, bytesOf(rows[a].type));
      }
      runner.setTensor(a, data.data());
    }
  }

  unsigned char *address(uint32_t list, size_t tensor) {
    auto *start = buffers[list][tensor].data();
    start += (64 - reinterpret_cast<uintptr_t>(start) % 64) % 64;
    return start + request.offset * bytesOf(artifact.plan.lists()[list].type);
  }

  void fill(uint32_t kind, unsigned seed, bool special) {
    for (uint32_t l = 0; l < buffers.size(); ++l) {
      const SawtoothListRow &list = artifact.plan.lists()[l];
      std::mt19937 random(seed * 100 + l);
      if (list.kind != kind || buffers[l].empty())
        continue;
      std::vector<int64_t> sizes = sizesOf(list);
      for (size_t t = 0; t < sizes.size(); ++t)
        for (int64_t i = 0; i < sizes[t]; ++i) {
          uint32_t bits = randomBits(list.type, random, special && i % 1000 == 3);
          if (request.spread && list.type == SAWTOOTH_F32) {
            uint64_t chunk = t * 11 + static_cast<uint64_t>(i) / SAWTOOTH_CHUNK * 7;
            bits -= static_cast<uint32_t>(chunk % (request.spread + 1)) << 23;
          }
          std::memcpy(address(l, t) + i * bytesOf(list.type), &bits, bytesOf(list.type));
        }
    }
  }

  std::vector<std::vector<std::vector<unsigned char>>> buffers; // by list, tensor
  std::list<std::vector<unsigned char>> tensors;                // of arguments, of all rounds
};

/// Says what differs first; returns whether anything does.
bool differ(Side &cpu, Side &gpu) {
  const Plan &plan = cpu.artifact.plan;
  bool found = false;
  for (uint32_t l = 0; l < plan.lists().size(); ++l) {
    if (plan.lists()[l].kind != SAWTOOTH_LIST_STATE)
      continue;
    auto a = cpu.store->buffers(l), b = gpu.store->buffers(l);
    for (size_t t = 0; t < a.size(); ++t) {
      const Model &model = cpu.store->model(plan.lists()[l].model);
      size_t bytes = model.numel[t] * bytesOf(plan.lists()[l].type), wrong = 0, first = 0;
      for (size_t i = bytes; i-- > 0;)
        if (static_cast<char *>(a[t])[i] != static_cast<char *>(b[t])[i])
          ++wrong, first = i;
      if (wrong) {
        size_t at = first / bytesOf(plan.lists()[l].type) * bytesOf(plan.lists()[l].type);
        uint32_t left = 0, right = 0;
        std::memcpy(&left, static_cast<char *>(a[t]) + at, bytesOf(plan.lists()[l].type));
        std::memcpy(&right, static_cast<char *>(b[t]) + at, bytesOf(plan.lists()[l].type));
        std::printf("%s, tensor %zu: %zu bytes differ, the first of element %zu: %08x on the CPU, "
                    "%08x on the GPU\n",
                    plan.string(plan.lists()[l].name).c_str(), t, wrong,
                    at / bytesOf(plan.lists()[l].type), left, right);
        found = true;
      }
    }
  }
  for (uint32_t f = 0; f < plan.fields().size(); ++f) {
    auto a = cpu.store->slots(f), b = gpu.store->slots(f);
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) {
        std::printf("field %s[%zu]: %016lx on the CPU, %016lx on the GPU\n",
                    plan.string(plan.fields()[f].name).c_str(), i, a[i], b[i]);
        found = true;
      }
  }
  if (cpu.rows.size() != gpu.rows.size()) {
    std::printf("%zu status rows on the CPU, %zu on the GPU\n", cpu.rows.size(), gpu.rows.size());
    return true;
  }
  for (size_t i = 0; i < cpu.rows.size(); ++i) {
    if (cpu.rows[i] == gpu.rows[i])
      continue;
    found = true;
    std::printf("status row %zu differs\n", i);
    for (size_t log = 0; log < cpu.rows[i].logs.size(); ++log)
      std::printf("  log %zu: %016lx on the CPU, %016lx on the GPU\n", log, cpu.rows[i].logs[log],
                  gpu.rows[i].logs[log]);
  }
  return found;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4)
    die("usage: CompareTargets STEP.mlir CHIP STEPS [offset=E] [special=N] [spread=D] [SIZE...]");
  Request request{argv[1], argv[2], unsigned(std::atoi(argv[3])), 0, SIZE_MAX, 0, {}};
  for (int i = 4; i < argc; ++i) {
    std::string text = argv[i];
    if (text.starts_with("offset="))
      request.offset = std::stoul(text.substr(7));
    else if (text.starts_with("special="))
      request.special = std::stoul(text.substr(8));
    else if (text.starts_with("spread="))
      request.spread = static_cast<unsigned>(std::min(std::stoul(text.substr(7)), 64ul));
    else
      request.sizes.push_back(std::stoll(text));
  }
  Side cpu(request, "cpu", "native"), gpu(request, "nvptx", request.chip.c_str());
  for (unsigned round = 0; round < request.steps; ++round) {
    cpu.run(round);
    gpu.run(round);
  }
  check(cpu.engine->pull());
  check(gpu.engine->pull());
  bool failed = differ(cpu, gpu);
  size_t applied = 0;
  for (const StatusRow &row : gpu.rows)
    applied += row.applied;
  std::printf("%s: %zu rows, %zu applied, %s\n", gpu.engine->description().c_str(), gpu.rows.size(),
              applied, failed ? "DIFFERENT" : "same bits");
  return failed;
}
