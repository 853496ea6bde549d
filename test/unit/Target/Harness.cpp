// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

#include "sawtooth/Conversion/Passes.h"
#include "sawtooth/Transforms/Passes.h"
#include "sweep/Sweep.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <stdexcept>

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::test;

static constexpr unsigned char guard = 0xa5;

/// Runs `use` on the module in the llvm dialect, with the chip that it is for.
static void lower(const std::string &text, const std::string &chipName, std::string &diagnostics,
                  llvm::function_ref<void(ModuleOp, const TargetBackend &, const Chip &)> use) {
  std::unique_ptr<TargetBackend> backend = createCPUBackend();
  DialectRegistry registry;
  registry.insert<amp::AmpDialect, sweep::SweepDialect, arith::ArithDialect, func::FuncDialect,
                  math::MathDialect>();
  backend->registerTranslations(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + "\n";
    return success();
  });
  FailureOr<Chip> chip = backend->resolveChip(chipName, UnknownLoc::get(&context));
  if (failed(chip))
    return;
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context), "test.mlir");
  if (!module)
    return;
  PassManager passes(&context);
  SweepToKernelOptions options;
  options.width = chip->width;
  passes.addPass(createSweepToKernel(options));
  passes.addPass(createExpandMath());
  passes.addPass(createExpandFloatCasts());
  passes.addPass(createKernelToLlvm());
  if (succeeded(passes.run(*module)))
    use(*module, *backend, *chip);
}

Compiled sawtooth::test::compile(const std::string &text, const std::string &chip) {
  Compiled out;
  lower(text, chip, out.diagnostics,
        [&](ModuleOp module, const TargetBackend &backend, const Chip &resolved) {
          out.object = backend.load(module, resolved);
          if (out.object)
            out.artifact = out.object->getArtifact();
        });
  return out;
}

std::string sawtooth::test::emit(const std::string &text, const std::string &chip,
                                 OutputKind kind) {
  std::string output, diagnostics;
  lower(text, chip, diagnostics,
        [&](ModuleOp module, const TargetBackend &backend, const Chip &resolved) {
          if (FailureOr<std::string> code = backend.emit(module, resolved, kind); succeeded(code))
            output = *code;
        });
  return output.empty() ? "failed: " + diagnostics : output;
}

std::vector<std::string> sawtooth::test::chips() {
  std::vector<std::string> out{"native", "x86-64-v3"};
  if (__builtin_cpu_supports("x86-64-v4"))
    out.push_back("x86-64-v4");
  return out;
}

static size_t bytesOf(uint32_t type) {
  return type == SAWTOOTH_F16 || type == SAWTOOTH_BF16 ? 2 : 4;
}

Machine::Machine(const SawtoothArtifact *artifact, std::vector<int64_t> sizes, size_t offset)
    : artifact(artifact), plan(artifact->plan), step(table<SawtoothStepRow>(plan->steps)),
      numel(std::move(sizes)), rank(numel.size(), 1), dims(numel.size() * SAWTOOTH_MAX_RANK, 1) {
  size_t tensors = numel.size();
  for (size_t t = 0; t < tensors; ++t) {
    dims[t * SAWTOOTH_MAX_RANK] = numel[t];
    for (int64_t i = 0; i * SAWTOOTH_CHUNK < numel[t]; ++i)
      chunks.push_back({0, static_cast<uint32_t>(t), static_cast<uint64_t>(i)});
  }
  for (uint64_t l = 0; l < plan->lists.count; ++l) {
    size_t element = bytesOf(table<SawtoothListRow>(plan->lists)[l].type);
    auto &buffers = lists.emplace_back();
    auto &pointers = listPointers.emplace_back();
    for (size_t t = 0; t < tensors; ++t) {
      size_t size = numel[t] * element;
      Buffer &buffer = buffers.emplace_back();
      buffer.bytes.assign(size + 256, guard);
      auto address = reinterpret_cast<uintptr_t>(buffer.bytes.data());
      buffer.begin = (64 - address % 64) % 64 + 64 + offset * element;
      buffer.size = size;
      std::memset(buffer.bytes.data() + buffer.begin, 0, size);
      pointers.push_back(buffer.bytes.data() + buffer.begin);
    }
  }
  for (auto &pointers : listPointers)
    listTable.push_back(pointers.data());
  perTensor.assign(step->perTensorSlots, std::vector<uint64_t>(tensors));
  for (auto &array : perTensor)
    perTensorTable.push_back(array.data());
  state.assign(plan->stateBytes / 8, 0);
  for (uint64_t f = 0; f < plan->fields.count; ++f) {
    const auto &row = table<SawtoothFieldRow>(plan->fields)[f];
    if (row.extent == SAWTOOTH_PER_STEP)
      state[row.offset / 8] = row.initial;
  }
  args.assign(step->argsBytes / 8, 0);
  for (uint32_t a = 0; a < step->args.count; ++a) {
    const auto &row = table<SawtoothArgRow>(plan->args)[step->args.first + a];
    args[row.offset / 8] = row.defaultValue;
  }
  // What no program writes must not matter either.
  frame.assign(step->frameBytes / 8, 0x5a5a5a5a5a5a5a5a);
  partials.assign(chunks.size() * step->partials, 0x5a5a5a5a5a5a5a5a);
  model = {.tensors = tensors,
           .firstChunk = 0,
           .chunks = chunks.size(),
           .numel = numel.data(),
           .rank = rank.data(),
           .dims = dims.data(),
           .nameHash = nullptr,
           .list = listTable.data(),
           .perTensor = perTensorTable.data(),
           .firstRow = nullptr};
  models[0] = &model;
  ctx = {.state = state.data(),
         .args = args.data(),
         .frame = frame.data(),
         .partials = partials.data(),
         .arena = nullptr,
         .model = models,
         .chunk = chunks.data(),
         .tensor = nullptr,
         .device = nullptr};
}

void Machine::run() {
  for (uint32_t i = 0; i < step->actions.count; ++i) {
    const auto &action = table<SawtoothActionRow>(plan->actions)[step->actions.first + i];
    SawtoothFunction *function = artifact->functions[action.function];
    if (action.flag != SAWTOOTH_NONE &&
        !(reinterpret_cast<const char *>(frame.data())[action.flag]))
      continue;
    if (action.kind == SAWTOOTH_SCALAR) {
      function(&ctx, 0, 0);
      continue;
    }
    for (size_t row = chunks.size(); row-- > 0;)
      function(&ctx, row, row + 1);
  }
}

bool Machine::applied() const {
  return reinterpret_cast<const char *>(frame.data())[step->applied] != 0;
}
uint64_t Machine::causes() const { return frame[step->cause / 8]; }

bool Machine::guardsIntact() const {
  for (const auto &buffers : lists)
    for (const Buffer &buffer : buffers)
      for (size_t i = 0; i < buffer.bytes.size(); ++i)
        if ((i < buffer.begin || i >= buffer.begin + buffer.size) && buffer.bytes[i] != guard)
          return false;
  return true;
}

unsigned char *Machine::bufferOf(const std::string &list, size_t number) {
  for (uint64_t l = 0; l < plan->lists.count; ++l)
    if (list == text(table<SawtoothListRow>(plan->lists)[l].name))
      return static_cast<unsigned char *>(listPointers[l][number]);
  return nullptr;
}

const SawtoothFieldRow &Machine::fieldRow(const std::string &name) const {
  const auto *rows = table<SawtoothFieldRow>(plan->fields);
  return *std::find_if(rows, rows + plan->fields.count,
                       [&](const SawtoothFieldRow &row) { return name == text(row.name); });
}

uint64_t Machine::argumentOffset(const std::string &name) const {
  const auto *rows = table<SawtoothArgRow>(plan->args);
  return std::find_if(rows, rows + plan->args.count,
                      [&](const SawtoothArgRow &row) { return name == text(row.name); })
      ->offset;
}

uint64_t Machine::logOffset(const std::string &key) const {
  const auto *rows = table<SawtoothLogRow>(plan->logs);
  return std::find_if(rows, rows + plan->logs.count,
                      [&](const SawtoothLogRow &row) { return key == text(row.key); })
      ->offset;
}
