// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ForwardHarness.h"

#include "sawtooth/Conversion/Passes.h"
#include "sawtooth/InitAll.h"
#include "sawtooth/Target/CPU/CPU.h"
#include "sawtooth/Transforms/Passes.h"
#include "sawtooth/runtime/Abi.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::test;

static std::string moduleText(const ForwardFunction &function) {
  std::string text = function.aliases, arguments, types, packs, names, results;
  auto separate = [](std::string &list) { list += list.empty() ? "" : ", "; };
  for (size_t i = 0; i < function.outputs.size(); ++i) {
    std::string number = std::to_string(i), type = function.outputs[i].type;
    std::string element = type.substr(type.rfind('x') + 1);
    text += "amp.model @m" + number + "\nsweep.list scratch @run.o" + number +
            " : !amp.tensors<@m" + number + " x " + element + "> {label = \"o" + number +
            "\", step = @run}\n";
    separate(packs), separate(names), separate(results);
    packs += "@run.o" + number;
    names += "\"t\"";
    results += "tensor<" + type + ">";
  }
  std::string call;
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    std::string type = "tensor<" + function.inputs[i].type + ">";
    separate(arguments), separate(types), separate(call);
    arguments += "%" + std::to_string(i) + ": " + type;
    types += type;
    call += "%" + std::to_string(i);
  }
  return text + "func.func private @run.model(" + arguments + ") -> (" + results + ") {\n" +
         function.body + "}\nsweep.step @run(" + arguments + ") attributes {cut} {\n" +
         "  sweep.forward @run.model(" + call + ") leaves [] [] packs [" + packs + "] [" + names +
         "] : (" + types + ") -> ()\n" +
         "  sweep.scalar @final {\n    %true = arith.constant true\n    sweep.outcome %true []\n"
         "    sweep.yield\n  }\n}\n";
}

namespace {
/// A buffer that starts one element off any larger alignment, between bytes that nobody may write.
class Buffer {
public:
  Buffer(const Bytes &bytes, size_t element)
      : memory(bytes.size() + 2 * guard + 64, mark), size(bytes.size()) {
    auto address = reinterpret_cast<uintptr_t>(memory.data()) + guard;
    begin = memory.data() + guard + (64 - address % 64) % 64 + element % 64;
    if (size > 0)
      std::memcpy(begin, bytes.data(), size);
  }
  void *data() { return begin; }
  Bytes bytes() const { return Bytes(begin, begin + size); }
  bool isIntact() const {
    auto isMark = [](char byte) { return byte == mark; };
    return std::all_of(memory.data(), static_cast<const char *>(begin), isMark) &&
           std::all_of(static_cast<const char *>(begin) + size, memory.data() + memory.size(),
                       isMark);
  }

private:
  static constexpr size_t guard = 256;
  static constexpr char mark = 0x3c;
  std::vector<char> memory;
  char *begin;
  size_t size;
};

enum class Order { AtOnce, Backwards };
} // namespace

static size_t elementBytes(const Port &port) {
  std::string element = port.type.substr(port.type.rfind('x') + 1);
  return std::stoul(element.substr(element.find_first_of("0123456789"))) / 8;
}

static size_t bytesOfPort(const Port &port) {
  size_t bytes = elementBytes(port), position = 0;
  while (isdigit(port.type[position])) {
    size_t end = port.type.find('x', position);
    bytes *= std::stoul(port.type.substr(position, end - position));
    position = end + 1;
  }
  return bytes;
}

static std::vector<Bytes> execute(const SawtoothArtifact &artifact, const ForwardFunction &function,
                                  const std::vector<Bytes> &inputs, Order order) {
  const SawtoothPlan &plan = *artifact.plan;
  auto table = [&]<typename Row>(SawtoothTable rows, const Row *) {
    return reinterpret_cast<const Row *>(reinterpret_cast<const char *>(&plan) + rows.offset);
  };
  const SawtoothStepRow &step = table(plan.steps, (SawtoothStepRow *)nullptr)[0];
  const SawtoothActionRow *actions = table(plan.actions, (SawtoothActionRow *)nullptr);

  std::vector<Buffer> buffers, results;
  std::vector<void *> tensors;
  for (size_t i = 0; i < inputs.size(); ++i)
    buffers.emplace_back(inputs[i], elementBytes(function.inputs[i]));
  for (Buffer &buffer : buffers)
    tensors.push_back(buffer.data());
  for (const Port &port : function.outputs)
    results.emplace_back(Bytes(bytesOfPort(port), char(0x55)), elementBytes(port));

  // Model i holds list i with one tensor.
  size_t count = function.outputs.size();
  std::vector<void *> pointers(count);
  std::vector<std::vector<void *const *>> lists(count, std::vector<void *const *>(count));
  std::vector<SawtoothModel> models(count);
  std::vector<const SawtoothModel *> modelPointers(count);
  for (size_t i = 0; i < count; ++i) {
    pointers[i] = results[i].data();
    lists[i][i] = &pointers[i];
    models[i].tensors = 1;
    models[i].list = lists[i].data();
    modelPointers[i] = &models[i];
  }
  Buffer arena(Bytes(step.arenaBytes, char(0xff)), 0);
  std::vector<uint64_t> frame(step.frameBytes / 8 + 1);
  SawtoothCtx ctx{};
  ctx.frame = frame.data();
  ctx.arena = arena.data();
  ctx.model = modelPointers.data();
  ctx.tensor = tensors.data();
  for (uint32_t i = 0; i < step.actions.count; ++i) {
    const SawtoothActionRow &action = actions[step.actions.first + i];
    if (action.kind != SAWTOOTH_PARALLEL)
      continue;
    SawtoothFunction *run = artifact.functions[action.function];
    if (order == Order::AtOnce)
      run(&ctx, 0, action.units);
    else
      for (uint64_t unit = action.units; unit-- > 0;)
        run(&ctx, unit, unit + 1);
  }
  std::vector<Bytes> outputs;
  for (Buffer &buffer : results) {
    EXPECT_TRUE(buffer.isIntact());
    outputs.push_back(buffer.bytes());
  }
  EXPECT_TRUE(arena.isIntact());
  for (size_t i = 0; i < inputs.size(); ++i)
    EXPECT_TRUE(buffers[i].isIntact() && buffers[i].bytes() == inputs[i]);
  return outputs;
}

std::vector<Bytes> sawtooth::test::runForward(const ForwardFunction &function,
                                              const std::vector<Bytes> &inputs) {
  DialectRegistry registry;
  registerAllDialects(registry);
  std::unique_ptr<TargetBackend> backend = createCPUBackend();
  backend->registerTranslations(registry);
  MLIRContext context(registry);
  std::vector<Bytes> first;
  for (const char *name : {"x86-64-v3", "x86-64-v4"}) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(moduleText(function), &context);
    if (!module) {
      ADD_FAILURE() << "does not parse:\n" << moduleText(function);
      return {};
    }
    FailureOr<Chip> chip = backend->resolveChip(name, module->getLoc());
    if (failed(chip)) {
      ADD_FAILURE() << "unknown chip " << name;
      return {};
    }
    PassManager passes(&context);
    SweepToKernelOptions options;
    options.width = chip->width;
    passes.addPass(createSweepToKernel(options));
    passes.addPass(createExpandMath());
    passes.addPass(createExpandFloatCasts());
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    passes.addPass(createKernelToLlvm());
    if (failed(passes.run(*module)) || failed(backend->emit(*module, *chip, OutputKind::Object))) {
      ADD_FAILURE() << "does not compile for " << name;
      return {};
    }
    if (StringRef(name) == "x86-64-v4" && !__builtin_cpu_supports("avx512vl"))
      continue; // compiled, but this machine cannot run it
    std::unique_ptr<LoadedObject> loaded = backend->load(*module, *chip);
    if (!loaded) {
      ADD_FAILURE() << "does not load for " << name;
      return {};
    }
    for (Order order : {Order::AtOnce, Order::Backwards}) {
      std::vector<Bytes> outputs = execute(*loaded->getArtifact(), function, inputs, order);
      if (first.empty())
        first = outputs;
      EXPECT_EQ(outputs, first) << name << (order == Order::Backwards ? ", unit by unit" : "");
    }
  }
  return first;
}
