// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Compiler/Input.h"

#include "Diagnostics.h"
#include "GpuObject.h"

#include "sawtooth/Conversion/PlanBuilder.h"
#include "sawtooth/InitAll.h"
#include "sawtooth/Target/CPU/SharedObject.h"
#include "sawtooth/Target/NVPTX/NVPTX.h"
#include "sawtooth/Transforms/Passes.h"
#include "sawtooth/Transforms/SourceCheck.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace sawtooth;

static DialectRegistry createRegistry(const TargetRegistry &targets) {
  DialectRegistry registry;
  registerAllDialects(registry);
  targets.registerTranslations(registry);
  return registry;
}

static TargetRegistry createTargets(const SessionOptions &options) {
  TargetRegistry targets;
  targets.add(createCPUBackend());
  targets.add(createNVPTXBackend(options.ptxas));
  return targets;
}

struct Input::State {
  State(SessionOptions options, StringRef path)
      : options(std::move(options)), targets(createTargets(this->options)),
        // One module with a few short functions: threads would cost more than they bring.
        context(createRegistry(targets), MLIRContext::Threading::DISABLED),
        forwarder(sources, context, this->options.diagnostic),
        location(FileLineColLoc::get(&context, path, 0, 0)) {
    // Diagnostics show the user's file; the op in its state between passes would be noise.
    context.printOpOnDiagnostic(false);
  }

  LogicalResult parseAndLink(StringRef path, StringRef text);
  FailureOr<Chip> resolveChip(StringRef name) { return backend->resolveChip(name, location); }
  /// The target that has a chip of that name: the one of the options, or another.
  const TargetBackend &targetOf(StringRef name) const;
  /// A copy of the module, brought to `stage` for `chip` of `target`.
  OwningOpRef<ModuleOp> lower(const TargetBackend &target, const Chip &chip, Stage stage);
  OwningOpRef<ModuleOp> lower(const Chip &chip, Stage stage) {
    return lower(*backend, chip, stage);
  }
  struct ArtifactChip {
    const TargetBackend *target;
    Chip chip;
  };
  FailureOr<ChipObject> compileForCpu(const ArtifactChip &wanted, StringRef query);
  FailureOr<ChipObject> compileForGpus(ArrayRef<ArtifactChip> wanted, StringRef query);

  SessionOptions options;
  TargetRegistry targets;
  MLIRContext context;
  llvm::SourceMgr sources;
  DiagnosticForwarder forwarder;
  Location location;
  const TargetBackend *backend = nullptr;
  OwningOpRef<ModuleOp> module; // linked
  OwningOpRef<ModuleOp> cut;    // at Stage::Sweep, which all chips have in common, once wanted
  std::vector<std::pair<std::string, std::string>> imports;
};

Input::Input(std::unique_ptr<State> state) : state(std::move(state)) {}
Input::~Input() = default;

LogicalResult Input::State::parseAndLink(StringRef path, StringRef text) {
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, path), llvm::SMLoc());
  backend = targets.find(options.target, location);
  if (!backend || failed(resolveChip(options.chip)) || failed(checkSource(text, path, &context)))
    return failure();
  module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return failure();
  PassManager passes(&context);
  AmpLinkOptions link;
  link.recordImports = true;
  passes.addPass(createAmpLink(link));
  if (failed(passes.run(*module)))
    return failure();
  // What is only for us is no part of the module.
  for (auto file : cast<ArrayAttr>((*module)->removeAttr("amp.imports")).getAsRange<ArrayAttr>())
    imports.emplace_back(cast<StringAttr>(file[0]).getValue(),
                         cast<StringAttr>(file[1]).getValue());
  return success();
}

std::unique_ptr<Input> Input::read(SessionOptions options, StringRef path, StringRef text) {
  auto state = std::make_unique<State>(std::move(options), path);
  if (failed(state->parseAndLink(path, text)))
    return nullptr;
  return std::unique_ptr<Input>(new Input(std::move(state)));
}

std::unique_ptr<Input> Input::open(SessionOptions options, StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (buffer)
    return read(std::move(options), path, (*buffer)->getBuffer());
  if (options.diagnostic)
    options.diagnostic(
        ("error: cannot read '" + path + "': " + buffer.getError().message() + "\n").str());
  return nullptr;
}

std::string Input::digest() const {
  // The generic form sorts attributes and numbers values by itself.
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.printGenericOpForm().enableDebugInfo(false);
  state->module->print(stream, flags);
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(text));
  return llvm::utohexstr(hash.high64, /*LowerCase=*/true, /*Width=*/16) +
         llvm::utohexstr(hash.low64, /*LowerCase=*/true, /*Width=*/16);
}

const std::vector<std::pair<std::string, std::string>> &Input::imports() const {
  return state->imports;
}

const TargetBackend &Input::State::targetOf(StringRef name) const {
  for (const auto &target : targets.all())
    if (llvm::is_contained(target->getChips(), name))
      return *target;
  return *backend;
}

OwningOpRef<ModuleOp> Input::State::lower(const TargetBackend &target, const Chip &chip,
                                          Stage stage) {
  bool goOn = cut && stage > Stage::Sweep;
  OwningOpRef<ModuleOp> copy = (goOn ? cut : module)->clone();
  PassManager passes(&context);
  buildPipeline(passes, {options.batch, chip.width, target.getName().str()}, stage,
                goOn ? std::optional(Stage::Sweep) : std::nullopt);
  if (failed(passes.run(*copy)))
    return nullptr;
  return copy;
}

FailureOr<std::string> Input::emit(Stage stage) {
  FailureOr<Chip> chip = state->resolveChip(state->options.chip);
  if (failed(chip))
    return failure();
  OwningOpRef<ModuleOp> lowered = state->lower(*chip, stage);
  if (!lowered)
    return failure();
  if (stage < Stage::LLVM) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    lowered->print(stream);
    stream << '\n';
    return text;
  }
  OutputKind kind = stage == Stage::LLVM       ? OutputKind::LLVM
                    : stage == Stage::Assembly ? OutputKind::Assembly
                                               : OutputKind::Object;
  return state->backend->emit(*lowered, *chip, kind);
}

std::unique_ptr<LoadedObject> Input::load() {
  FailureOr<Chip> chip = state->resolveChip(state->options.chip);
  if (failed(chip))
    return nullptr;
  OwningOpRef<ModuleOp> lowered = state->lower(*chip, Stage::LLVM);
  return lowered ? state->backend->load(*lowered, *chip) : nullptr;
}

FailureOr<ChipObject> Input::State::compileForCpu(const ArtifactChip &wanted, StringRef query) {
  const auto &[target, chip] = wanted;
  OwningOpRef<ModuleOp> lowered = lower(*target, chip, Stage::LLVM);
  if (!lowered)
    return failure();
  auto plan = lowered->lookupSymbol<LLVM::GlobalOp>(kPlanAttr);
  auto function = lowered->lookupSymbol<LLVM::LLVMFuncOp>("sawtooth_query");
  auto bytes = plan ? dyn_cast_or_null<StringAttr>(plan.getValueOrNull()) : StringAttr();
  if (!bytes || !function)
    return emitError(location, "internal error: no plan or no query function at stage llvm");
  function.setSymName(query);
  FailureOr<std::string> code = target->emit(*lowered, chip, OutputKind::Object);
  if (failed(code))
    return failure();
  return ChipObject{{chip.name},      chip.required,          query.str(),
                    std::move(*code), bytes.getValue().str(), {}};
}

FailureOr<ChipObject> Input::State::compileForGpus(ArrayRef<ArtifactChip> wanted, StringRef query) {
  // Chips differ in what LLVM makes of a kernel, not in the kernel.
  OwningOpRef<ModuleOp> lowered = lower(*wanted[0].target, wanted[0].chip, Stage::LLVM);
  if (!lowered)
    return failure();
  GpuObject object;
  for (const auto &[target, chip] : wanted) {
    std::unique_ptr<LoadedObject> code = target->load(*lowered, chip);
    if (!code || failed(object.add(*code, chip, options.ptxas, location)))
      return failure();
  }
  // Constants need no more than the least of the CPUs.
  const TargetBackend *cpu = targets.find("cpu", location);
  if (!cpu)
    return failure();
  FailureOr<Chip> host = cpu->resolveChip("x86-64-v3", location);
  if (failed(host))
    return failure();
  return object.emit(query, *cpu, *host, location);
}

FailureOr<std::string> Input::createArtifact(ArrayRef<StringRef> names, StringRef linker,
                                             StringRef key) {
  std::vector<State::ArtifactChip> wanted;
  for (StringRef name : names) {
    const TargetBackend &target = state->targetOf(name);
    FailureOr<Chip> chip = target.resolveChip(name, state->location);
    if (failed(chip))
      return failure();
    wanted.push_back({&target, std::move(*chip)});
  }
  // The loader takes the last one that a machine can run.
  // What is tuned for this machine comes after what is not; then come GPUs.
  auto isForGpu = [](const State::ArtifactChip &each) { return each.target->getName() != "cpu"; };
  llvm::sort(wanted, [&](const State::ArtifactChip &a, const State::ArtifactChip &b) {
    auto rank = [&](const State::ArtifactChip &each) {
      return std::tuple(isForGpu(each), each.chip.required.size(), each.chip.name == "native");
    };
    return rank(a) != rank(b) ? rank(a) < rank(b)
                              : StringRef(a.chip.name).compare_numeric(b.chip.name) < 0;
  });
  if (!state->cut && !wanted.empty())
    state->cut = state->lower(*wanted.front().target, wanted.front().chip, Stage::Sweep);
  if (!state->cut)
    return failure();
  auto gpus = ArrayRef(wanted).drop_until(isForGpu);
  std::vector<ChipObject> objects;
  auto add = [&](auto &&compile) {
    std::string query = "sawtooth_query";
    if (!objects.empty())
      query += "_" + std::to_string(objects.size());
    FailureOr<ChipObject> object = compile(query);
    if (succeeded(object))
      objects.push_back(std::move(*object));
    return LogicalResult(object);
  };
  for (const State::ArtifactChip &each : ArrayRef(wanted).drop_back(gpus.size()))
    if (failed(add([&](StringRef query) { return state->compileForCpu(each, query); })))
      return failure();
  if (!gpus.empty() &&
      failed(add([&](StringRef query) { return state->compileForGpus(gpus, query); })))
    return failure();
  std::vector<std::pair<std::string, std::string>> notes = {{"llvm", LLVM_VERSION_STRING}};
  if (!key.empty())
    notes.emplace_back("key", key);
  return sawtooth::createArtifact(objects, notes, linker, state->location);
}
